/** One item of a subscription as its subscribers get it: the result's JSON, made once for all who get the same. */
export class EncodedResult {
  readonly #text: string;
  readonly #cursor: string | null;

  constructor(text: string, cursor: string | null) {
    this.#text = text;
    this.#cursor = cursor;
  }

  get text(): string {
    return this.#text;
  }

  /** `after:` this the subscription goes on; null for what is no item, such as an error. */
  get cursor(): string | null {
    return this.#cursor;
  }

  /** Stands in a message for the text, which {@link withEncoded} puts in its place: it is not to be encoded again. */
  toJSON(): string {
    standsFor = this.#text;
    return MARK;
  }
}

const MARK = 'result';
const END = `"payload":${JSON.stringify(MARK)}}`;
/** The text that the mark stands for in the message that was encoded last. A message is sent in the same breath. */
let standsFor: string | null = null;

/** A message as graphql-ws encoded it, with the text of the {@link EncodedResult} that is its payload. */
export function withEncoded(message: string): string {
  const text = standsFor;
  standsFor = null;
  return text !== null && message.endsWith(END)
    ? `${message.slice(0, -END.length)}"payload":${text}}`
    : message;
}
