import { keep, kept, names } from '../api/kept.js';
import { type Ending, isEmpty, type KeptWork, NO_WORK, type Work } from './draft.js';

/** An answer that was given and for which there is no receipt yet. */
export interface Unsent {
  readonly assignmentId: string;
  readonly leaseEpoch: number;
  readonly work: Work;
  readonly ending: Ending;
  /** How the project and the task are called, for telling what is being sent. */
  readonly title: string;
}

/** What records of an earlier version of this page lack. */
const BEFORE = { ...NO_WORK, builtOn: null, toldAt: null, title: 'A task' };

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
    const kept = read<KeptWork>(`${this.#prefix}draft.${assignmentId}`);
    return kept === null ? null : { ...BEFORE, ...kept };
  }

  /** @returns whether it outlives this page; so for all that is kept */
  keepWork(assignmentId: string, work: KeptWork): boolean {
    return write(`${this.#prefix}draft.${assignmentId}`, work);
  }

  /** Everything that was typed in this browser and not handed in, by assignment. */
  unfinished(): readonly { readonly assignmentId: string; readonly work: KeptWork }[] {
    const prefix = `${this.#prefix}draft.`;
    return names(prefix).flatMap((name) => {
      const assignmentId = name.slice(prefix.length);
      const work = this.work(assignmentId);
      return work === null || isEmpty(work) ? [] : [{ assignmentId, work }];
    });
  }

  /** That the person was shown what is left of these. */
  tellWork(assignmentIds: readonly string[]): void {
    for (const assignmentId of assignmentIds) {
      const work = this.work(assignmentId);
      if (work !== null && work.toldAt === null) {
        this.keepWork(assignmentId, { ...work, toldAt: Date.now() });
      }
    }
  }

  dropWork(assignmentId: string): void {
    write(`${this.#prefix}draft.${assignmentId}`, null);
  }

  unsent(): Unsent | null {
    const unsent = read<Unsent>(`${this.#prefix}unsent`);
    return unsent === null ? null : { ...unsent, work: { ...NO_WORK, ...unsent.work } };
  }

  keepUnsent(unsent: Unsent): boolean {
    return write(`${this.#prefix}unsent`, unsent);
  }

  /** This one has arrived, or was refused; another that came after it still waits. */
  clearUnsent(assignmentId: string): void {
    if (this.unsent()?.assignmentId === assignmentId) {
      write(`${this.#prefix}unsent`, null);
    }
  }

  /** What was held when this was looked at last, to ask for it again where it is held no more. */
  lastHeld(): string | null {
    return read<string>(`${this.#prefix}held`);
  }

  keepLastHeld(assignmentId: string): void {
    write(`${this.#prefix}held`, assignmentId);
  }

  clearLastHeld(assignmentId: string): void {
    if (this.lastHeld() === assignmentId) {
      write(`${this.#prefix}held`, null);
    }
  }
}

function read<T>(key: string): T | null {
  try {
    return JSON.parse(kept(key) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

/** Storage that is full or switched off leaves this page and the server: typing must go on, and the page says so. */
const write = (key: string, value: unknown): boolean =>
  keep(key, value === null ? null : JSON.stringify(value));
