// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { textFrame, utf8Of } from '../../src/live/text-frame.js';

// Frames that are written beside those of `ws`, at each border of their lengths.

test('what is framed by hand is read as what it was, between frames of ws', async () => {
  const texts = [0, 1, 125, 126, 127, 65_535, 65_536, 200_000].map((length) => 'x'.repeat(length));
  texts.push('grüße, 東京, 🙂');
  const http = createServer();
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (socket, request) => {
    for (const text of texts) {
      request.socket.write(textFrame(utf8Of(text.slice(0, 6)), utf8Of(text.slice(6))), 'latin1');
      socket.send('between');
    }
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.terminate();
    http.close();
  });
  const heard: string[] = [];
  await new Promise<void>((resolve) => {
    client.on('message', (data) => {
      heard.push(String(data));
      if (heard.length === texts.length * 2) {
        resolve();
      }
    });
  });
  expect(heard).toEqual(texts.flatMap((text) => [text, 'between']));
});
