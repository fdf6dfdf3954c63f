import { type FormEvent, useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextField } from 'react-aria-components/TextField';
import { told } from '../parts/bidi.js';
import { Button } from '../parts/button.js';
import { bytes, zone } from '../parts/format.js';
import { nothingIn, type Preview } from './preview.js';
import type { Way } from './send-file.js';
import { useSending } from './use-sending.js';

/** A file that was looked at. */
export interface Chosen {
  readonly file: File;
  readonly preview: Preview;
  /** Of the request: sent again after a lost answer, it makes no second batch. */
  readonly key: string;
}

interface UploadFormProps {
  readonly projectId: string;
  readonly chosen: Chosen;
  readonly onCancel: () => void;
  readonly onDone: (batchId: string) => void;
}

/** Without its ending, and without characters that nobody sees, which no name may have. */
const nameOf = (file: string): string =>
  file
    .replace(/\.\w+$/, '')
    .replace(/\p{C}/gu, '')
    .trim()
    .slice(0, 200);

/** Names the batch, gives it a deadline, and sends the file. */
export function UploadForm({ projectId, chosen, onCancel, onDone }: UploadFormProps) {
  const [name, setName] = useState(nameOf(chosen.file.name));
  const [deadline, setDeadline] = useState('');
  const { state, send, stop } = useSending(projectId, chosen, onDone);
  const isBusy = state.kind === 'SENDING';
  const why = nothingIn(chosen.preview) ?? (name.trim() === '' ? 'A batch has a name.' : null);
  const isSendable = !isBusy && why === null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void send({ name, deadline, isAnother: false });
  };
  return (
    <form className="upload-form" onSubmit={submit} aria-busy={isBusy}>
      <TextField value={name} onChange={setName} isRequired maxLength={200} isDisabled={isBusy}>
        <Label>Name of the batch</Label>
        <Input />
      </TextField>
      <TextField value={deadline} onChange={setDeadline} isDisabled={isBusy}>
        <Label>Deadline</Label>
        <Input type="datetime-local" />
        <Text slot="description">In your zone ({zone()}). Without one: the project’s.</Text>
      </TextField>
      {state.kind === 'SENDING' ? <OnItsWay way={state.way} /> : null}
      {state.kind === 'FAULT' ? (
        <p role="alert" className="fault">
          {told(state.fault)}
        </p>
      ) : null}
      <div className="dialog-actions">
        {why === null ? null : (
          <p id="why-not" className="hint">
            {why}
          </p>
        )}
        {isBusy ? (
          <Button onPress={stop}>Stop</Button>
        ) : (
          <Button onPress={onCancel}>Choose another file</Button>
        )}
        {state.kind === 'FAULT' && state.isKnown ? (
          <Button
            look="main"
            isDisabled={!isSendable}
            onPress={() => void send({ name, deadline, isAnother: true })}
          >
            Upload as another batch
          </Button>
        ) : (
          <Button
            look="main"
            type="submit"
            isDisabled={!isSendable}
            {...(why === null ? {} : { 'aria-describedby': 'why-not' })}
          >
            {isBusy ? 'Sending …' : 'Upload'}
          </Button>
        )}
      </div>
    </form>
  );
}

function OnItsWay({ way }: { way: Way | null }) {
  const isAllSent = way !== null && way.sentBytes === way.ofBytes;
  return (
    <div className="on-its-way">
      <progress
        aria-label="How much of the file is sent"
        max={way?.ofBytes ?? 1}
        value={way?.sentBytes ?? 0}
      />
      <span className="hint">
        {way === null ? 'Beginning …' : `${bytes(way.sentBytes)} of ${bytes(way.ofBytes)}`}
        {isAllSent ? '; the server is putting it where it lasts …' : ''}
      </span>
    </div>
  );
}
