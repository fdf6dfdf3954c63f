import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { brokenRules } from '../support/rules.js';
import { Clerk, LEASE_SECONDS } from './clerk.js';
import { commands, type Real } from './model-commands.js';

const t = useTestDb();

/** Enough for every pair of commands to meet, within ten seconds. A failure prints the seed and the path to run it again. */
const RUNS = 15;
const COMMANDS_A_RUN = 30;

async function setup(): Promise<{ model: Clerk; real: Real }> {
  const project = { redundancy: 2, leaseSeconds: LEASE_SECONDS };
  const world = await makeWorld(t.database, { experts: 4, tasks: 3, project });
  const model = new Clerk();
  for (const task of world.taskIds) {
    model.wanted.set(task, 2);
  }
  return { model, real: { t, world } };
}

test('claims, leases and answers are what a clerk with paper would believe, whatever happens in whatever order', async () => {
  // What a run has broken stays in the database while fast-check looks for a shorter run that breaks something.
  const known = new Set<string>();
  const newlyBroken = async () => {
    const broken = (await brokenRules(t.database)).filter((line) => !known.has(line));
    for (const line of broken) {
      known.add(line);
    }
    return broken;
  };
  const property = fc.asyncProperty(
    fc.commands([fc.oneof(...commands)], { maxCommands: COMMANDS_A_RUN, size: 'max' }),
    async (run) => {
      try {
        await fc.asyncModelRun(setup, run);
      } catch (error) {
        await newlyBroken();
        throw error;
      }
      expect(await newlyBroken()).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: RUNS });
});
