import type { ChildProcess } from 'node:child_process';

/** The first address that the server prints: it listens from then on. */
export function firstUrl(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    server.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const url = /http:\/\/[\d.]+:\d+/.exec(printed)?.[0];
      if (url !== undefined) {
        resolve(url);
      }
    });
    server.once('exit', (code) => reject(new Error(`The server ended with ${code}:\n${printed}`)));
  });
}
