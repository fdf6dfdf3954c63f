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
  try {
    if (text === null) {
      localStorage.removeItem(name);
    } else {
      localStorage.setItem(name, text);
    }
    refused.delete(name);
    return true;
  } catch {
    refused.set(name, text);
    return false;
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
