import type { Queryable } from '../../platform/rows.js';
import { NEW_BELOW } from '../gold/door.js';
import { heldQuality, trialWaitMs } from '../gold/hold.js';
import type { TrustedResult } from '../pausing/trusted.js';
import { type Estimate, estimate, type Prior, typePrior } from './estimate.js';
import type { Folded } from './fold.js';
import { barsByType, type TypeGate } from './gates.sql.js';
import type { Pair } from './keep.sql.js';
import { keepDoor } from './newcomers.sql.js';
import { lastResults, type ScoreState } from './score.js';

/** What claims are to take an expert for in each task type that they are known in by itself, and in which of them they are tried at a bar from now on. */
export interface TypeGates {
  readonly types: readonly TypeGate[];
  readonly tried: readonly string[];
}

/** Everywhere what they are taken for in the skill. */
export const NO_TYPES: TypeGates = { types: [], tried: [] };

export interface TypeFacts {
  readonly folded: Folded;
  /** Of the skill. */
  readonly prior: Prior;
  /** Something was taken back. */
  readonly anew: boolean;
  /** What they are taken for in the skill. */
  readonly quality: number;
  /** As it was decided before. */
  readonly before: readonly TypeGate[];
  readonly now: Date;
}

/**
 * What claims are to take an expert for in each task type of a skill in which they have ten results and in others some too; in every other
 * what they are taken for in the skill. As in the skill, a bar that they reached they hold until their results in the type speak against
 * it, and who is below all bars of the type is tried at the least of them after some days (docs/decisions/0115, 0122). Keeps each exception.
 */
export async function keepTypeGates(tx: Queryable, pair: Pair, facts: TypeFacts): Promise<TypeGates> {
  const known = knownTypes(facts);
  if (known.length === 0) {
    return NO_TYPES;
  }
  const found = await barsByType(
    tx,
    pair,
    known.map(({ type }) => type),
  );
  const bars = new Map(found.map(({ taskTypeId, bar }) => [String(taskTypeId), bar]));
  const judged = known.map((one) => ({
    ...one,
    ...judge(one, { ...facts, bar: bars.get(one.type) ?? null }),
  }));
  for (const { type, score, state, gate, isTried } of judged) {
    const quality = gate.quality ?? 0;
    if (quality > score.lower) {
      await keepDoor(tx, pair, {
        kind: isTried ? 'TRIAL' : 'KEPT',
        taskTypeId: BigInt(type),
        quality,
        mean: score.mean,
        lower: score.lower,
        results: state.seen,
        gradingId: BigInt(state.lastId ?? 0),
        provenExperts: 0,
        explore: null,
        share: null,
        accuracy: null,
      });
    }
  }
  const tried = judged.filter(({ isTried }) => isTried).map(({ type }) => type);
  return { types: judged.map(({ gate }) => gate), tried };
}

/** Whoever is paused or comes back from a pause begins anew in every type: what was before it counts no longer. */
export const restartedTypes = ({ types }: Folded): TypeGate[] =>
  Object.entries(types).map(([type, { seen }]) => ({
    type,
    quality: null,
    since: seen,
    tryAtMs: null,
    trials: 0,
  }));

interface KnownType {
  readonly type: string;
  readonly state: ScoreState;
  readonly score: Estimate;
}

function knownTypes({ folded, prior }: TypeFacts): KnownType[] {
  const all = Object.entries(folded.types).filter(([, { seen }]) => seen > 0);
  if (all.length < 2) {
    return [];
  }
  return all
    .filter(([, { seen }]) => seen >= NEW_BELOW)
    .map(([type, state]) => {
      const others = all.filter(([other]) => other !== type).map(([, one]) => one);
      const sum = { right: 0, wrong: 0 };
      for (const { right, wrong } of others) {
        sum.right += right;
        sum.wrong += wrong;
      }
      return { type, state, score: estimate(state, typePrior(prior, sum)) };
    });
}

function judge(
  { type, state, score }: KnownType,
  { quality: skillQuality, before, anew, now, bar }: TypeFacts & { bar: number | null },
): { gate: TypeGate; isTried: boolean } {
  const was = before.find((one) => one.type === type) ?? null;
  const since = Math.min(was?.since ?? 0, state.seen);
  const reached = Math.min(was?.quality ?? skillQuality, anew ? score.mean : 1);
  const quality = heldQuality({ reached, lower: score.lower, results: latestOf(state, since) });
  const gate = { type, quality, since, tryAtMs: null, trials: was?.trials ?? 0 };
  if (bar === null || quality >= bar) {
    // (By a trial they are above the bar at once: it is their results that end the count.)
    return {
      gate: { ...gate, trials: bar !== null && score.lower >= bar ? 0 : gate.trials },
      isTried: false,
    };
  }
  if (was?.tryAtMs != null && was.tryAtMs <= now.getTime()) {
    return { gate: { ...gate, quality: bar, since: state.seen, trials: gate.trials + 1 }, isTried: true };
  }
  return {
    gate: { ...gate, tryAtMs: was?.tryAtMs ?? now.getTime() + trialWaitMs(gate.trials) },
    isTried: false,
  };
}

/** The latest results after so many. */
function latestOf({ seen, ...state }: ScoreState, since: number): TrustedResult[] {
  const results = lastResults(state);
  return results.slice(results.length - Math.min(results.length, seen - since));
}
