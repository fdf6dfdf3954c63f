/**
 * Of work that nothing is known of: by how much it takes longer than its speed says. Lognormal, 1.8 times by the median, and in
 * nine of ten cases at most five times: published crowds were 1.3 to 7.4 times later than their speed at half-way said.
 */
const PRIOR = { median: 1.8, ninth: 5 } as const;
/** Standard normal quantile at .9. */
const Z_90 = 1.2816;
/** Seven equally likely places of a standard normal variable: its quantiles at (i + 1/2) / 7. */
export const NORMAL = [-1.4652, -0.7916, -0.3661, 0, 0.3661, 0.7916, 1.4652] as const;

/** Equally likely numbers of it, 49. @param scale widens (above 1) or narrows it about its median */
export function priorRatios(scale = 1): number[] {
  const sigma = (Math.log(PRIOR.ninth / PRIOR.median) / Z_90) * scale;
  return NORMAL.flatMap((z) =>
    NORMAL.map((finer) => PRIOR.median * Math.exp(sigma * Math.SQRT1_2 * (z + finer))),
  );
}
