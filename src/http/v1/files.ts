import type { OutgoingHttpHeaders } from 'node:http';
import type { Exchange } from '../exchange.js';
import { HttpProblem } from '../problem.js';

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(; ?charset=[\w-]{1,40})?$/;

/** What browsers may fetch a file of somebody's for: to read it, to save it, to show it as a picture. */
const DATA = ['empty', 'document', 'image', 'audio', 'video'];

/** @throws HttpProblem 403 where a page would run or embed what is somebody's data */
export function refuseToRun({ req }: Exchange): void {
  const use = req.headers['sec-fetch-dest'];
  if (typeof use === 'string' && !DATA.includes(use)) {
    throw new HttpProblem(
      403,
      'FORBIDDEN',
      'This is data: a page may read it, and neither run nor embed it.',
    );
  }
}

/** The bytes may be anything, so a browser must neither guess a type, nor run, nor show them as ours. */
export const fileHeaders = (name: string, { contentType, bytes }: { contentType: string; bytes: number }) =>
  ({
    'Content-Type': MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream',
    'Content-Length': bytes,
    'Content-Disposition': `attachment; filename="${name}"`,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cross-Origin-Resource-Policy': 'same-site',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  }) satisfies OutgoingHttpHeaders;
