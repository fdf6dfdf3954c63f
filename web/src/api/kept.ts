import { type Copy, copies, copy, forget } from './kept-copies.js';

/**
 * What is kept in this browser: in localStorage, which has it at once, and in a copy. A browser that is killed has written little of its
 * localStorage to disk, half a minute of typing may be missing; the copy has all but the last keys.
 */

/** What has a copy: all but the token, which is to be nowhere once somebody has signed out. */
const isCopied = (name: string): boolean => name !== 'touchstone.token' && !name.startsWith(WRITTEN_AT);
/** Beside each of those, when it was written or let go, by which the newer of both is known. */
const WRITTEN_AT = 'touchstone.at.';
/** That something was let go is remembered so long: no tab writes of it any more. */
const FORGOTTEN_MS = 86_400_000;
let lastAt = 0;

/** What the browser's storage would not take (full, or switched off): kept as long as this page is open. */
const refused = new Map<string, string | null>();

addEventListener('storage', ({ key }) => {
  if (key !== null) {
    refused.delete(key); // another tab has written something newer
  }
});

/** What is kept in this browser under a name; null where there is nothing. */
export function kept(name: string): string | null {
  const here = refused.get(name);
  if (here !== undefined) {
    return here;
  }
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/**
 * Keeps a text in this browser, or (null) lets it go.
 * @returns false where the browser did not take it: it is known until this page is closed, and no longer
 */
export function keep(name: string, text: string | null): boolean {
  lastAt = Math.max(Date.now(), lastAt + 1);
  if (isCopied(name)) {
    copy(name, { text, at: lastAt });
  }
  return store(name, { text, at: lastAt });
}

function store(name: string, { text, at }: Copy): boolean {
  try {
    if (text === null) {
      localStorage.removeItem(name);
    } else {
      localStorage.setItem(name, text);
    }
    if (isCopied(name)) {
      localStorage.setItem(WRITTEN_AT + name, String(at));
    }
    refused.delete(name);
    return true;
  } catch {
    refused.set(name, text);
    return false;
  }
}

/** Takes back what the browser had not written when it ended. To be called before anything is read; it always resolves, and soon. */
export async function restore(): Promise<void> {
  for (const [name, there] of await copies()) {
    if (there.at > writtenAt(name)) {
      store(name, there);
    }
    if (there.text === null && there.at >= writtenAt(name) && there.at < Date.now() - FORGOTTEN_MS) {
      forget(name);
      store(WRITTEN_AT + name, { text: null, at: there.at });
    }
  }
}

function writtenAt(name: string): number {
  try {
    return Number(localStorage.getItem(WRITTEN_AT + name) ?? 0);
  } catch {
    return 0;
  }
}

/** Every name that begins so, and under which something is kept. */
export function names(prefix: string): readonly string[] {
  const here = [...refused].filter(([, text]) => text !== null).map(([name]) => name);
  try {
    return [...new Set([...Object.keys(localStorage), ...here])].filter((name) => name.startsWith(prefix));
  } catch {
    return here.filter((name) => name.startsWith(prefix));
  }
}
