import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ClientError } from '../../../src/client/errors.js';
import { session } from '../api/session.js';
import { useSession } from '../api/use-session.js';
import { useViewer, type Viewer, ViewerContext } from '../api/viewer.js';
import { whoHas } from '../api/who-has.js';
import { told } from '../parts/bidi.js';
import { Button } from '../parts/button.js';
import { Failed, Loading } from '../parts/states.js';
import { ROUTES } from '../routes.js';
import { SignIn } from './sign-in.js';
import { SignInAgain } from './sign-in-again.js';
import { chooseTheme, nextTheme, theme } from './theme.js';

type Known =
  | { readonly kind: 'ASKING' }
  | { readonly kind: 'KNOWN'; readonly viewer: Viewer }
  | { readonly kind: 'FAILED'; readonly message: string };

/** Everything around a page: who is signed in, where else one can go, and the way back in when a token has ended. */
export function Shell({ children }: { children: ReactNode }) {
  const state = useSession();
  const { known, ask } = useKnownViewer(state.kind === 'SIGNED_OUT' ? null : state.token);
  if (known.kind !== 'KNOWN' && state.kind === 'ENDED') {
    return <SignIn />;
  }
  if (known.kind === 'ASKING') {
    return <Loading what="who you are" />;
  }
  if (known.kind === 'FAILED') {
    return <Failed what="Touchstone" message={known.message} onRetry={ask} />;
  }
  return (
    <ViewerContext value={known.viewer}>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <Header />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <SignInAgain viewer={known.viewer} />
    </ViewerContext>
  );
}

/** Asked once a page load, and again where another tab signs somebody else in. */
function useKnownViewer(token: string | null): { known: Known; ask: () => void } {
  const [known, setKnown] = useState<Known>({ kind: 'ASKING' });
  const ask = useCallback(() => {
    if (token === null) {
      return;
    }
    setKnown((before) => (before.kind === 'KNOWN' ? before : { kind: 'ASKING' }));
    whoHas(token).then(
      (viewer) => setKnown({ kind: 'KNOWN', viewer }),
      (error: unknown) => {
        if (error instanceof ClientError && error.kind === 'UNAUTHENTICATED') {
          session.end(token);
        }
        const message = 'The server cannot be reached. Check the connection.';
        setKnown((before) => (before.kind === 'KNOWN' ? before : { kind: 'FAILED', message }));
      },
    );
  }, [token]);
  useEffect(ask, [ask]);
  return { known, ask };
}

function Header() {
  const viewer = useViewer();
  const [location] = useLocation();
  return (
    <header className="header">
      <Link href="/" className="brand" aria-label="Touchstone, to the first page">
        <img src="/touchstone.svg" alt="" width="24" height="24" />
        <span>Touchstone</span>
      </Link>
      <nav aria-label="Pages">
        {ROUTES.filter(({ inNavigation, roles }) => inNavigation && roles.includes(viewer.role)).map(
          ({ path, name }) => (
            <Link key={path} href={path} aria-current={location === path ? 'page' : undefined}>
              {name}
            </Link>
          ),
        )}
      </nav>
      <div className="header-end">
        <span className="who" title={`${viewer.role.toLowerCase()} of ${told(viewer.tenant)}`}>
          {told(viewer.displayName)}
        </span>
        <ThemeButton />
        <Button look="quiet" onPress={() => session.signOut()}>
          Sign out
        </Button>
      </div>
    </header>
  );
}

function ThemeButton() {
  const [current, setCurrent] = useState(theme);
  return (
    <Button
      look="quiet"
      aria-label={`Colours: ${current}. Change them.`}
      onPress={() => {
        const chosen = nextTheme(current);
        chooseTheme(chosen);
        setCurrent(chosen);
      }}
    >
      {{ system: '◐', light: '☀', dark: '☾' }[current]}
    </Button>
  );
}
