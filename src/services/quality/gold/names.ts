/** Draws a whole number from 0 to below `below`. */
type Draw = (below: number) => number;

const HEX = '0123456789abcdef';
/** Digests, UUIDs: a digit is in such a name, and a letter, none beyond f. */
const isHex = (name: string) => /^(?=.*\d)(?=.*[a-f])[0-9a-f-]{8,}$/i.test(name);

/**
 * A name of the form that `sample` has: digits are drawn anew, of a name in hexadecimal its letters too, and everything else stays.
 * No number gets a zero in front that had none. Null where there is nothing to draw.
 * @param longer by how many digits the last number is longer: where all of that form are taken
 */
export function nameLike(sample: string, draw: Draw, longer = 0): string | null {
  if (isHex(sample)) {
    return sample.replaceAll(/[0-9a-f]/gi, (old) => inCaseOf(old, HEX.charAt(draw(HEX.length))));
  }
  const last = sample.search(/\d+\D*$/);
  if (last < 0) {
    return null;
  }
  return sample.replaceAll(/\d+/g, (number, at: number) => drawn(number, at >= last ? longer : 0, draw));
}

const inCaseOf = (old: string, letter: string) =>
  old === old.toUpperCase() && /[A-F]/.test(old) ? letter.toUpperCase() : letter;

function drawn(number: string, longer: number, draw: Draw): string {
  const first = number.startsWith('0') ? draw(10) : 1 + draw(9);
  const rest = Array.from({ length: number.length - 1 + longer }, () => draw(10));
  return [first, ...rest].join('');
}
