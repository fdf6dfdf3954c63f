import { setImmediate as nextTurn } from 'node:timers/promises';

interface Asked<Q, A> {
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Asks many questions of one kind at a time: what comes while one statement runs goes with the next one. A failure is told
 * to all whom it concerns.
 */
export class Batched<Q, A> {
  readonly #waiting: Asked<Q, A>[] = [];
  #isRunning = false;

  /** @param answer answers in the order of the questions, at most `max` of them */
  constructor(
    private readonly answer: (questions: readonly Q[]) => Promise<readonly A[]>,
    private readonly max: number,
  ) {}

  ask(question: Q): Promise<A> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      if (!this.#isRunning) {
        this.#isRunning = true;
        void this.#run();
      }
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await nextTurn();
      const batch = this.#waiting.splice(0, this.max);
      try {
        const answers = await this.answer(batch.map(({ question }) => question));
        batch.forEach(({ resolve }, index) => void resolve(answers[index] as A));
      } catch (error) {
        batch.forEach(({ reject }) => void reject(error));
      }
    }
    this.#isRunning = false;
  }
}
