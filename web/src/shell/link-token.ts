import { useSyncExternalStore } from 'react';

/** What a link brought behind `#token=`, and where it leads. */
interface Brought {
  readonly token: string;
  readonly path: string;
}

/** Until somebody has said what becomes of it. */
let brought: Brought | null = taken();
const listeners = new Set<() => void>();

addEventListener('hashchange', () => {
  const next = taken();
  if (next !== null) {
    set(next);
  }
});

/** Takes it out of the address at once: it shall not stand in the history, nor in what is copied from the address bar. */
function taken(): Brought | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) {
    return null;
  }
  const path = location.pathname + location.search;
  history.replaceState(null, '', path);
  return { token, path };
}

function set(next: Brought | null): void {
  brought = next;
  for (const listener of listeners) {
    listener();
  }
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** What a link brought; null: nothing, or it is dealt with. */
export const useLink = (): Brought | null => useSyncExternalStore(subscribe, () => brought);

export const forgetLink = (): void => set(null);
