import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { StartupError } from '../runtime/startup-error.js';

/** The bytes of a file that a command was given. Throws StartupError before anything else is done if it cannot be read. */
export async function readableFile(file: string): Promise<AsyncIterable<Uint8Array>> {
  if ((await stat(file).catch(() => null))?.isDirectory()) {
    throw new StartupError(`${file} is a directory.`, 'Give the path of a CSV file.');
  }
  const stream = createReadStream(file);
  return new Promise((found, missing) => {
    stream.once('open', () => found(stream));
    stream.once('error', (error: NodeJS.ErrnoException) =>
      missing(new StartupError(`${file} cannot be read (${error.code}).`, 'Give the path of a CSV file.')),
    );
  });
}
