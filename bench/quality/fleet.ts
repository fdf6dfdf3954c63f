import type { Random } from '../../test/soak/random.js';

/** What an expert of the simulated fleet is like. */
export type Behaviour = 'HONEST' | 'COLLUDER' | 'MEMORISER';

export interface SimulatedExpert {
  readonly id: string;
  readonly behaviour: Behaviour;
  /** P(right) on a task of middling difficulty that they answer by themselves; for colluders of the answer they share. */
  readonly accuracy: number;
  /** Colluders of one ring give the same answers. */
  readonly ring: string | null;
  readonly usualSeconds: number;
}

/** A task of the simulation; gold has a key that is known. */
export interface SimulatedTask {
  readonly id: string;
  readonly truth: string;
  /** Added to everybody's accuracy. */
  readonly ease: number;
  readonly isLeaked: boolean;
}

export interface SimulatedAnswer {
  readonly label: string;
  readonly seconds: number;
}

export const CLASSES = ['a', 'b', 'c'] as const;

/** Experts at each accuracy from .5 to .95, two rings of five colluders, one who memorised the leaked gold. */
export function makeFleet(random: Random): SimulatedExpert[] {
  const honest = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95].flatMap((accuracy) =>
    [1, 2, 3, 4].map((n) => ({
      id: `at ${accuracy} no. ${n}`,
      behaviour: 'HONEST' as const,
      accuracy,
      ring: null,
    })),
  );
  const colluders = [0.55, 0.78].flatMap((accuracy) =>
    [1, 2, 3, 4, 5].map((n) => ({
      id: `ring ${accuracy} no. ${n}`,
      behaviour: 'COLLUDER' as const,
      accuracy,
      ring: `ring ${accuracy}`,
    })),
  );
  const memoriser = { id: 'memoriser', behaviour: 'MEMORISER' as const, accuracy: 0.6, ring: null };
  return [...honest, ...colluders, memoriser].map((expert) => ({
    ...expert,
    usualSeconds: 30 * Math.exp(0.4 * normal(random)),
  }));
}

export function makeTask(random: Random, id: string, isLeaked: boolean): SimulatedTask {
  return { id, truth: pick(random), ease: 0.3 * (random() - 0.5), isLeaked };
}

/** Every answer that one ring gave is kept, so that its members repeat it. */
export class Answering {
  readonly #random: Random;
  readonly #shared = new Map<string, string>();

  constructor(random: Random) {
    this.#random = random;
  }

  answer(expert: SimulatedExpert, task: SimulatedTask): SimulatedAnswer {
    const seconds = expert.usualSeconds * Math.exp(0.5 * normal(this.#random));
    if (expert.behaviour === 'MEMORISER' && task.isLeaked) {
      return { label: task.truth, seconds: seconds * 0.25 };
    }
    if (expert.ring !== null) {
      const shared = `${expert.ring} ${task.id}`;
      const label = this.#shared.get(shared) ?? this.#own(expert, task);
      this.#shared.set(shared, label);
      return { label, seconds };
    }
    return { label: this.#own(expert, task), seconds };
  }

  #own({ accuracy }: SimulatedExpert, { truth, ease }: SimulatedTask): string {
    if (this.#random() < Math.min(0.99, accuracy + ease * (1 - accuracy))) {
      return truth;
    }
    const wrong = CLASSES.filter((label) => label !== truth);
    return wrong[Math.floor(this.#random() * wrong.length)] ?? truth;
  }
}

function pick(random: Random): string {
  return CLASSES[Math.floor(random() * CLASSES.length)] ?? CLASSES[0];
}

/** Box and Muller's normal variate. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
