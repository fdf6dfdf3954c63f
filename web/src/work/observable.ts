/** A value that is replaced whole, and those who look at it. In the form that React reads from outside. */
export class Observable<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  readonly get = (): Value => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Told on only where something changes. */
  set(part: Partial<Value>): void {
    const names = Object.keys(part) as (keyof Value)[];
    if (names.every((name) => part[name] === this.#value[name])) {
      return;
    }
    this.#value = { ...this.#value, ...part };
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
