import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Settings } from '../../../src/services/projects/payload-store-s3.js';

/** The part of s3rver (it has no types) that we use. */
interface S3rver {
  configureBuckets(): Promise<unknown>;
  getMiddleware(): RequestListener;
}
type S3rverOptions = { directory: string; silent: boolean; configureBuckets: { name: string }[] };
const S3rver: new (options: S3rverOptions) => S3rver = createRequire(import.meta.url)('s3rver');

/** A real S3-speaking server on a free port, whose requests can be made to fail. */
export interface S3Server extends AsyncDisposable {
  readonly settings: S3Settings;
  readonly directory: string;
  /** Answers the next request of this method with this status instead of serving it. */
  failNext(method: string, status: number): void;
  /** Requests served or failed so far, such as `PUT`. */
  readonly seen: string[];
}

export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-s3-'));
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: 'payloads' }] });
  await s3.configureBuckets();
  const failures: { method: string; status: number }[] = [];
  const seen: string[] = [];
  const serve = s3.getMiddleware();
  const http = createServer((request: IncomingMessage, response: ServerResponse) => {
    seen.push(request.method ?? '');
    const at = failures.findIndex(({ method }) => method === request.method);
    const failure = at < 0 ? undefined : failures.splice(at, 1)[0];
    if (failure === undefined) {
      serve(request, response);
    } else {
      request.resume().on('end', () => response.writeHead(failure.status).end());
    }
  });
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening));
  const { port } = http.address() as AddressInfo;
  return {
    directory,
    seen,
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      bucket: 'payloads',
      region: 'us-east-1',
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
    },
    failNext: (method, status) => failures.push({ method, status }),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
