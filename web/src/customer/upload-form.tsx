import { type FormEvent, useState } from 'react';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextField } from 'react-aria-components/TextField';
import { authorisedFetch } from '../api/authorised-fetch.js';
import { Button } from '../parts/button.js';
import { zone } from '../parts/format.js';
import type { Preview } from './preview.js';

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

type Sent = { readonly batchId: string } | { readonly fault: string };

/** Names the batch, gives it a deadline, and sends the file. */
export function UploadForm({ projectId, chosen, onCancel, onDone }: UploadFormProps) {
  const [name, setName] = useState(chosen.file.name.replace(/\.\w+$/, ''));
  const [deadline, setDeadline] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    const sent = await send(projectId, chosen, { name, deadline });
    setBusy(false);
    if ('batchId' in sent) {
      onDone(sent.batchId);
    } else {
      setFault(sent.fault);
    }
  };
  return (
    <form className="upload-form" onSubmit={(event) => void submit(event)} aria-busy={isBusy}>
      <TextField value={name} onChange={setName} isRequired maxLength={200}>
        <Label>Name of the batch</Label>
        <Input />
      </TextField>
      <TextField value={deadline} onChange={setDeadline}>
        <Label>Deadline</Label>
        <Input type="datetime-local" />
        <Text slot="description">In your zone ({zone()}). Without one: the project’s.</Text>
      </TextField>
      {fault === null ? null : (
        <p role="alert" className="fault">
          {fault}
        </p>
      )}
      <div className="dialog-actions">
        <Button onPress={onCancel} isDisabled={isBusy}>
          Choose another file
        </Button>
        <Button
          look="main"
          type="submit"
          isDisabled={isBusy || name.trim() === '' || chosen.preview.rows === 0}
        >
          {isBusy ? 'Sending …' : 'Upload'}
        </Button>
      </div>
    </form>
  );
}

/** Sent as it is, in one stream; the server answers once it is durable. */
async function send(
  projectId: string,
  { file, preview, key }: Chosen,
  { name, deadline }: { name: string; deadline: string },
): Promise<Sent> {
  const query = new URLSearchParams({ name, format: preview.format });
  if (deadline !== '') {
    query.set('deadline', new Date(deadline).toISOString());
  }
  try {
    const response = await authorisedFetch(`/v1/projects/${encodeURIComponent(projectId)}/batches?${query}`, {
      method: 'POST',
      headers: { 'idempotency-key': key },
      body: file,
    });
    const answer: { id?: string; message?: string; issues?: { message: string }[] } = await response.json();
    if (response.ok && answer.id !== undefined) {
      return { batchId: answer.id };
    }
    return {
      fault:
        answer.issues?.map(({ message }) => message).join(' ') ||
        (answer.message ?? 'The server refused it.'),
    };
  } catch {
    return { fault: 'The server cannot be reached. Nothing is lost: “Upload” sends the same file again.' };
  }
}
