import { betweenTexts } from '../../../src/services/platform/json-texts.js';

/** Whether a JSON text has more than `most` brackets open at once; what stands in strings does not count. */
export function isDeeper(text: string, most: number): boolean {
  let open = 0;
  for (const between of betweenTexts(text)) {
    for (const [bracket] of between.matchAll(/[[\]{}]/g)) {
      open += bracket === '[' || bracket === '{' ? 1 : -1;
      if (open > most) {
        return true;
      }
    }
  }
  return false;
}
