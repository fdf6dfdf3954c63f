import type { Ending, KeptWork, Work } from './draft.js';

/** An answer that was given and for which there is no receipt yet. */
export interface Unsent {
  readonly assignmentId: string;
  readonly leaseEpoch: number;
  readonly work: Work;
  readonly ending: Ending;
  /** How the project and the task are called, for telling what is being sent. */
  readonly title: string;
}

/**
 * What this browser keeps of one person's work: written synchronously at each change, so that it outlives a crash of the
 * page in the same moment. Other people who use the browser have keys of their own.
 */
export class LocalStore {
  readonly #prefix: string;

  constructor(identityId: string) {
    this.#prefix = `touchstone.work.${identityId}.`;
  }

  work(assignmentId: string): KeptWork | null {
    return read<KeptWork>(`${this.#prefix}draft.${assignmentId}`);
  }

  keepWork(assignmentId: string, work: KeptWork): void {
    write(`${this.#prefix}draft.${assignmentId}`, work);
  }

  dropWork(assignmentId: string): void {
    localStorage.removeItem(`${this.#prefix}draft.${assignmentId}`);
  }

  unsent(): Unsent | null {
    return read<Unsent>(`${this.#prefix}unsent`);
  }

  keepUnsent(unsent: Unsent | null): void {
    write(`${this.#prefix}unsent`, unsent);
  }

  /** What was held when this was looked at last, to ask for it again where it is held no more. */
  lastHeld(): string | null {
    return read<string>(`${this.#prefix}held`);
  }

  keepLastHeld(assignmentId: string | null): void {
    write(`${this.#prefix}held`, assignmentId);
  }
}

function read<T>(key: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

/** Storage that is full or switched off leaves what the server keeps: typing must go on. */
function write(key: string, value: unknown): void {
  try {
    if (value === null) {
      localStorage.removeItem(key);
    } else {
      localStorage.setItem(key, JSON.stringify(value));
    }
  } catch {
    // Said by the "saved" line, which then waits for the server's word alone.
  }
}
