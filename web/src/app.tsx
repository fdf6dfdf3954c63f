import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { useSession } from './api/use-session.js';
import { useViewer, type Viewer } from './api/viewer.js';
import { Forbidden, Loading, Notice } from './parts/states.js';
import { ROUTES } from './routes.js';
import { Shell } from './shell/shell.js';
import { SignIn } from './shell/sign-in.js';

const Desk = lazy(() => import('./shell/tools.js').then(({ Tools }) => ({ default: Tools })));

/** The page that the address names, for whoever is signed in. */
export function App() {
  const session = useSession();
  return session.kind === 'SIGNED_OUT' ? (
    <SignIn />
  ) : (
    <Shell>
      <Suspense fallback={<Loading what="the page" />}>
        <Pages />
      </Suspense>
    </Shell>
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
        <Notice title="There is no such page">
          <p>The address may be mistyped, or the page may have moved.</p>
        </Notice>
      </Route>
    </Switch>
  );
}

/** Where each role begins. */
function homeOf({ role }: Viewer): string {
  return ROUTES.find(({ roles }) => roles.includes(role))?.path ?? '/tools';
}
