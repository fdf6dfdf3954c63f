import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useSession } from './api/use-session.js';
import { useViewer, type Viewer } from './api/viewer.js';
import { Boundary } from './parts/boundary.js';
import { Button } from './parts/button.js';
import { Forbidden, Loading, Notice } from './parts/states.js';
import { ROUTES } from './routes.js';
import { Shell } from './shell/shell.js';
import { SignIn } from './shell/sign-in.js';
import { SignInByLink } from './shell/sign-in-by-link.js';

const Desk = lazy(() => import('./shell/tools.js').then(({ Tools }) => ({ default: Tools })));

/** The page that the address names, for whoever is signed in. */
export function App() {
  const session = useSession();
  return (
    <>
      {session.kind === 'SIGNED_OUT' ? (
        <SignIn />
      ) : (
        <Shell>
          <Guarded />
        </Shell>
      )}
      <SignInByLink />
    </>
  );
}

/** A page that cannot be loaded or shown leaves the way to the others. */
function Guarded() {
  const [location] = useLocation();
  return (
    <Boundary key={location} instead={<CannotBeShown />}>
      <Suspense fallback={<Loading what="the page" />}>
        <Pages />
      </Suspense>
    </Boundary>
  );
}

function CannotBeShown() {
  return (
    <Notice
      title="This page cannot be shown"
      tone="bad"
      action={<Button onPress={() => location.reload()}>Load it again</Button>}
    >
      <p>
        It could not be loaded, or something in it is at fault. Without a network, wait until it is back: what
        you typed is kept.
      </p>
    </Notice>
  );
}

function Pages() {
  const viewer = useViewer();
  return (
    <Switch>
      <Route path="/">
        <Redirect to={homeOf(viewer)} replace />
      </Route>
      <Route path="/tools">
        <Desk />
      </Route>
      {ROUTES.map(({ path, roles, name, Page }) => (
        <Route key={path} path={path}>
          {roles.includes(viewer.role) ? <Page /> : <Forbidden what={name} />}
        </Route>
      ))}
      <Route>
        <div className="page">
          <h1>Touchstone</h1>
          <Notice title="There is no such page">
            <p>The address may be mistyped, or the page may have moved.</p>
          </Notice>
        </div>
      </Route>
    </Switch>
  );
}

/** Where each role begins. */
function homeOf({ role }: Viewer): string {
  return ROUTES.find(({ roles }) => roles.includes(role))?.path ?? '/tools';
}
