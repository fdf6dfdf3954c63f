import { type Database, withService } from '../platform/database.js';
import type { Assignable } from './assign.sql.js';
import type { Dispatch } from './ports.js';
import type { InStage } from './stages.js';

/** What assigning stands on. */
export interface Assigning {
  readonly db: Database;
  readonly dispatch: Dispatch;
  /** Measures what a decision consists of. */
  readonly inStage: InStage;
}

/** On whose behalf; nobody's: by itself. */
export interface Actor {
  readonly tenantId: bigint;
  readonly actorId: bigint | null;
  /** After that nobody else is looked at; absent: however long it takes. */
  readonly until?: AbortSignal;
}

/** For what somebody is looked for, and on whose behalf. */
export interface Search extends Actor {
  readonly jobId: bigint;
  readonly job: Assignable;
}

/** Runs statements of a decision, as the service that it is, in the tenant that it is for. */
export const inService = <T>(
  { db }: Pick<Assigning, 'db'>,
  { tenantId, actorId }: Actor,
  work: Parameters<typeof withService<T>>[2],
): Promise<T> => withService(db, { tenantId, actorId }, work);
