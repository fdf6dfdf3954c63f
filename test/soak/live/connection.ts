import { on, once } from 'node:events';
import { WebSocket } from 'ws';

/** One item of a subscription, as its client got it. */
export interface Item {
  readonly cursor: string;
  readonly reset: boolean;
  readonly [field: string]: unknown;
}

/** A subscription of one field that takes `$after`. */
export interface Asked {
  readonly url: string;
  readonly token: string;
  readonly field: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The cursor to go on from. */
  readonly after: string | null;
  /** Aborts when the client leaves, without a word. */
  readonly leave: AbortSignal;
}

/** Items until the server ends it, the connection breaks, or the client leaves. An error that the server tells is thrown. */
export type Connect = (asked: Asked) => AsyncGenerator<Item, undefined>;

/** Over a WebSocket, protocol graphql-transport-ws; the cursor as `after`. */
export async function* overSocket(asked: Asked): AsyncGenerator<Item, undefined> {
  const socket = new WebSocket(`${asked.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => undefined);
  const leave = () => socket.terminate();
  asked.leave.addEventListener('abort', leave, { once: true });
  const send = (message: object) => socket.send(JSON.stringify(message));
  try {
    const messages = on(socket, 'message', { close: ['close'] });
    await once(socket, 'open', { signal: asked.leave });
    send({ type: 'connection_init', payload: { authorization: `Bearer ${asked.token}` } });
    for await (const [data] of messages) {
      const { type, payload } = JSON.parse(String(data));
      if (type === 'connection_ack') {
        const variables = { ...asked.variables, after: asked.after };
        send({ id: '1', type: 'subscribe', payload: { query: asked.query, variables } });
      } else if (type === 'next') {
        yield itemOf(payload, asked);
      } else {
        return;
      }
    }
  } finally {
    asked.leave.removeEventListener('abort', leave);
    socket.terminate();
  }
}

/** As server-sent events; the cursor as `Last-Event-ID`. */
export async function* overEventStream(asked: Asked): AsyncGenerator<Item, undefined> {
  const { query, variables, token, after, leave } = asked;
  const given = new URLSearchParams({ query, variables: JSON.stringify({ ...variables, after: null }) });
  const response = await fetch(`${asked.url}/graphql?${given}`, {
    signal: leave,
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${token}`,
      ...(after === null ? {} : { 'last-event-id': after }),
    },
  });
  let text = '';
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) {
        const item = itemOf(JSON.parse(data), asked);
        if (!block.includes(`id: ${item.cursor}\n`)) {
          throw new Error(`An event has another id than its cursor: ${block}`);
        }
        yield item;
      }
    }
  }
}

function itemOf({ data }: { data?: Record<string, Item> | null }, { field }: Asked): Item {
  const item = data?.[field];
  if (item === undefined) {
    throw new Error('The server told an error instead of an item.');
  }
  return item;
}
