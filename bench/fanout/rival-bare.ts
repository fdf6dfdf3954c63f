// Beside ours: a bare `ws` broadcast of the same bytes, with nothing behind it.
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { publishing } from './publishing.js';

const listeners = new Map<string, WebSocket[]>();
const ids = new Map<string, string>();
const server: WebSocketServer = new WebSocketServer(
  { port: 0, host: '127.0.0.1', perMessageDeflate: false },
  () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
server.on('connection', (socket: WebSocket) => {
  socket.on('message', (data) => {
    const { type, id, payload } = JSON.parse(String(data));
    if (type === 'connection_init') {
      socket.send('{"type":"connection_ack"}');
    } else {
      const topic = payload.variables.id;
      ids.set(topic, id);
      listeners.set(topic, [...(listeners.get(topic) ?? []), socket]);
    }
  });
});

publishing((topic, item) => {
  const message = JSON.stringify({ id: topic, type: 'next', payload: { data: { leaseEvents: item } } });
  for (const socket of listeners.get(topic) ?? []) {
    socket.send(message);
  }
});
