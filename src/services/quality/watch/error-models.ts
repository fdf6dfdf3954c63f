/** One answer to an item whose key is known. */
export interface KeyedAnswer {
  readonly item: string;
  readonly expert: string;
  readonly label: string;
  readonly key: string;
}

/** How experts err: each by their own record, where it is thin by that of all. */
export interface ErrorModels {
  /** The probability that two answers to one item are the same wrong label, if their experts err independently. */
  sameError(one: KeyedAnswer, other: KeyedAnswer): number;
}

/** So many answers the record of all weighs in an expert's. */
const STRENGTH = 4;

/** Counts how each expert answers each true class. */
export function errorModels(answers: readonly KeyedAnswer[]): ErrorModels {
  const all = new Counts();
  const byExpert = new Map<string, Counts>();
  for (const { expert, key, label } of answers) {
    const counts = byExpert.get(expert) ?? new Counts();
    byExpert.set(expert, counts);
    counts.add(key, label);
    all.add(key, label);
  }
  const errorOf = (expert: string, key: string, label: string) => {
    const counts = byExpert.get(expert) ?? new Counts();
    // The expert's own error rate first, spread over labels as the errors of all are; then their own errors by class.
    const own = (counts.wrong + STRENGTH * (all.wrong / all.seen)) / (counts.seen + STRENGTH);
    const usual = all.wrongOf(key) === 0 ? 0 : all.of(key, label) / all.wrongOf(key);
    return (counts.of(key, label) + STRENGTH * own * usual) / (counts.seenOf(key) + STRENGTH);
  };
  const known = new Map<string, Map<string, readonly number[]>>();
  /** The expert's error rates at a true class, in one order for all; computed once, since every pair asks. */
  const errorsOf = (expert: string, key: string) => {
    const ofExpert = known.get(expert) ?? new Map<string, readonly number[]>();
    known.set(expert, ofExpert);
    const errors = ofExpert.get(key) ?? all.errorsOf(key).map((label) => errorOf(expert, key, label));
    ofExpert.set(key, errors);
    return errors;
  };
  return {
    sameError(one, other) {
      const theirs = errorsOf(other.expert, other.key);
      return errorsOf(one.expert, one.key).reduce((sum, error, n) => sum + error * (theirs[n] ?? 0), 0);
    },
  };
}

class Counts {
  seen = 0;
  wrong = 0;
  readonly #byKey = new Map<string, Map<string, number>>();

  add(key: string, label: string): void {
    const labels = this.#byKey.get(key) ?? new Map<string, number>();
    labels.set(label, (labels.get(label) ?? 0) + 1);
    this.#byKey.set(key, labels);
    this.seen++;
    this.wrong += label === key ? 0 : 1;
  }

  of(key: string, label: string): number {
    return this.#byKey.get(key)?.get(label) ?? 0;
  }

  /** The wrong labels that were given at a true class. */
  errorsOf(key: string): string[] {
    return [...(this.#byKey.get(key)?.keys() ?? [])].filter((label) => label !== key);
  }

  seenOf(key: string): number {
    return [...(this.#byKey.get(key)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  }

  wrongOf(key: string): number {
    return this.seenOf(key) - this.of(key, key);
  }
}
