import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A bare socket, acknowledged unless told otherwise. */
export async function openBareSocket(url: string, { init = true }: { init?: boolean } = {}) {
  const raw = new WebSocket(url, 'graphql-transport-ws');
  const closed = once(raw, 'close').then(([code]) => Number(code));
  const messages: { id?: string; type: string; payload?: never }[] = [];
  const waiting: (() => void)[] = [];
  raw.on('message', (data) => {
    messages.push(JSON.parse(String(data)));
    for (const wake of waiting.splice(0)) {
      wake();
    }
  });
  const message = async (type: string, id?: string) => {
    for (;;) {
      const found = messages.find((one) => one.type === type && (id === undefined || one.id === id));
      if (found !== undefined) {
        messages.splice(messages.indexOf(found), 1);
        return found;
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const send = (what: object) => raw.send(JSON.stringify(what));
  const subscribe = (id: string, query: string) => send({ id, type: 'subscribe', payload: { query } });
  await once(raw, 'open');
  if (init) {
    send({ type: 'connection_init', payload: { authorization: 'Bearer 600000' } });
    await message('connection_ack');
  }
  return { raw, send, subscribe, message, messages, closed };
}

/** The status of a handshake. */
export async function handshake(url: string, origin: string | null): Promise<number> {
  const raw = new WebSocket(url, 'graphql-transport-ws', origin === null ? {} : { origin });
  raw.on('error', () => undefined);
  const status = await Promise.race([
    once(raw, 'open').then(() => 101),
    once(raw, 'unexpected-response').then(([, response]) => Number(response.statusCode)),
  ]);
  raw.terminate();
  return status;
}
