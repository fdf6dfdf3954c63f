import { keep, kept } from '../api/kept.js';

const KEY = 'touchstone.device';
let known: string | null = null;

/** A random name of this browser, so that its drafts can be told from another device's. */
export function thisDevice(): string {
  known ??= kept(KEY) ?? named();
  return known;
}

function named(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const name = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  keep(KEY, name);
  return name;
}
