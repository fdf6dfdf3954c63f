import { expect, test } from 'vitest';
import { useTestDb } from '../../support/db.js';
import { expectRulesHold } from '../../support/rules.js';
import { type Player, playSeason } from '../support/season.js';

// A season through real claims and submits, with everything that results decide in effect: whom a bar keeps out, and for how long.
const t = useTestDb();

/** The longest time that somebody was given nothing, in turns; a day has four. */
const longestOut = ({ given }: Player): number =>
  Math.max(
    ...given
      .map((is) => (is ? '#' : '.'))
      .join('')
      .split('#')
      .map(({ length }) => length),
  );

const shareGiven = ({ given }: Player): number => given.filter((is) => is).length / given.length;

test('who is above a bar always gets through in time, who is below is kept out for days, and every exception is on record', async () => {
  const { players } = await playSeason(t, {
    minQuality: 0.8,
    accuracies: [0.95, 0.9, 0.85, 0.5],
    turns: 18,
    seed: 3,
  });
  const good = players.filter(({ accuracy }) => accuracy > 0.8);
  // One to three days without work, at most; a week and two trials later it would be nobody above the bar.
  expect(Math.max(...good.map(longestOut))).toBeLessThanOrEqual(12);
  expect(Math.min(...good.map(shareGiven))).toBeGreaterThan(0.7);
  const bad = players.filter(({ accuracy }) => accuracy === 0.5);
  expect(Math.max(...bad.map(shareGiven))).toBeLessThan(0.6);
  expect(Math.min(...bad.map(longestOut))).toBeGreaterThanOrEqual(3);
  await expectRulesHold(t.database);
});
