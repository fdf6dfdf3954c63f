import { setImmediate as nextTurn } from 'node:timers/promises';
import { scopeOf, type Viewer } from '../services/access/viewer.js';
import { type Database, withScope } from '../services/platform/database.js';
import { createTurns } from '../services/platform/turns.js';
import { projectsSeen } from '../services/projects/visibility.js';
import { firstLiveLeases, type LiveLease } from '../services/routing/live-leases.js';

/**
 * What subscriptions ask of the database when they begin. After a restart everybody begins at once: what many ask with the
 * same rights is one statement, and all of them together take no more than half of the connections that requests have.
 */
export interface Beginnings {
  /** Runs it when it is the viewer's turn. */
  readonly inTurn: TurnOf;
  /** Whether row-level security shows this project to the viewer. */
  seesProject(viewer: Viewer, projectId: bigint): Promise<boolean>;
  /** The first page of a project's live leases, as of now or later. */
  firstLeases(viewer: Viewer, projectId: bigint): Promise<readonly LiveLease[]>;
}

type TurnOf = <T>(viewer: Pick<Viewer, 'role'>, work: () => Promise<T>) => Promise<T>;

const AT_ONCE = 4;
/** Analysts read on connections of their own, and wait for those within their turn: nobody else's turns are to be held meanwhile. */
const ANALYSTS_AT_ONCE = 2;
const PROJECTS_SEEN_AT_ONCE = 500;
/** A page of each, which may be full. */
const LEASES_AT_ONCE = 100;

export function createBeginnings(db: Database): Beginnings {
  const [turns, analysts] = [createTurns(AT_ONCE), createTurns(ANALYSTS_AT_ONCE)];
  const inTurn: TurnOf = ({ role }, work) => (role === 'ANALYST' ? analysts : turns)(work);
  const seen = new Together(inTurn, PROJECTS_SEEN_AT_ONCE, (viewer, ids) =>
    withScope(db, scopeOf(viewer), (tx) => projectsSeen(tx, viewer.tenantId, ids)),
  );
  const leases = new Together(inTurn, LEASES_AT_ONCE, (viewer, ids) =>
    withScope(db, scopeOf(viewer), (tx) => firstLiveLeases(tx, ids)),
  );
  return {
    inTurn,
    seesProject: async (viewer, projectId) => (await seen.ask(viewer, projectId)) === true,
    firstLeases: async (viewer, projectId) => (await leases.ask(viewer, projectId)) ?? [],
  };
}

interface Asked<T> {
  readonly id: bigint;
  readonly resolve: (answer: T | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Questions of one kind. Those of viewers with the same rights that wait for their turn are asked by one statement. */
class Together<T> {
  readonly #waiting = new Map<string, Asked<T>[]>();

  constructor(
    private readonly inTurn: TurnOf,
    private readonly max: number,
    private readonly answer: (viewer: Viewer, ids: readonly bigint[]) => Promise<ReadonlyMap<bigint, T>>,
  ) {}

  ask(viewer: Viewer, id: bigint): Promise<T | undefined> {
    const { tenantId, role, customerId, expertId } = viewer;
    const rights = `${tenantId} ${role} ${customerId} ${expertId}`;
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(rights);
      if (waiting !== undefined) {
        waiting.push({ id, resolve, reject });
        return;
      }
      this.#waiting.set(rights, [{ id, resolve, reject }]);
      this.#go(viewer, rights);
    });
  }

  /** One statement at a time for the same rights: what comes while it runs goes with the next, and a crowd makes few. */
  #go(viewer: Viewer, rights: string): void {
    // (Never rejected: a failure is told to those who asked.)
    void this.inTurn(viewer, async () => {
      await nextTurn(); // What comes in this turn of the loop goes with it.
      const batch = this.#waiting.get(rights)?.splice(0, this.max) ?? [];
      try {
        const answers = await this.answer(viewer, [...new Set(batch.map(({ id }) => id))]);
        batch.forEach(({ id, resolve }) => void resolve(answers.get(id)));
      } catch (error) {
        batch.forEach(({ reject }) => void reject(error));
      }
      if (this.#waiting.get(rights)?.length === 0) {
        this.#waiting.delete(rights);
      } else {
        this.#go(viewer, rights);
      }
    });
  }
}
