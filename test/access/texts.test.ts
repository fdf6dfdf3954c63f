// @once: looks at no database
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finderOf, LENGTH_MIN } from './support/texts.js';

/** Of few letters, so that they begin alike, overlap and stand in each other. */
const texts = fc.array(
  fc
    .array(fc.constantFrom('a', 'b'), { minLength: LENGTH_MIN, maxLength: LENGTH_MIN + 4 })
    .map((all) => all.join('')),
  { maxLength: 30 },
);

test('what is found in a text is what stands in it, whatever begins alike or overlaps', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.constantFrom('a', 'b'), { maxLength: 60 }), (all, letters) => {
      const within = `${letters.join('')}${all.join('a')}`;
      const names = [...new Set(all.flatMap((text) => [text, `${text}a`, `${text}b`]))];
      const found = finderOf(names.map((text) => [`name of ${text}`, text]))(within);
      expect(new Set(found)).toEqual(
        new Set(names.filter((text) => within.includes(text)).map((text) => `name of ${text}`)),
      );
    }),
    { numRuns: 500 },
  );
});
