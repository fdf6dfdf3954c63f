import { useEffect, useRef } from 'react';
import { keep, kept } from '../api/kept.js';

/** What a key does on the work page. */
export interface Keys {
  readonly submit: () => void;
  readonly digit: (digit: string) => void;
  readonly letter: Readonly<Record<string, () => void>>;
}

const LETTERS_AND_SIGNS = /^[a-z?/]$/;

const KEY = 'touchstone.keys';

/** Whether keys without Ctrl do anything: who speaks to their machine, or touches keys unawares, switches them off. */
export const areKeysOn = (): boolean => kept(KEY) !== 'off';

/** In this browser, from now on. Ctrl+Enter always submits. */
export const switchKeys = (areOn: boolean): void => {
  keep(KEY, areOn ? null : 'off');
};

/** Listens for the page's keys. In a text field, letters and digits are text; Ctrl+Enter (or ⌘+Enter) always submits. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => press(event, latest.current);
    addEventListener('keydown', onKey, { capture: true });
    return () => removeEventListener('keydown', onKey, { capture: true });
  }, []);
}

function press(event: KeyboardEvent, keys: Keys): void {
  const isModified = event.ctrlKey || event.metaKey || event.altKey;
  if (event.isComposing || event.repeat || document.querySelector('[role="dialog"]') !== null) {
    return;
  }
  const areOn = areKeysOn();
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey || (areOn && entersIn(event.target)))) {
    done(event, keys.submit);
  } else if (areOn && !isModified && !isText(event.target)) {
    const letter = LETTERS_AND_SIGNS.test(event.key) ? keys.letter[event.key] : undefined;
    if (/^[0-9]$/.test(event.key)) {
      done(event, () => keys.digit(event.key));
    } else if (letter !== undefined) {
      done(event, letter);
    }
  }
}

function done(event: KeyboardEvent, action: () => void): void {
  event.preventDefault();
  event.stopPropagation();
  action();
}

/** Where Enter has no meaning of its own. */
function entersIn(target: EventTarget | null): boolean {
  return (
    !(target instanceof HTMLElement) ||
    (target.closest('a, button, summary, textarea, [data-find], [contenteditable]') === null &&
      !(target instanceof HTMLInputElement && target.type === 'search'))
  );
}

function isText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && !['radio', 'checkbox', 'button'].includes(target.type)) ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}
