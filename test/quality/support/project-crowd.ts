import type { Random } from '../../soak/random.js';

export interface CrowdAnswer {
  /** Index of the item, of the expert, of the class that was said. */
  readonly item: number;
  readonly expert: number;
  readonly said: number;
}

/** Answers of experts who answer by these matrices, P(said | truth), to items of these truths: `each` different experts an item. */
export function crowdAnswers(
  random: Random,
  {
    truths,
    experts,
    each,
  }: { truths: readonly number[]; experts: readonly (readonly number[][])[]; each: number },
): CrowdAnswer[] {
  return truths.flatMap((truth, item) =>
    someOf(experts.length, each, random).map((expert) => ({
      item,
      expert,
      said: drawn(experts[expert]?.[truth] ?? [1], random),
    })),
  );
}

/** Different numbers below `count`, in any order. */
function someOf(count: number, wanted: number, random: Random): number[] {
  const all = Array.from({ length: count }, (_, n) => ({ n, at: random() }));
  return all
    .sort((a, b) => a.at - b.at)
    .slice(0, wanted)
    .map(({ n }) => n);
}

/** Right with probability q, all errors alike. */
export const coinMatrix = (classes: number, q: number): number[][] =>
  Array.from({ length: classes }, (_, truth) =>
    Array.from({ length: classes }, (_said, said) => (said === truth ? q : (1 - q) / (classes - 1))),
  );

/** Tells the first class well and takes each of the others for the next one, with probability q. */
export const confusedMatrix = (classes: number, q: number): number[][] =>
  Array.from({ length: classes }, (_, truth) => {
    const usual = truth === 0 ? 0 : (truth % (classes - 1)) + 1;
    return Array.from({ length: classes }, (_said, said) => (said === usual ? q : (1 - q) / (classes - 1)));
  });

/** Three classes, of which the second is taken for the third with probability `missed`; all else is told well. */
export const skewedMatrix = (missed: number): number[][] => [
  [0.92, 0.04, 0.04],
  [0.04, 0.96 - missed, missed],
  [0.04, 0.03, 0.93],
];

function drawn(shares: readonly number[], random: Random): number {
  let left = random();
  return Math.max(
    0,
    shares.findIndex((share) => {
      left -= share;
      return left < 0;
    }),
  );
}
