import { createStore, del, entries, set } from 'idb-keyval';

/** A text as it was at an instant, in milliseconds of the epoch; null: it was let go. */
export interface Copy {
  readonly text: string | null;
  readonly at: number;
}

/** A browser that does not answer sooner is gone on without. */
const READ_MS = 2_000;

const store = typeof indexedDB === 'undefined' ? null : createStore('touchstone', 'kept');
/** What is to be written next, by name: of what comes while one is being written only the latest is. */
const next = new Map<string, Copy>();
const writing = new Set<string>();

/** Writes a copy, by and by: nothing waits for it. Where the browser takes none, there is none. */
export function copy(name: string, what: Copy): void {
  next.set(name, what);
  if (!writing.has(name)) {
    void write(name);
  }
}

async function write(name: string): Promise<void> {
  writing.add(name);
  for (let what = next.get(name); what !== undefined && store !== null; what = next.get(name)) {
    next.delete(name);
    await set(name, what, store).catch(() => undefined);
  }
  writing.delete(name);
}

/** Lets go of a copy that says that there is nothing. */
export function forget(name: string): void {
  if (store !== null && !writing.has(name) && !next.has(name)) {
    void del(name, store).catch(() => undefined);
  }
}

/** All of them; none where the browser has none, or does not say. */
export async function copies(): Promise<readonly (readonly [string, Copy])[]> {
  if (store === null) {
    return [];
  }
  const late = new Promise<[]>((resolve) => setTimeout(() => resolve([]), READ_MS));
  const found = entries<string, Copy>(store).catch(() => []);
  return Promise.race([found, late]);
}
