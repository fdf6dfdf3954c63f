import type { Database } from '../platform/database.js';
import { pgQueryable } from '../platform/pg-queryable.js';
import type { StreamHead } from './bus.js';
import { eventsAfterEach, type FoundEvent, headsOf, untoldEvents } from './events.sql.js';
import type { Position, StreamName } from './stream-types.js';

export type { FoundEvent } from './events.sql.js';
export type { Position, StreamEvent, StreamName } from './stream-types.js';

/** Streams as PostgreSQL has them, of every tenant: whoever reads has asked first whether the viewer may. */
export interface StreamStore {
  /** Where streams stand, in the order given: before its first event one that had none yet in this epoch. */
  heads(streams: readonly StreamName[]): Promise<StreamHead[]>;
  /** Numbered events after each of some positions, of their epochs, in order, at most `limitEach` of each. */
  afterEach(froms: readonly (StreamName & Position)[], limitEach: number): Promise<FoundEvent[]>;
}

/** Reads on the pool of background work, apart from requests. */
export function createStreamStore({ systemPool }: Database): StreamStore {
  const db = pgQueryable(systemPool);
  return {
    heads: (streams) => headsOf(db, streams),
    afterEach: (froms, limitEach) => eventsAfterEach(db, froms, limitEach),
  };
}

/** What has happened in a stream and will yet be told to whoever stands at a position of it: for beginnings that tell nothing twice. */
export const untold = (
  { systemPool }: Pick<Database, 'systemPool'>,
  from: StreamName & Position,
): Promise<{ readonly kind: string; readonly body: string }[]> => untoldEvents(pgQueryable(systemPool), from);
