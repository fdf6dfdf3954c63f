/** Of a long text so much is laid out at a time, and only where it is seen. */
const BLOCK_CHARACTERS = 8_000;
/** More places than these are not told apart by anybody. */
export const MATCHES_MAX = 2_000;

/** One found place. */
export interface Match {
  readonly block: number;
  readonly start: number;
  readonly end: number;
}

/** A text in pieces that end with a line where they can; together they are the text. */
export function blocksOf(text: string): readonly string[] {
  const blocks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const least = start + BLOCK_CHARACTERS;
    const newline = text.indexOf('\n', least);
    const end = newline === -1 || newline > least + BLOCK_CHARACTERS ? least : newline + 1;
    blocks.push(text.slice(start, end));
    start = end;
  }
  return blocks;
}

/** In small letters, each where it was: İ alone has a small form that is longer than itself. */
export const small = (text: string): string => text.replaceAll('İ', 'i').toLowerCase();

/** Where a text stands in the blocks, whatever its case; at most {@link MATCHES_MAX} places, none across blocks. */
export function findIn(blocks: readonly string[], sought: string): readonly Match[] {
  const needle = small(sought);
  const matches: Match[] = [];
  if (needle === '') {
    return matches;
  }
  for (const [block, text] of blocks.entries()) {
    const hay = small(text);
    for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, at + needle.length)) {
      matches.push({ block, start: at, end: at + needle.length });
      if (matches.length === MATCHES_MAX) {
        return matches;
      }
    }
  }
  return matches;
}
