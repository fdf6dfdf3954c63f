import { keep, kept } from '../api/kept.js';
import { session } from '../api/session.js';

/** How far a file is on its way. */
export interface Way {
  readonly sentBytes: number;
  readonly ofBytes: number;
}

interface Sending {
  /** With its query. */
  readonly url: string;
  readonly file: File;
  /** The request's idempotency key. */
  readonly key: string;
  readonly onWay: (way: Way) => void;
  readonly signal: AbortSignal;
}

/** What a server said to a file. */
export interface Answered {
  readonly status: number;
  readonly body: {
    readonly id?: string;
    readonly code?: string;
    readonly message?: string;
    readonly issues?: readonly { readonly message: string }[];
  };
}

/**
 * Sends a file as it is, in one stream. `fetch` tells nothing of how far it is. Where the token has ended it is sent again with the
 * next one.
 * @throws where no answer came, or the signal ended it
 */
export async function sendFile(sending: Sending): Promise<Answered> {
  let token = await session.token({ refused: null });
  for (;;) {
    const answer = await once(sending, token);
    if (answer.status !== 401) {
      return answer;
    }
    token = await session.token({ refused: token });
  }
}

function once({ url, file, key, onWay, signal }: Sending, token: string): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = () => reject(signal.aborted ? signal.reason : new Error('There was no answer.'));
    request.open('POST', url);
    request.setRequestHeader('authorization', `Bearer ${token}`);
    request.setRequestHeader('idempotency-key', key);
    request.upload.onprogress = ({ loaded, total }) => onWay({ sentBytes: loaded, ofBytes: total });
    request.onload = () => resolve({ status: request.status, body: bodyOf(request.responseText) });
    request.onerror = fail;
    request.onabort = fail;
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

function bodyOf(text: string): Answered['body'] {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}

const nameOf = (projectId: string, { name, size, lastModified }: File): string =>
  `touchstone.upload.${projectId}.${size}.${lastModified}.${name}`;

/** Under what key to send a file: that of a time before to which no answer came, also before a reload, else a fresh one. */
export const keyFor = (projectId: string, file: File): string => kept(nameOf(projectId, file)) ?? freshKey();

/** From now on it is not certain whether the file has arrived; with null it is. */
export const keepKey = (projectId: string, file: File, key: string | null): void => {
  keep(nameOf(projectId, file), key);
};

/** An idempotency key; also where the page came over plain http, in which browsers make no UUIDs. */
export const freshKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
