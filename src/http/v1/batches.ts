import type { IncomingMessage } from 'node:http';
import type { Context } from '../../context.js';
import { parseInstant } from '../../resolvers/scalars.js';
import { InputInvalidError } from '../../services/access/errors.js';
import { createBatchFromUpload } from '../../services/projects/batches.js';
import type { Exchange } from '../exchange.js';
import { badRequest, HttpProblem, notFound } from '../problem.js';
import { callerIn, idInPath, sendJson } from './caller.js';
import { batchView } from './views.js';

/** An upload may take as long as it takes, but never be silent for this long. */
const SILENCE_MS = 30_000;
const FORMATS: Readonly<Record<string, 'JSONL' | 'CSV'>> = { jsonl: 'JSONL', csv: 'CSV' };

/** 202 once the upload is durable; its rows are read afterwards, and the faulty ones reported one by one. */
export async function uploadBatch(exchange: Exchange, opaque: string): Promise<void> {
  const ctx = await callerIn(exchange, ['CUSTOMER', 'OPERATOR']);
  const { app, viewer, load } = ctx;
  const upload = { projectId: idInPath(exchange, 'Project', opaque).id, ...headOf(exchange) };
  const parts = { db: app.db, store: app.payloads };
  const { batchId } = await createBatchFromUpload(parts, viewer, { ...upload, body: bytesOf(exchange.req) });
  const batch = await load.batch.load(batchId);
  if (batch === null) {
    throw new Error('A batch that was just created is not there.');
  }
  const view = await batchView(ctx, batch);
  exchange.res.setHeader('Location', `/v1/batches/${view.id}`);
  sendJson(exchange, 202, view);
}

/** 200 with a batch of the caller's. */
export async function getBatch(exchange: Exchange, opaque: string): Promise<void> {
  const ctx: Context = await callerIn(exchange, ['CUSTOMER', 'ANALYST', 'OPERATOR']);
  const batch = await ctx.load.batch.load(idInPath(exchange, 'Batch', opaque).id);
  if (batch === null) {
    throw notFound('There is no such batch.');
  }
  sendJson(exchange, 200, await batchView(ctx, batch));
}

/** What is said about an upload beside its bytes: in the query and in the header Idempotency-Key. */
function headOf({ req, url }: Exchange) {
  const { searchParams } = url;
  const format = FORMATS[searchParams.get('format') ?? ''];
  const key = req.headers['idempotency-key'];
  if (format === undefined) {
    throw badRequest('Say ?format=jsonl or ?format=csv.');
  }
  if (typeof key !== 'string' || key === '') {
    throw badRequest('Send a header "Idempotency-Key" of your making.');
  }
  const deadline = searchParams.get('deadline');
  return {
    format,
    idempotencyKey: key,
    name: searchParams.get('name') ?? '',
    deadline: deadline === null ? null : parseDeadline(deadline),
  };
}

function parseDeadline(text: string): Date {
  try {
    return parseInstant(text);
  } catch {
    throw new InputInvalidError([
      { path: '/deadline', message: 'Give an instant such as "2027-01-31T09:30:00Z".' },
    ]);
  }
}

/** The bytes as they arrive. A sender that goes silent, or away, ends the upload; nothing of it is kept. */
async function* bytesOf(req: IncomingMessage): AsyncGenerator<Uint8Array> {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new HttpProblem(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send the upload without Content-Encoding.');
  }
  const timeout = () => req.destroy(new HttpProblem(408, 'REQUEST_TIMEOUT', 'The upload went silent.'));
  const timer = setTimeout(timeout, SILENCE_MS);
  try {
    for await (const chunk of req) {
      timer.refresh();
      yield chunk as Buffer;
    }
  } finally {
    clearTimeout(timer);
  }
}
