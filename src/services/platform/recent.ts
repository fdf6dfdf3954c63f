/** What was made of late, by what it was made of: a bounded number, without those that nobody has asked for the longest. */
export class Recent<Key, Made> {
  /** The one asked for last comes last. */
  readonly #made = new Map<Key, Made>();

  /** @param max how many are kept */
  constructor(private readonly max: number) {}

  get(key: Key): Made | undefined {
    const made = this.#made.get(key);
    if (made !== undefined) {
      this.#made.delete(key);
      this.#made.set(key, made);
    }
    return made;
  }

  /** @returns what is now kept */
  keep(key: Key, made: Made): Made {
    this.#made.delete(key);
    this.#made.set(key, made);
    if (this.#made.size > this.max) {
      this.#forgetOldest();
    }
    return made;
  }

  #forgetOldest(): void {
    for (const oldest of this.#made.keys()) {
      this.#made.delete(oldest);
      return;
    }
  }
}
