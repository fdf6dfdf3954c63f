import { useEffect, useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { session } from '../api/session.js';
import { useSession } from '../api/use-session.js';
import type { Viewer } from '../api/viewer.js';
import { whoHas } from '../api/who-has.js';
import { told } from '../parts/bidi.js';
import { Button } from '../parts/button.js';
import { forgetLink, useLink } from './link-token.js';

type Asked =
  | { readonly kind: 'ASKING' }
  | { readonly kind: 'KNOWN'; readonly viewer: Viewer }
  | { readonly kind: 'REFUSED' };

/**
 * Asks before a link signs anybody in: a link may be anybody's, and whoever follows one would else work into the account
 * of who sent it.
 */
export function SignInByLink() {
  const link = useLink();
  return link === null ? null : <Asks key={link.token} {...link} />;
}

interface Link {
  readonly token: string;
  readonly path: string;
}

function Asks({ token, path }: Link) {
  const asked = useAsked(token);
  return asked.kind === 'ASKING' ? null : (
    <ModalOverlay isOpen className="overlay">
      <Modal className="modal">
        <Dialog className="dialog">
          {asked.kind === 'KNOWN' ? <Offer token={token} path={path} viewer={asked.viewer} /> : <Refused />}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Offer({ token, path, viewer }: Link & { viewer: Viewer }) {
  const { role } = viewer;
  const [displayName, tenant] = [told(viewer.displayName), told(viewer.tenant)];
  const isSignedIn = useSession().kind !== 'SIGNED_OUT';
  const take = () => {
    forgetLink();
    session.signInAs(token, path);
  };
  return (
    <>
      <Heading slot="title">Sign in as {displayName}?</Heading>
      <p>
        This link signs you in as <b>{displayName}</b>, {role.toLowerCase()} of {tenant}. Do so only where you
        know who sent it: what you do then is done in that name.
      </p>
      {isSignedIn ? <p>You are signed in as somebody already. What you typed stays on this device.</p> : null}
      <div className="dialog-actions">
        <Button onPress={forgetLink}>{isSignedIn ? 'Stay as you are' : 'Not now'}</Button>
        <Button look="main" onPress={take} autoFocus>
          Sign in as {displayName}
        </Button>
      </div>
    </>
  );
}

function Refused() {
  return (
    <>
      <Heading slot="title">This link signs nobody in</Heading>
      <p>Its token has ended or is of another server, or the server cannot be reached. Ask for a new link.</p>
      <div className="dialog-actions">
        <Button look="main" onPress={forgetLink} autoFocus>
          Close
        </Button>
      </div>
    </>
  );
}

/** Whose the token is, by the server; who it is of already is signed in is asked nothing. */
function useAsked(token: string): Asked {
  const [asked, setAsked] = useState<Asked>({ kind: 'ASKING' });
  useEffect(() => {
    let isCurrent = true;
    const tell = (next: Asked) => isCurrent && setAsked(next);
    whoHas(token).then(
      (viewer) => (session.isOf(token) ? renewed(token) : tell({ kind: 'KNOWN', viewer })),
      () => tell({ kind: 'REFUSED' }),
    );
    return () => {
      isCurrent = false;
    };
  }, [token]);
  return asked;
}

function renewed(token: string): void {
  forgetLink();
  session.signIn(token);
}
