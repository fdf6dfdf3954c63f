import { withService } from '../../src/services/platform/database.js';
import { addGolds } from '../../src/services/quality/gold/golds.js';
import { claimTask } from '../../src/services/routing/claim.js';
import { submitAnswer } from '../../src/services/routing/submit.js';
import { withDatabase } from '../claim/in-process.js';
import { startMachine, withAdmin } from '../claim/machine.js';
import { makeWorld, viewerOf, type World } from '../claim/world.js';
import type { Latencies } from './latency.js';

/** Calls of each kind that are compared. */
const WANTED = 2_000;
const GOLD_OF_A_PROJECT = 400;
const WARM_UP = 200;
/** Nearly every second claim: the most that there can be. */
const RATE = 0.49;
const SHAPE = { name: 'gold', tasks: 30_000, projects: 8, skills: 4 } as const;

export interface GoldLatencies {
  readonly claim: Latencies;
  readonly submit: Latencies;
}

/**
 * Times claims and submits of gold and of other tasks, by the services and one after the other (in a crowd they share
 * batches, and are told apart less), in a database of its own.
 */
export async function measureGold(): Promise<GoldLatencies> {
  const machine = await startMachine();
  try {
    const world = await makeWorld(machine, SHAPE);
    const golds = await addAll(world);
    return await work(world, golds);
  } finally {
    await machine.stop();
  }
}

async function addAll(world: World): Promise<ReadonlySet<bigint>> {
  const tenantId = BigInt(world.tenantId);
  const golds = Array.from({ length: GOLD_OF_A_PROJECT }, (_, n) => ({
    payloadKey: `gold/${n}`,
    payloadBytes: 2,
    contentType: 'application/json',
    externalId: null,
    values: [{ dimension: 'choice', text: n % 2 === 0 ? 'yes' : 'no', number: null }],
  }));
  const dimensions = [{ name: 'choice', pointer: '/choice', scale: 'nominal' }] as const;
  const added = await withDatabase(world, async (db) => {
    const ids: bigint[] = [];
    for (let projectId = 1n; projectId <= BigInt(SHAPE.projects); projectId++) {
      const place = { tenantId, projectId, source: 'IMPORT', actorId: null } as const;
      const made = await withService(db, place, (tx) => addGolds(tx, place, { golds, dimensions }));
      ids.push(...made.map(({ taskId }) => taskId));
    }
    return ids;
  });
  await withAdmin(world.url, async (client) => {
    await client.query(
      `insert into gold_rates (tenant_id, expert_id, skill_id, task_type_id, rate, reason, computed_at)
       select tenant_id, expert_id, skill_id, 1, $1, 'EVIDENCE', now() from expert_skills`,
      [RATE],
    );
  });
  await world.vacuum();
  return new Set(added);
}

function work(world: World, golds: ReadonlySet<bigint>): Promise<GoldLatencies> {
  const claim = { goldMs: [] as number[], otherMs: [] as number[] };
  const submit = { goldMs: [] as number[], otherMs: [] as number[] };
  const experts = world.experts.crowd;
  return withDatabase(world, async (db) => {
    for (let n = 0; claim.goldMs.length < WANTED || claim.otherMs.length < WANTED; n++) {
      const expert = experts[n % experts.length];
      if (expert === undefined) {
        throw new Error('There are no experts.');
      }
      const viewer = viewerOf(world, expert);
      const began = performance.now();
      const claimed = await claimTask(db, viewer);
      const claimMs = performance.now() - began;
      if ('empty' in claimed) {
        throw new Error(`A claim was given nothing: ${claimed.empty.reason}`);
      }
      const { id, epoch, taskId } = claimed.held;
      const submitting = performance.now();
      await submitAnswer(db, viewer, { assignmentId: id, leaseEpoch: epoch, answer: { choice: 'yes' } });
      const submitMs = performance.now() - submitting;
      if (n >= WARM_UP) {
        const kind = golds.has(taskId) ? 'goldMs' : 'otherMs';
        claim[kind].push(claimMs);
        submit[kind].push(submitMs);
      }
    }
    return { claim, submit };
  });
}
