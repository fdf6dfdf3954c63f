import {
  type TimedAnswer,
  type TimedBatch,
  timedBatch,
} from '../../services/forecast/backtest/timed-batch.js';
import { readColumns } from '../../services/projects/crowd-columns.js';
import type { IntakeFault } from '../../services/projects/intake-row.js';

/** A log of answers with their times. */
export interface TimedLog {
  readonly batches: readonly TimedBatch[];
  readonly answers: number;
  /** Rows that are no answers. */
  readonly faults: readonly IntakeFault[];
}

const COLUMNS = {
  batch: { longest: 500 },
  started_at: { longest: 40 },
  created_at: { longest: 40 },
};

/**
 * Reads a CSV with the columns batch, started_at and created_at, in any order; others are ignored. A time is seconds,
 * milliseconds, microseconds or nanoseconds since 1970, or as ISO 8601 writes it (UTC where it names no zone). Throws CrowdFileError for a header that
 * gives the rows no meaning.
 */
export async function readTimedLog(source: AsyncIterable<Uint8Array>): Promise<TimedLog> {
  const byBatch = new Map<string, TimedAnswer[]>();
  const faults: IntakeFault[] = [];
  let answers = 0;
  for await (const row of readColumns(source, COLUMNS)) {
    const answer = 'reason' in row ? row : answerOf(row);
    if ('reason' in answer) {
      faults.push(answer);
    } else {
      answers += 1;
      const { batch } = answer;
      const of = byBatch.get(batch) ?? [];
      of.push(answer);
      byBatch.set(batch, of);
    }
  }
  return { batches: [...byBatch].map(([name, of]) => timedBatch(name, of)), answers, faults };
}

function answerOf({
  line,
  cells,
}: {
  line: number;
  cells: Readonly<Record<keyof typeof COLUMNS, string>>;
}): (TimedAnswer & { readonly batch: string }) | IntakeFault {
  const startedAt = secondsOf(cells.started_at);
  const createdAt = secondsOf(cells.created_at);
  if (startedAt === null || createdAt === null) {
    const cell = startedAt === null ? 'started_at' : 'created_at';
    return { line, reason: `The row has a ${cell} that is no time: "${cells[cell]}".` };
  }
  return startedAt > createdAt
    ? { line, reason: 'The row has an answer that came before it was begun.' }
    : { batch: cells.batch, startedAt, createdAt };
}

const NUMBER = /^\d+(\.\d*)?(e\+?\d+)?$/i;
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$/i;
/** As seconds this would be the year 5138; and each finer unit begins where the coarser one would be as far. */
const FINER_FROM = 1e11;

/** Seconds since 1970; null for what is no moment. */
function secondsOf(cell: string): number | null {
  const text = cell.trim();
  return NUMBER.test(text) ? inSeconds(Number(text)) : isoSeconds(text);
}

/** Seconds, milliseconds, microseconds or nanoseconds, by how many they are. */
function inSeconds(value: number): number | null {
  let seconds = value;
  for (let finer = 0; finer < 3 && seconds >= FINER_FROM; finer += 1) {
    seconds /= 1_000;
  }
  return seconds < FINER_FROM ? seconds : null;
}

function isoSeconds(text: string): number | null {
  const [, date, time = '00:00', zone = 'Z'] = ISO.exec(text) ?? [];
  if (date === undefined) {
    return null;
  }
  const [, sign = '', hours = '', minutes = '00'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  const millis = Date.parse(`${date}T${time}${sign === '' ? 'Z' : `${sign}${hours}:${minutes}`}`);
  return Number.isNaN(millis) ? null : millis / 1_000;
}
