import { useEffect, useRef, useState } from 'react';
import { type Answered, freshKey, keepKey, sendFile, type Way } from './send-file.js';
import type { Chosen } from './upload-form.js';

type State =
  | { readonly kind: 'IDLE' }
  | { readonly kind: 'SENDING'; readonly way: Way | null }
  /** `isKnown`: the file is there already, as another batch than this would be. */
  | { readonly kind: 'FAULT'; readonly fault: string; readonly isKnown: boolean };

interface Wanted {
  readonly name: string;
  /** As it was typed, in the viewer's zone; empty: none. */
  readonly deadline: string;
  /** Whether it is to be a second batch of the same file. */
  readonly isAnother: boolean;
}

const NO_ANSWER = 'The server cannot be reached. Nothing is lost: “Upload” sends the same file again.';
const STOPPED = 'Stopped. “Upload” begins again, and makes no second batch where the first had arrived.';
const CHANGED = 'The file has changed since it was looked at, or is gone: choose it again.';
const KNOWN =
  'This file is there already, under the name and deadline that it was sent with before. Look at the batches above; send it again only if you want it twice.';

/** Sends a chosen file, says how far it is, and what became of it. Ended where the form is left. */
export function useSending(projectId: string, chosen: Chosen, onDone: (batchId: string) => void) {
  const [state, setState] = useState<State>({ kind: 'IDLE' });
  const stopper = useRef<AbortController | null>(null);
  const key = useRef(chosen.key);
  useEffect(() => () => stopper.current?.abort(), []);
  const fail = (fault: string, isKnown = false) => setState({ kind: 'FAULT', fault, isKnown });
  const send = async ({ name, deadline, isAnother }: Wanted) => {
    const at = instantOf(deadline);
    if (at === null) {
      fail('The deadline is no time that there is.');
      return;
    }
    key.current = isAnother ? freshKey() : key.current;
    const stop = new AbortController();
    stopper.current = stop;
    const query = new URLSearchParams({
      name,
      format: chosen.preview.format,
      ...(at === '' ? {} : { deadline: at }),
    });
    setState({ kind: 'SENDING', way: null });
    keepKey(projectId, chosen.file, key.current);
    try {
      const { status, body } = await sendFile({
        url: `/v1/projects/${encodeURIComponent(projectId)}/batches?${query}`,
        file: chosen.file,
        key: key.current,
        onWay: (way) => setState({ kind: 'SENDING', way }),
        signal: stop.signal,
      });
      if (status < 500) {
        keepKey(projectId, chosen.file, null);
      }
      if (status < 300 && body.id !== undefined) {
        onDone(body.id);
      } else {
        fail(faultOf({ status, body }), body.code === 'IDEMPOTENCY_CONFLICT');
      }
    } catch {
      fail(stop.signal.aborted ? STOPPED : (await isReadable(chosen.file)) ? NO_ANSWER : CHANGED);
    }
  };
  return { state, send, stop: () => stopper.current?.abort() };
}

/** Browsers send nothing of a file that is another than the one that was chosen, and do not say why. */
async function isReadable(file: File): Promise<boolean> {
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
}

/** Empty where nothing was typed; null where it is no time. */
function instantOf(typed: string): string | null {
  const at = new Date(typed);
  return typed === '' ? '' : Number.isNaN(at.getTime()) ? null : at.toISOString();
}

function faultOf({ body: { code, message, issues } }: Answered): string {
  if (code === 'IDEMPOTENCY_CONFLICT') {
    return KNOWN;
  }
  return issues?.map((issue) => issue.message).join(' ') || (message ?? 'The server refused it.');
}
