import { TokenForm } from './token-form.js';

/** The way in. A link may bring the token along (sign-in-by-link.tsx). */
export function SignIn() {
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
