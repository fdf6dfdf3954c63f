/**
 * P(answer | truth) on an ordered scale, of an expert who is right with probability `accuracy`: errors die away with the
 * distance,
 *
 *   P(l | j) = (1 - a) q^|l - j| / sum over m other than j of q^|m - j|,   q = (1 - a) / (1 + a).
 *
 * q is the ratio of the discrete Laplace distribution whose middle has probability a (Inusah & Kozubowski 2006; the model of
 * inference/ordinal.ts); it is cut off at the scale's ends so that the accuracy stays what gold measured. With two classes it
 * is the even spread.
 */
export function orderedErrors(accuracy: number, classes: number): number[][] {
  const q = (1 - accuracy) / (1 + accuracy);
  const indices = Array.from({ length: classes }, (_, index) => index);
  return indices.map((j) => {
    const all = indices.reduce((sum, m) => sum + (m === j ? 0 : q ** Math.abs(m - j)), 0);
    return indices.map((l) => (l === j ? accuracy : ((1 - accuracy) * q ** Math.abs(l - j)) / all));
  });
}
