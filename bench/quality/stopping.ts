import { decide, type Judging } from '../../src/services/quality/redundancy/decide.js';
import type { RedundancyPolicy } from '../../src/services/quality/redundancy/policy.js';
import type { Vote } from '../../src/services/quality/redundancy/posterior.js';
import { type FittedStopping, fitStopping } from '../../src/services/quality/redundancy/stopping.js';
import { workerModel } from '../../src/services/quality/redundancy/worker-model.js';
import { PRIOR_STRENGTH } from '../../src/services/quality/scores/estimate.js';
import type { ScoreFact } from '../../src/services/quality/scores/facts.js';
import { foldScore, type ScoreState } from '../../src/services/quality/scores/score.js';
import { type Random, randomOf } from '../../test/soak/random.js';
import type { CrowdSet } from './crowd-set.js';

// Adaptive redundancy on a public set: each worker has at most twenty answers revealed, the rest of the truth is only
// looked at to say how it went. Nothing that judges an item has seen that item's truth.

const REVEALED_MAX = 20;

export interface StoppingResult {
  readonly accuracy: number;
  readonly answersPerItem: number;
  /** Distance of the mean stated confidence from the share that was right. */
  readonly statedGap: number;
}

/** Plays the policy on every item of the set, votes and revealed answers in an order that the seed decides. */
export function playStopping(
  set: CrowdSet,
  policy: RedundancyPolicy & { kind: 'POSTERIOR' },
  seed: number,
): StoppingResult {
  const random = randomOf(seed);
  const revealed = reveal(set, random);
  const models = modelsOf(set, revealed);
  const prior = set.labels.map(() => 1 / set.labels.length);
  const items = [...groupBy(set.answers, ({ item }) => item)].map(([item, answers]) => ({
    item,
    answers: shuffled(answers, random),
  }));
  const stopping = fitStopping(revealedItems(set, revealed, models), { ...policy, prior });
  const outcomes = items.map(({ item, answers }) => {
    const votes = answers.map(({ worker, label }) => models(worker, item, label));
    return { ...playItem(votes, judgingOf(item, { policy, prior, stopping })), item };
  });
  const right = outcomes.filter(({ label, item }) => set.labels[label] === set.truth.get(item)).length;
  const accuracy = right / outcomes.length;
  return {
    accuracy,
    answersPerItem: mean(outcomes.map(({ used }) => used)),
    statedGap: Math.abs(mean(outcomes.map(({ stated }) => stated)) - accuracy),
  };
}

interface Parts {
  readonly policy: RedundancyPolicy;
  readonly prior: readonly number[];
  readonly stopping: FittedStopping;
}

function judgingOf(item: string, { policy, prior, stopping }: Parts): Judging {
  return {
    policy,
    prior,
    next: { accuracy: 0.8, confusion: null },
    stopping: stopping.without(item),
  };
}

/** Gives the answers one after the other until the decision is not MORE, or there are none left. */
function playItem(votes: readonly Vote[], judging: Judging): { label: number; stated: number; used: number } {
  for (let used = 1; ; used++) {
    const { next, result } = decide(votes.slice(0, used), judging);
    if (next !== 'MORE' || used === votes.length) {
      return { label: result.label, stated: result.stated, used };
    }
  }
}

type Revealed = ReadonlyMap<string, readonly ScoreFact[]>;
type Models = (worker: string, item: string, label: string) => Vote;

/** At most twenty of each worker's answers, with the truth; a fact's id is its item. */
function reveal(set: CrowdSet, random: Random): Revealed {
  const workers = groupBy(
    set.answers.filter(({ item }) => set.truth.has(item)),
    ({ worker }) => worker,
  );
  return new Map(
    [...workers].map(([worker, answers]) => [
      worker,
      shuffled(answers, random)
        .slice(0, REVEALED_MAX)
        .map(({ item, label }, at): ScoreFact => {
          const truth = set.truth.get(item) ?? '';
          const outcomes = [{ dimension: '', truth, answer: label }];
          const isRight = label === truth;
          const dimensions = [{ dimension: '', isRight, weight: 1 }];
          return {
            id: item,
            source: 'GOLD',
            atMs: at,
            credit: Number(isRight),
            weight: 1,
            outcomes,
            dimensions,
          };
        }),
    ]),
  );
}

/** Weighs an answer by what is revealed of its worker, the item itself left out, also of the skill's mean. */
function modelsOf(set: CrowdSet, revealed: Revealed): Models {
  const facts = [...revealed.values()].flat();
  const total = facts.reduce((sum, { credit }) => sum + credit, 0);
  const ofItem = groupBy(facts, ({ id }) => id);
  const scoreOf = scoresOf(revealed);
  return (worker, item, label) => {
    const same = ofItem.get(item) ?? [];
    const right = total - same.reduce((sum, { credit }) => sum + credit, 0);
    const prior = { mean: right / (facts.length - same.length), strength: PRIOR_STRENGTH };
    const expert = {
      score: scoreOf(worker, item),
      prior,
      dimension: '',
      labels: set.labels,
      calibration: null,
    };
    return { label: set.labels.indexOf(label), model: workerModel(expert) };
  };
}

/** Each worker's score without an item; folded once where the item is not among the revealed ones. */
function scoresOf(revealed: Revealed): (worker: string, item: string) => ScoreState {
  const known = new Map<string, ScoreState>();
  return (worker, item) => {
    const own = revealed.get(worker) ?? [];
    const id = own.some((fact) => fact.id === item) ? `${worker} ${item}` : worker;
    const score = known.get(id) ?? foldScore(own.filter((fact) => fact.id !== item));
    known.set(id, score);
    return score;
  };
}

/** The items of which an answer was revealed, with the answers that were. */
function revealedItems(set: CrowdSet, revealed: Revealed, models: Models) {
  const answers = [...revealed].flatMap(([worker, facts]) =>
    facts.map(({ id, outcomes }) => ({ worker, item: id, label: outcomes[0]?.answer ?? '' })),
  );
  return [...groupBy(answers, ({ item }) => item)].map(([id, ofItem]) => ({
    id,
    truth: set.labels.indexOf(set.truth.get(id) ?? ''),
    votes: ofItem.map(({ worker, item, label }) => models(worker, item, label)),
  }));
}

function groupBy<T>(values: readonly T[], key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group) {
      group.push(value);
    } else {
      groups.set(key(value), [value]);
    }
  }
  return groups;
}

/** Fisher and Yates' shuffle. */
function shuffled<T>(values: readonly T[], random: Random): T[] {
  const all = [...values];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [all[i], all[j]] = [all[j] as T, all[i] as T];
  }
  return all;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
