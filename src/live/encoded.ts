import { type ByteString, utf8Of } from './text-frame.js';

/** One item of a subscription as its subscribers get it: made once for all who get the same. */
export class EncodedResult {
  /** Tasks whose answers it shows: whoever gets it is their reader. */
  readonly shows: readonly bigint[];
  /** Whether something of it could not be told. */
  readonly hasErrors: boolean;
  #messageEnd: ByteString | null = null;

  constructor(
    /** The result's JSON. */
    readonly text: string,
    /** `after:` this the subscription goes on. */
    readonly cursor: string,
    { shows = [], hasErrors = false }: { shows?: readonly bigint[]; hasErrors?: boolean } = {},
  ) {
    this.shows = shows;
    this.hasErrors = hasErrors;
  }

  /** What a message of graphql-transport-ws ends with whose payload this is. */
  get messageEnd(): ByteString {
    this.#messageEnd ??= utf8Of(`${this.text}}`);
    return this.#messageEnd;
  }
}
