import { expect, test } from 'vitest';
import { parseIntake } from '../../src/services/projects/intake-parse.js';

async function* inChunks(content: Uint8Array, size: number) {
  for (let at = 0; at < content.byteLength; at += size) {
    yield content.subarray(at, at + size);
  }
}

/** Reads all of an upload, and gives how many rows there were. */
async function read(
  content: Uint8Array,
  { format, chunkBytes }: { format: 'JSONL' | 'CSV'; chunkBytes: number },
): Promise<number> {
  let rows = 0;
  for await (const _row of parseIntake(inChunks(content, chunkBytes), { format })) {
    rows += 1;
  }
  return rows;
}

test.each([
  [
    'JSONL',
    Buffer.from('\ufeff{"payload":"a"}\n', 'utf16le'),
    'The upload is UTF-16: save it as UTF-8 first',
  ],
  ['JSONL', Buffer.from('{"payload":"a"}\n', 'utf16le'), 'The upload is UTF-16: save it as UTF-8 first'],
  [
    'CSV',
    Buffer.from('\ufeffid,q\n1,a\n', 'utf16le').swap16(),
    'The upload is UTF-16: save it as UTF-8 first',
  ],
  ['CSV', Buffer.from('id,q\n1,a\n', 'utf16le').swap16(), 'The upload is UTF-16: save it as UTF-8 first'],
  [
    'JSONL',
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    'The upload is a picture (PNG) and no text',
  ],
  ['CSV', Buffer.from('504b0304140006000800', 'hex'), 'a spreadsheet (.xlsx) and no text'],
] as const)(
  '%s of what is no text is refused as a whole, with what to do: %#',
  async (format, content, said) => {
    for (const chunkBytes of [1, 7, 4096]) {
      await expect(read(content, { format, chunkBytes })).rejects.toThrow(said);
    }
  },
);
