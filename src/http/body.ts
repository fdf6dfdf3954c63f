import type { IncomingMessage } from 'node:http';
import { badRequest, HttpProblem } from './problem.js';

/** The largest JSON body: what a batch may have inline, and the largest of any GraphQL request. */
export const JSON_BYTES_MAX = 1_048_576;
/** Room for the rest of the request around an inline batch of exactly the limit. */
const BYTES_MAX = JSON_BYTES_MAX + 65_536;
/** A JSON body arrives within this time; slower senders hold a connection for nothing. */
const ARRIVAL_MS = 15_000;

/** What is too large is read away for so long before it is refused. */
const READ_AWAY_MS = 2_000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Reads a whole body as text.
 * @throws HttpProblem 413 beyond the limit, 408 when it takes too long, 415 when it is compressed, 400 when it is not UTF-8
 */
export async function readText(req: IncomingMessage): Promise<string> {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new HttpProblem(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding.');
  }
  const bytes = await readBytes(req).catch(async (error: unknown) => {
    if (error instanceof HttpProblem && error.status === 413) {
      await readAway(req);
    }
    throw error;
  });
  try {
    return utf8.decode(bytes);
  } catch {
    throw badRequest('The body is not valid UTF-8.');
  }
}

/** Reads a JSON body. @throws HttpProblem as {@link readText}, 415 for another type, 400 for what is not JSON */
export async function readJson(req: IncomingMessage): Promise<unknown> {
  const type = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new HttpProblem(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send JSON with "Content-Type: application/json".');
  }
  const text = await readText(req);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badRequest('The body is not valid JSON.');
  }
}

function readBytes(req: IncomingMessage): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > BYTES_MAX) {
    return Promise.reject(tooLarge());
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => {
      fail(new HttpProblem(408, 'REQUEST_TIMEOUT', 'The body did not arrive in time.'));
    }, ARRIVAL_MS);
    const settle = () => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('error', fail).off('close', onClose);
    };
    const fail = (error: Error) => {
      settle();
      reject(error);
    };
    const onClose = () => fail(badRequest('The connection ended before the body did.'));
    const onEnd = () => {
      settle();
      resolve(Buffer.concat(chunks));
    };
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > BYTES_MAX) {
        fail(tooLarge());
      } else {
        chunks.push(chunk);
      }
    };
    req.on('data', onData).on('end', onEnd).on('error', fail).on('close', onClose);
  });
}

/**
 * Many clients look at an answer only once they have sent their body: an answer that closes the connection under them
 * is a broken pipe and not a refusal. So the rest is taken and dropped first, for a while.
 */
function readAway(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      req.off('end', done).off('error', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(done, READ_AWAY_MS);
    if (req.complete || req.destroyed) {
      done();
      return;
    }
    req.on('end', done).on('error', done).on('close', done);
    req.resume();
  });
}

function tooLarge(): HttpProblem {
  return new HttpProblem(413, 'PAYLOAD_TOO_LARGE', {
    message: `A body may have at most ${JSON_BYTES_MAX} bytes. Upload large batches as a stream.`,
    headers: { Connection: 'close' },
  });
}
