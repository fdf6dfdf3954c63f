import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { openSocket } from '../../src/live/socket.js';
import { textFrame } from '../../src/live/text-frame.js';
import { silentLog } from './waiting.js';

// What a socket hears after we have closed it, and from somebody who asks and does not read; and in which order it tells.

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) {
    await close();
  }
});

async function pair() {
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const coming = once(server, 'connection');
  const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`, {
    perMessageDeflate: false,
  });
  const [[socket, request]] = await Promise.all([coming, once(client, 'open')]);
  opened.push(() => {
    client.terminate();
    socket.terminate();
    server.close();
    http.close();
  });
  const port = openSocket(socket, { stream: request.socket, log: silentLog, pingMs: 60_000 });
  return { client, socket: socket as WebSocket, stream: request.socket as Socket, port };
}

test('what comes on a socket that we have closed is not heard, however long its peer takes to answer', async () => {
  const { client, socket, port } = await pair();
  const heard: string[] = [];
  port.onMessage(async (data) => void heard.push(data));
  client.send('before');
  await once(socket, 'message');
  client.pause();
  port.close(4403, 'The access token has ended');
  client.send('after');
  const [data] = await once(socket, 'message');
  expect(String(data)).toBe('after');
  expect(heard).toEqual(['before']);
});

test('who asks and does not read is not read either until they do: what they are owed stays small, and comes whole', async () => {
  const { client, socket, port } = await pair();
  const ASKED = 600;
  let heard = 0;
  port.onMessage((data) => {
    heard += 1;
    return port.send(data);
  });
  let answered = 0;
  client.on('message', () => {
    answered += 1;
  });
  client.pause();
  for (let n = 0; n < ASKED; n++) {
    client.send('x'.repeat(64 * 1024));
  }
  await expect.poll(() => socket.isPaused).toBe(true);
  await expect.poll(() => client.bufferedAmount).toBeGreaterThan(0);
  expect(heard).toBeLessThan(ASKED);
  expect(socket.bufferedAmount).toBeLessThan(1024 * 1024);
  client.resume();
  await expect.poll(() => answered).toBe(ASKED);
});

test('what was pushed and is held back comes before what is sent after it, and before the end', async () => {
  const { client, port } = await pair();
  const heard: string[] = [];
  client.on('message', (data) => void heard.push(String(data)));
  void port.push(textFrame('1', 'st'));
  const sent = port.send('2nd');
  void port.push(textFrame('3', 'rd'));
  port.close(4403, 'The access token has ended');
  void port.push(textFrame('4', 'th'));
  const [code] = await once(client, 'close');
  await sent;
  expect(heard).toEqual(['1st', '2nd', '3rd']);
  expect(code).toBe(4403);
});

test('of one socket little is held back: what comes to much goes at once, and comes whole', async () => {
  const { client, stream, port } = await pair();
  const before = stream.bytesWritten;
  const FRAMES = 100;
  for (let n = 0; n < FRAMES; n++) {
    void port.push(textFrame('x', 'y'.repeat(999)));
  }
  expect(stream.bytesWritten - before).toBeGreaterThan((FRAMES - 20) * 1_000);
  let heard = 0;
  client.on('message', () => {
    heard += 1;
  });
  await expect.poll(() => heard).toBe(FRAMES);
  expect(port.hasRoom()).toBe(true);
});
