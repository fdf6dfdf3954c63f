import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

/** A span as a collector is sent it, its attributes as an object. */
export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly links: readonly string[];
}

/** A collector of traces: an HTTP server that takes OTLP in JSON. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything that was sent, as it was sent. */
  readonly text: string;
}

/** Listens while the tests of the calling file run. Call it before what is to find it. */
export function useOtlpReceiver(): OtlpReceiver {
  const texts: string[] = [];
  const server = createServer((req, res) => {
    void read(req).then((text) => {
      if (req.url === '/v1/traces' && req.headers['content-type'] === 'application/json') {
        texts.push(text);
      }
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    get spans() {
      return texts.flatMap(spansIn);
    },
    get text() {
      return texts.join('\n');
    },
  };
}

async function read(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes?: Pair[];
  readonly links?: { readonly traceId: string }[];
}

interface Sent {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: Pair[] };
    readonly scopeSpans: { readonly spans: SentSpan[] }[];
  }[];
}

function spansIn(text: string): ReceivedSpan[] {
  return (JSON.parse(text) as Sent).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ parentSpanId = '', attributes = [], links = [], ...span }) => ({
        ...span,
        parentSpanId,
        attributes: objectOf(attributes),
        resource: objectOf(resource.attributes),
        links: links.map(({ traceId }) => traceId),
      })),
  );
}

const objectOf = (pairs: readonly Pair[]) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
