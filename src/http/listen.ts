import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../runtime/config.js';
import { errorCode, StartupError } from '../runtime/startup-error.js';

type Place = Pick<Config, 'host' | 'port'>;

/** Connections that may wait to be taken: Node's 511 are too few for a crowd that comes in one moment. The system may hold less. */
const BACKLOG = 4_096;

/** Listens, and answers the URL. @throws StartupError where the port or address cannot be had */
export function listen(http: Server, place: Place): Promise<string> {
  return new Promise((resolve, reject) => {
    http.once('error', (error) => reject(explain(error, place)));
    http.listen({ port: place.port, host: place.host, backlog: BACKLOG }, () => {
      const address = http.address() as AddressInfo;
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      resolve(`http://${name}:${address.port}`);
    });
  });
}

function explain(error: Error, { host, port }: Place): Error {
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} of ${host} is in use by another program.`,
        'Stop that program, or choose another port: --port 0 takes any that is free.',
        { cause: error },
      );
    case 'EACCES':
      return new StartupError(`This user may not listen on port ${port}.`, 'Choose a port above 1023.', {
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(`${host} is no address of this machine.`, 'Correct HOST, or unset it.', {
        cause: error,
      });
    default:
      return error;
  }
}
