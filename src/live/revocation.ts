import type { Logger } from 'pino';
import { revokedOf, type Standing } from '../services/access/standing.js';
import type { Viewer } from '../services/access/viewer.js';
import type { Database } from '../services/platform/database.js';
import { createRepeatingTask } from './repeating-task.js';

/** Sees to it that nobody goes on listening in a role that was taken from them, nor to gold in one that they came to have. */
export interface RevocationWatch {
  /** Calls `onRevoked`, once, soon after the viewer's role is gone. @returns what stops watching */
  watch(viewer: Viewer, onRevoked: () => void): () => void;
  /** The same for somebody who was let in because they are no expert beside: also soon after they are. */
  watchNoExpert(viewer: Viewer, onRevoked: () => void): () => void;
  close(): Promise<void>;
}

/** A role that was taken away ends what it listened to within this time and that of a look, together under 5 s. */
const LOOK_EVERY_MS = 2_500;
/** Asked of by one statement. */
const AT_ONCE = 5_000;

interface Watched {
  readonly standing: Standing;
  readonly listeners: Set<() => void>;
}

/** Looks every few seconds whether those who listen still may: all of them by one statement. */
export function createRevocationWatch({ db, log }: { db: Database; log: Logger }): RevocationWatch {
  const all = new Map<string, Watched>();
  let toLookAt: Watched[] = [];

  async function look(): Promise<void> {
    const some = toLookAt.slice(0, AT_ONCE);
    const revoked = await revokedOf(
      db,
      some.map(({ standing }) => standing),
    );
    toLookAt = toLookAt.slice(some.length);
    for (const index of revoked) {
      for (const onRevoked of [...(some[index]?.listeners ?? [])]) {
        onRevoked();
      }
    }
  }

  const looking = createRepeatingTask({
    name: 'live.revocation',
    log,
    hasWork: () => toLookAt.length > 0,
    work: look,
  });
  const timer = setInterval(() => {
    if (toLookAt.length === 0) {
      toLookAt = [...all.values()];
      looking.run();
    }
  }, LOOK_EVERY_MS).unref();

  function watch(standing: Standing, onRevoked: () => void): () => void {
    const { tenantId, identityId, role, customerId, expertId, noExpert } = standing;
    const key = `${tenantId} ${identityId} ${role} ${customerId} ${expertId} ${noExpert}`;
    const watched = all.get(key) ?? {
      standing: { tenantId, identityId, role, customerId, expertId, noExpert },
      listeners: new Set(),
    };
    all.set(key, watched);
    watched.listeners.add(onRevoked);
    return () => {
      watched.listeners.delete(onRevoked);
      if (watched.listeners.size === 0 && all.get(key) === watched) {
        all.delete(key);
      }
    };
  }

  return {
    watch: (viewer, onRevoked) => watch({ ...viewer, noExpert: false }, onRevoked),
    watchNoExpert: (viewer, onRevoked) => watch({ ...viewer, noExpert: true }, onRevoked),
    async close() {
      clearInterval(timer);
      await looking.stop();
    },
  };
}
