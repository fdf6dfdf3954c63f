import { expect } from 'vitest';
import { stampEvents, stampPostings } from '../../src/services/events/events.sql.js';
import { type Database, withSystem } from '../../src/services/platform/database.js';
import { verify } from '../../src/services/verify.js';

/** Numbers every event and posting that waits, as the sequencer does when it is alone. */
export async function stampAll(db: Database): Promise<void> {
  let more = true;
  while (more) {
    more = await withSystem(db, async (tx) => {
      const moved = await stampEvents(tx, 10_000);
      const posted = await stampPostings(tx, 10_000);
      return moved.length > 0 || posted > 0;
    });
  }
}

/** What breaks a rule, once the sequencer has caught up: each finding of `touchstone verify` in a line. */
export async function brokenRules(db: Database): Promise<string[]> {
  await stampAll(db);
  const broken = (await verify(db)).filter((finding) => finding.broken > 0);
  return broken.map(({ rule, claim, examples }) => `rule ${rule}: ${claim} But: ${examples.join('; ')}`);
}

/** Fails with what `touchstone verify` finds. Ends every test that runs things at once. */
export async function expectRulesHold(db: Database): Promise<void> {
  expect(await brokenRules(db)).toEqual([]);
}
