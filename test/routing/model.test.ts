import fc from 'fast-check';
import { test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { expectRulesHold } from '../support/rules.js';
import { Clerk, LEASE_SECONDS } from './clerk.js';
import { commands, type Real } from './model-commands.js';

const t = useTestDb();

/** Enough for every pair of commands to meet, within ten seconds. A failure prints the seed and the path to run it again. */
const RUNS = 15;
const COMMANDS_A_RUN = 30;

test('claims, leases and answers are what a clerk with paper would believe, whatever happens in whatever order', async () => {
  const setup = async (): Promise<{ model: Clerk; real: Real }> => {
    const project = { redundancy: 2, leaseSeconds: LEASE_SECONDS };
    const world = await makeWorld(t.database, { experts: 4, tasks: 3, project });
    const model = new Clerk();
    for (const task of world.taskIds) {
      model.wanted.set(task, 2);
    }
    return { model, real: { t, world } };
  };
  await fc.assert(
    fc.asyncProperty(
      fc.commands([fc.oneof(...commands)], { maxCommands: COMMANDS_A_RUN, size: 'max' }),
      async (run) => {
        await fc.asyncModelRun(setup, run);
        await expectRulesHold(t.database);
      },
    ),
    { numRuns: RUNS },
  );
});
