import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { session } from '../api/session.js';
import { useSession } from '../api/use-session.js';
import type { Viewer } from '../api/viewer.js';
import { told } from '../parts/bidi.js';
import { Button } from '../parts/button.js';
import { TokenForm } from './token-form.js';

/** Over the page when its token has ended: nothing below is lost, and every call that waits goes on with the new one. */
export function SignInAgain({ viewer }: { viewer: Viewer }) {
  const isOpen = useSession().kind === 'ENDED';
  return (
    <ModalOverlay isOpen={isOpen} className="overlay">
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title">Your session has ended</Heading>
          <p>
            Sign in again as {told(viewer.displayName)} to go on. What you were doing is still here, and is
            sent as soon as you are back.
          </p>
          <TokenForm refuse={(other) => refusalOf(viewer, other)} />
          <Button look="quiet" onPress={() => session.signOut()}>
            Sign out: unsent work stays on this device
          </Button>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function refusalOf(viewer: Viewer, other: Viewer): string | null {
  const isSame = other.tenant === viewer.tenant && other.identity?.id === viewer.identity?.id;
  return isSame && other.role === viewer.role
    ? null
    : `That token is of ${told(other.displayName)} as ${other.role.toLowerCase()}. Sign out first to change who works here.`;
}
