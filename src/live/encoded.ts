/** One item of a subscription as its subscribers get it: the result's JSON, made once for all who get the same. */
export interface EncodedResult {
  readonly text: string;
  /** `after:` this the subscription goes on. */
  readonly cursor: string;
}
