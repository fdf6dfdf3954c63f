import { useEffect } from 'react';
import { session } from '../api/session.js';
import { TokenForm } from './token-form.js';

/** The way in. A link may bring the token along, behind `#token=`, where no server sees it. */
export function SignIn() {
  useEffect(() => {
    signInByLink();
    addEventListener('hashchange', signInByLink);
    return () => removeEventListener('hashchange', signInByLink);
  }, []);
  return (
    <main className="sign-in">
      <img src="/touchstone.svg" alt="" width="48" height="48" />
      <h1>Sign in to Touchstone</h1>
      <p>
        Paste an access token of your identity provider. In development <code>npm start</code> prints one for
        each role; <code>npx touchstone token demo-ben</code> prints one for a second expert.
      </p>
      <TokenForm />
    </main>
  );
}

function signInByLink(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    session.signIn(token);
  }
}
