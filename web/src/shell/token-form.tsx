import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField } from 'react-aria-components/TextField';
import { ClientError } from '../../../src/client/errors.js';
import { session } from '../api/session.js';
import type { Viewer } from '../api/viewer.js';
import { whoHas } from '../api/who-has.js';
import { Button } from '../parts/button.js';

/** Asks for a token and tries it before it is taken. `refuse` may say why it is not the right one. */
export function TokenForm({ refuse = () => null }: { refuse?: (viewer: Viewer) => string | null }) {
  const [token, setToken] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const change = (text: string) => {
    setToken(text);
    setFault(null);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || bare(token) === '') {
      return;
    }
    setBusy(true);
    setFault(await tried(token, refuse));
    setBusy(false);
  };
  return (
    <form className="token-form" onSubmit={(event) => void submit(event)} aria-busy={isBusy}>
      <TextField
        value={token}
        onChange={change}
        isInvalid={fault !== null}
        validationBehavior="aria"
        autoFocus
        isRequired
      >
        <Label>Access token</Label>
        <TextArea rows={4} spellCheck="false" autoComplete="off" onKeyDown={onEnter} />
        <Text slot="description">One line that begins with “ey”.</Text>
        <FieldError>{fault}</FieldError>
      </TextField>
      <Button look="main" type="submit" isDisabled={isBusy || bare(token) === ''}>
        {isBusy ? 'Asking …' : 'Sign in'}
      </Button>
    </form>
  );
}

/** A token is one line, shown on several: Enter hands it in, as in a field of one line. */
function onEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  }
}

/** Signs in; or says why not. */
async function tried(text: string, refuse: (viewer: Viewer) => string | null): Promise<string | null> {
  const token = bare(text);
  try {
    const refusal = refuse(await whoHas(token));
    if (refusal === null) {
      session.signIn(token);
    }
    return refusal;
  } catch (error) {
    return error instanceof ClientError && error.kind === 'UNAUTHENTICATED'
      ? 'The server does not take this token. It may have ended, or be another server’s.'
      : 'The server cannot be reached. Check the connection and try again.';
  }
}

/** As it is pasted it may have its role before it, or the header's word. */
const bare = (text: string): string => /\bey[\w-]+\.[\w-]+\.[\w-]+/.exec(text)?.[0] ?? text.trim();
