import { type IntakeOptions, parseIntake } from '../../../src/services/projects/intake-parse.js';
import { type IntakeRow, isFault } from '../../../src/services/projects/intake-row.js';

async function* inChunks(content: Uint8Array, size: number) {
  for (let at = 0; at < content.byteLength; at += size) {
    yield content.subarray(at, at + size);
  }
}

/** The rows of an upload that comes in chunks of so many bytes. */
export async function parse(content: string | Uint8Array, options: IntakeOptions, chunkBytes = 7) {
  const rows: IntakeRow[] = [];
  for await (const row of parseIntake(inChunks(Buffer.from(content), chunkBytes), options)) {
    rows.push(row);
  }
  return rows;
}

/** `line: reason` of faults, `line: external id = payload` of tasks. */
export const brief = (rows: IntakeRow[]) =>
  rows.map((row) =>
    isFault(row)
      ? `${row.line}: ${row.reason}`
      : `${row.line}: ${row.externalId} = ${Buffer.from(row.payload).toString()}`,
  );
