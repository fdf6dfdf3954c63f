import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Watches for connections on which nobody has said anything: browsers and HTTP clients open some ahead of need. Node does
 * not take them for idle, so that a server that stops would wait for them. @returns what ends those that there are
 */
export function watchSilentConnections(http: Server): () => void {
  const open = new Set<Socket>();
  http.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return () => {
    for (const socket of open) {
      if (socket.bytesRead === 0) {
        socket.destroy();
      }
    }
  };
}
