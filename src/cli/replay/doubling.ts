import { isDeepStrictEqual } from 'node:util';
import type { Fetch, FetchInit, FetchResponse } from '../../client/transport.js';
import type { Random } from '../../services/platform/random.js';

export interface Doubling {
  /** Share of requests that are sent twice at once. */
  readonly share: number;
  readonly random: Random;
  /** Told of each request that was sent twice; `receipts` is false where two receipts differ. */
  readonly onDoubled: (pair: { readonly sameReceipt: boolean }) => void;
}

/**
 * Sends a share of requests twice at the same moment, as a nervous finger or a retrying proxy does. The caller gets
 * the first answer that came; both have come before it goes on, so that the twin of an old request never claims late.
 */
export function doubled(fetch: Fetch, { share, random, onDoubled }: Doubling): Fetch {
  return async (url, init) => {
    if (random() >= share) {
      return fetch(url, init);
    }
    const twins = await Promise.allSettled([read(fetch, url, init), read(fetch, url, init)]);
    const answers = twins.flatMap((twin) => (twin.status === 'fulfilled' ? [twin.value] : []));
    const [one, other] = answers;
    if (one === undefined) {
      throw twins.find((twin) => twin.status === 'rejected')?.reason;
    }
    onDoubled({ sameReceipt: other === undefined || isSameReceipt(one.body, other.body) });
    return responseOf(one);
  };
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

async function read(fetch: Fetch, url: string, init: FetchInit): Promise<Answer> {
  const response = await fetch(url, init);
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: await response.text(),
  };
}

function responseOf({ status, retryAfter, body }: Answer): FetchResponse {
  return {
    status,
    headers: { get: (name) => (name.toLowerCase() === 'retry-after' ? retryAfter : null) },
    text: async () => body,
  };
}

/** Where both answers hold a receipt it must be one and the same; anything else is judged by the client. */
function isSameReceipt(one: string, other: string): boolean {
  const [first, second] = [receiptIn(one), receiptIn(other)];
  return first === null || second === null || isDeepStrictEqual(first, second);
}

function receiptIn(body: string): unknown {
  if (!body.includes('"receipt"')) {
    return null;
  }
  try {
    const { data } = JSON.parse(body) as { data?: { submit?: { receipt?: unknown } } };
    return data?.submit?.receipt ?? null;
  } catch {
    return null;
  }
}
