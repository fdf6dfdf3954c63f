import type { Live } from './live/live.js';
import type { SharedExecution } from './live/live-operation.js';
import { createLoaders, type Loaders, type Note, type Read } from './resolvers/loaders.js';
import type { Presence } from './services/access/presence.js';
import type { Asker, Role, Viewer } from './services/access/viewer.js';
import { scopeOf } from './services/access/viewer.js';
import type { Dispatch } from './services/dispatch/ports.js';
import { seenJobs } from './services/dispatch/seen-jobs.js';
import type { InStage } from './services/dispatch/stages.js';
import { type Database, withScope } from './services/platform/database.js';
import type { IdCodec } from './services/platform/ids.js';
import type { Logger } from './services/platform/logger.js';
import type { SecretBox } from './services/platform/secret-box.js';
import type { Telemetry } from './services/platform/telemetry.js';
import { createTurns, type InTurn } from './services/platform/turns.js';
import type { PayloadStore } from './services/projects/payload-store.js';
import { noteReader } from './services/quality/adjudication/readers.js';
import type { Completions } from './services/routing/completions.js';
import type { Pace } from './services/routing/pace.js';

/** What a process has, once, for all requests. */
export interface App {
  readonly db: Database;
  readonly ids: IdCodec;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly presence: Presence;
  readonly completions: Completions;
  readonly payloads: PayloadStore;
  /** Seals what the database may not give away by itself. */
  readonly secrets: SecretBox;
  readonly live: Live;
  /** Where workers are, and how long ways take. */
  readonly dispatch: Dispatch;
  /** Measures what decisions of dispatch consist of. */
  readonly inStage: InStage;
  /** How fast an identity may claim and submit. */
  readonly pace: Pace;
  /** Of a node's time, what analysts' queries may take: above 0 to 1. */
  readonly analystTimeShare: number;
  readonly production: boolean;
  /** Whose tokens are accepted: new identities are known under it. */
  readonly tokenIssuer: string;
  /** Where clients reach this installation, without a trailing slash. */
  publicUrl: string;
}

/** What one request carries. */
export interface Context {
  readonly app: App;
  readonly viewer: Viewer;
  /** The viewer as who asks this once: for services that read by themselves. */
  readonly asker: Asker;
  readonly read: Read;
  readonly load: Loaders;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal | undefined;
  /** Where a subscriber over server-sent events was; it stands over the `after` that it asked with at first. */
  readonly lastEventId: string | null;
}

/**
 * Transactions that one request may have open at once. A query with twenty branches otherwise takes every connection,
 * and claims wait for it.
 */
const READS_AT_ONCE = 2;

/** Makes the context of one request. */
export function createContext(
  app: App,
  viewer: Viewer,
  { signal, lastEventId = null }: { signal?: AbortSignal; lastEventId?: string | null } = {},
): Context {
  app.presence.seen(viewer);
  const atMost = createTurns(READS_AT_ONCE);
  const note: Note = (taskIds) => atMost(() => noteReader(app.db, viewer, { taskIds }));
  return contextOf(app, viewer, { signal, lastEventId, atMost, note });
}

/** How this process executes what several subscribers get: what is shown is noted of each, once it is known who. */
export function sharedExecution(app: App): SharedExecution {
  return {
    contextFor: (viewer, { signal, onShown }) =>
      contextOf(app, viewer, {
        signal,
        lastEventId: null,
        atMost: createTurns(READS_AT_ONCE),
        note: async (taskIds) => onShown(taskIds),
      }),
    note: (viewer, taskIds) => noteReader(app.db, viewer, { taskIds }),
  };
}

interface Means extends Pick<Context, 'signal' | 'lastEventId'> {
  readonly atMost: InTurn;
  readonly note: Note;
}

function contextOf(app: App, viewer: Viewer, { signal, lastEventId, atMost, note }: Means): Context {
  const asker: Asker = { ...viewer, signal };
  const read: Read = (work) => atMost(() => withScope(app.db, scopeOf(asker), work));
  let load: Loaders | undefined;
  return {
    app,
    viewer,
    asker,
    read,
    // On first use: a subscription has a context for as long as it lives, and seldom loads anything.
    get load() {
      load ??= createLoaders(read, {
        note,
        seen: (ids) => app.dispatch.nearby.lastSeen(viewer.tenantId, ids),
        jobs: (ids) =>
          viewer.role === 'ANALYST'
            ? read((tx) => tx.job.findMany({ where: { id: { in: [...ids] } } }))
            : atMost(() => seenJobs(app.db, scopeOf(asker), ids)),
      });
      return load;
    },
    signal,
    lastEventId,
  };
}

/** Whether the viewer acts in one of these roles. */
export function actsAs(viewer: Viewer, roles: readonly Role[]): boolean {
  return roles.includes(viewer.role);
}
