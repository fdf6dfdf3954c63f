/** The router did not answer, or not by its contract. An outage, never told to a caller: what it would have said is estimated. */
export class RouterFailedError extends Error {
  override readonly name = 'RouterFailedError';
}
