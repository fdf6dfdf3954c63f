/** One record of an upload as it was sent: a line of JSONL, or a row of CSV, which may span lines. */
export interface RawRecord {
  /** Line of the file on which the record begins, from 1. */
  readonly line: number;
  /** Its bytes without the line break; null where there were more than MAX_RECORD_BYTES of them. */
  readonly bytes: Buffer | null;
  /** The file ended inside a quoted field. */
  readonly openQuote: boolean;
}

export type RecordFormat = 'JSONL' | 'CSV';

/** Longer records are skipped and reported; with it, memory is bounded whatever arrives. */
export const MAX_RECORD_BYTES = 1024 * 1024;

const [NEWLINE, RETURN, QUOTE, COMMA] = [0x0a, 0x0d, 0x22, 0x2c];
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Cuts a stream of bytes into records, without blank ones. Cutting is all it does: what a record means, and whether
 * it is right, is decided record by record, so that a broken one costs only itself, and skipping to where a killed
 * job went on costs no parsing.
 */
export async function* records(
  source: AsyncIterable<Uint8Array>,
  format: RecordFormat,
): AsyncGenerator<RawRecord> {
  const cutter = new RecordCutter(format);
  for await (const chunk of withoutByteOrderMark(source)) {
    yield* cutter.push(chunk);
  }
  yield* cutter.end();
}

/** Where in a CSV row the cutter is. A quote opens only at the start of a field (RFC 4180). */
type QuoteState = 'FIELD_START' | 'PLAIN' | 'QUOTED' | 'QUOTE_IN_QUOTED';

class RecordCutter {
  private readonly findEnd: (chunk: Buffer, from: number) => number;
  private parts: Buffer[] = [];
  private size = 0;
  private line = 1;
  private firstLine = 1;
  private state: QuoteState = 'FIELD_START';

  constructor(format: RecordFormat) {
    this.findEnd =
      format === 'CSV'
        ? (chunk, from) => this.endOfRow(chunk, from)
        : (chunk, from) => chunk.indexOf(NEWLINE, from);
  }

  push(chunk: Buffer): RawRecord[] {
    const found: RawRecord[] = [];
    let from = 0;
    for (let end = this.findEnd(chunk, 0); end >= 0; end = this.findEnd(chunk, from)) {
      this.keep(chunk.subarray(from, end));
      this.line += 1;
      found.push(...this.take());
      from = end + 1;
    }
    this.keep(chunk.subarray(from));
    return found;
  }

  end(): RawRecord[] {
    return this.take();
  }

  private keep(part: Buffer): void {
    this.size += part.byteLength;
    if (this.size <= MAX_RECORD_BYTES) {
      this.parts.push(part);
    } else {
      this.parts = [];
    }
  }

  private take(): RawRecord[] {
    const bytes = this.size <= MAX_RECORD_BYTES ? trimmed(Buffer.concat(this.parts)) : null;
    const record = { line: this.firstLine, bytes, openQuote: this.state === 'QUOTED' };
    this.parts = [];
    this.size = 0;
    this.state = 'FIELD_START';
    this.firstLine = this.line;
    return bytes !== null && isBlank(bytes) ? [] : [record];
  }

  private endOfRow(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.byteLength; at += 1) {
      const byte = chunk[at];
      if (byte === NEWLINE && this.state !== 'QUOTED') {
        return at;
      }
      if (byte === NEWLINE) {
        this.line += 1;
      }
      this.state = nextState(this.state, byte);
    }
    return -1;
  }
}

function nextState(state: QuoteState, byte: number | undefined): QuoteState {
  if (state === 'QUOTED') {
    return byte === QUOTE ? 'QUOTE_IN_QUOTED' : 'QUOTED';
  }
  if (byte === QUOTE) {
    // Twice inside quotes is a quote; at the start of a field it opens; elsewhere it is a fault of this row alone.
    return state === 'PLAIN' ? 'PLAIN' : 'QUOTED';
  }
  return byte === COMMA ? 'FIELD_START' : 'PLAIN';
}

function trimmed(bytes: Buffer): Buffer {
  return bytes.at(-1) === RETURN ? bytes.subarray(0, -1) : bytes;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === RETURN);
}

async function* withoutByteOrderMark(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let start: Buffer | null = Buffer.alloc(0);
  for await (const arrived of source) {
    const chunk = Buffer.from(arrived.buffer, arrived.byteOffset, arrived.byteLength);
    if (start === null) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.byteLength >= BYTE_ORDER_MARK.byteLength) {
      yield start.subarray(0, 3).equals(BYTE_ORDER_MARK) ? start.subarray(3) : start;
      start = null;
    }
  }
  if (start !== null && start.byteLength > 0) {
    yield start;
  }
}
