import { type AnswerTable, answersOfClasses } from './answers.js';
import { fitTemper } from './calibration.js';
import type { Known } from './choose.js';
import { GoldBayes } from './gold-bayes.js';
import { GoldCounts } from './gold-counts.js';
import { judge, votesOf } from './item-model.js';
import type { Posterior } from './posterior.js';

/**
 * Every item by the rule of GoldBayes, its temper fitted on gold. An item of gold is judged by what the other gold says of
 * its workers, both for the fit and in the posterior that is returned; so what is measured on gold holds for the rest.
 */
export function judgeByGold(
  table: AnswerTable,
  gold: readonly Known[],
): { posterior: Posterior; model: GoldBayes; counts: GoldCounts } {
  const counts = countsOf(table, gold);
  const classVotes = answersOfClasses(table);
  const untempered = new GoldBayes({ counts, classVotes });
  const { classes } = table;
  const left = new Float64Array(gold.length * classes);
  for (const [k, known] of gold.entries()) {
    left.set(evidenceWithout(table, known, untempered), k * classes);
  }
  const prior = untempered.prior();
  const fixed = left.map((_evidence, at) => prior[at % classes] ?? 0);
  const temper = fitTemper({ classes, logs: left, fixed, truths: gold.map(({ truth }) => truth) });
  const model = new GoldBayes({ counts, classVotes, temper });
  const posterior = judge(table, model);
  for (const [k, { item }] of gold.entries()) {
    posterior.set(model.conclude(left.subarray(k * classes, (k + 1) * classes)), item * classes);
  }
  return { posterior, model, counts };
}

/** What workers said to the items of known truth; each time that a pair is repeated counts. */
export function countsOf(table: AnswerTable, gold: readonly Known[]): GoldCounts {
  const counts = new GoldCounts(table.classes);
  for (const { item, truth } of gold) {
    for (const vote of votesOf(table, item)) {
      counts.add({ ...vote, truth });
    }
  }
  return counts;
}

/** The evidence for one item of gold from what all other gold says of its workers. */
function evidenceWithout(table: AnswerTable, { item, truth }: Known, model: GoldBayes): Float64Array {
  const votes = votesOf(table, item);
  for (const vote of votes) {
    model.counts.remove({ ...vote, truth });
  }
  const evidence = model.evidence(votes);
  for (const vote of votes) {
    model.counts.add({ ...vote, truth });
  }
  return evidence;
}
