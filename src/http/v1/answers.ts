import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { exportAnswers } from '../../services/projects/export.js';
import { exportedLines, resultLines } from '../../services/projects/export-lines.js';
import { exportResults } from '../../services/projects/export-results.js';
import type { Exchange } from '../exchange.js';
import { badRequest, notFound } from '../problem.js';
import { callerIn, idInPath } from './caller.js';

const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson; charset=utf-8' } as const;
type Format = keyof typeof TYPES;

/** 200 with every answer of a project as a file, without who gave it. One that breaks off is seen to: it has no end. */
export const getAnswers = (exchange: Exchange, opaque: string) => sendFile(exchange, opaque, 'answers');

/** 200 with what the answers of each finished task amount to. */
export const getResults = (exchange: Exchange, opaque: string) => sendFile(exchange, opaque, 'results');

async function sendFile(exchange: Exchange, opaque: string, what: 'answers' | 'results'): Promise<void> {
  const { app, viewer, load } = await callerIn(exchange, ['CUSTOMER', 'ANALYST', 'OPERATOR']);
  const project = await load.project.load(idInPath(exchange, 'Project', opaque).id);
  if (project === null) {
    throw notFound('There is no such project.');
  }
  const format = formatOf(exchange);
  const request = {
    tenantId: viewer.tenantId,
    projectId: project.id,
    idempotencyKey: project.idempotencyKey,
    actorId: viewer.identityId,
  };
  const options = { format, project: opaque, ids: app.ids, isAnonymous: true };
  const lines =
    what === 'answers'
      ? exportedLines(exportAnswers(app.db, request), options)
      : resultLines(exportResults(app.db, request), options);
  exchange.res.writeHead(200, {
    'Content-Type': TYPES[format],
    'Content-Disposition': `attachment; filename="${what}.${format}"`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  if (exchange.req.method === 'HEAD') {
    exchange.res.end();
    return;
  }
  await pipeline(Readable.from(lines), exchange.res);
}

function formatOf({ url }: Exchange): Format {
  const format = url.searchParams.get('format') ?? 'csv';
  if (format !== 'csv' && format !== 'jsonl') {
    throw badRequest('Say ?format=csv or ?format=jsonl.');
  }
  return format;
}
