import { withRetries } from '../../../src/client/backoff.js';
import { ClientError } from '../../../src/client/errors.js';
import type { HeldAssignment } from '../../../src/client/held.js';
import { DESK_RETRY } from '../work/desk-client.js';

/** What a task shows, by how it is to be shown. Whatever it says is the customer's, and trusted in nothing. */
export type Payload =
  | { readonly kind: 'TEXT'; readonly text: string }
  | { readonly kind: 'MARKDOWN'; readonly text: string }
  | { readonly kind: 'CODE'; readonly text: string; readonly language: string }
  | { readonly kind: 'HTML'; readonly text: string }
  | { readonly kind: 'JSON'; readonly value: unknown; readonly text: string }
  | { readonly kind: 'IMAGE'; readonly blob: Blob }
  | { readonly kind: 'FILE'; readonly blob: Blob; readonly type: string };

const IMAGE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;
const CODE =
  /^(?:text|application)\/(?:x-)?(javascript|typescript|python|sql|css|java|go|rust|csrc|c|c\+\+|sh|yaml|toml|diff|xml)$/;

/** Reads a payload. Tries again while there is no network. @throws ClientError */
export async function loadPayload(held: HeldAssignment, signal: AbortSignal): Promise<Payload> {
  if (held.payloadUrl === null) {
    throw new ClientError('REJECTED', 'The server gave no address for this task’s payload.');
  }
  // By its path: these pages and the payloads are served by the same server, whatever name it is called by.
  const { pathname } = new URL(held.payloadUrl, location.href);
  return withRetries(DESK_RETRY, () => read(pathname, held.task.contentType, signal), { signal });
}

async function read(path: string, contentType: string, signal: AbortSignal): Promise<Payload> {
  const response = await fetch(path, { signal, credentials: 'omit' }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new ClientError('NETWORK', 'The payload cannot be reached.', { cause: error });
  });
  if (!response.ok) {
    const kind = response.status >= 500 || response.status === 429 ? 'UNAVAILABLE' : 'REJECTED';
    throw new ClientError(kind, `The payload was refused (status ${response.status}).`);
  }
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (IMAGE.test(type)) {
    return { kind: 'IMAGE', blob: new Blob([await response.arrayBuffer()], { type }) };
  }
  return isText(type)
    ? textual(type, await response.text())
    : { kind: 'FILE', blob: await response.blob(), type };
}

const isText = (type: string): boolean =>
  type.startsWith('text/') || /[/+]json$/.test(type) || CODE.test(type) || type === '';

function textual(type: string, text: string): Payload {
  if (/[/+]json$/.test(type)) {
    return json(text);
  }
  if (type === 'text/markdown') {
    return { kind: 'MARKDOWN', text };
  }
  if (type === 'text/html') {
    return { kind: 'HTML', text };
  }
  const language = CODE.exec(type)?.[1];
  return language === undefined ? { kind: 'TEXT', text } : { kind: 'CODE', text, language };
}

function json(text: string): Payload {
  try {
    return { kind: 'JSON', value: JSON.parse(text), text };
  } catch {
    return { kind: 'TEXT', text };
  }
}
