/** Of a long text so much is laid out at a time, and only where it is seen. */
const BLOCK_CHARACTERS = 8_000;
/** More places than these are not told apart by anybody. */
export const MATCHES_MAX = 2_000;

/** A place in a text that is in blocks. */
interface Place {
  readonly block: number;
  readonly at: number;
}

/** One found place. */
export interface Match {
  readonly start: Place;
  readonly end: Place;
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

/** Where a text stands in what the blocks make together, whatever its case; at most {@link MATCHES_MAX} places. */
export function findIn(blocks: readonly string[], sought: string): readonly Match[] {
  const needle = small(sought);
  const matches: Match[] = [];
  if (needle === '') {
    return matches;
  }
  const hay = small(blocks.join(''));
  const placed = placing(blocks);
  for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, at + needle.length)) {
    matches.push({ start: placed(at), end: placed(at + needle.length - 1, 1) });
    if (matches.length === MATCHES_MAX) {
      break;
    }
  }
  return matches;
}

/** In which block a character stands, asked for in their order; `beyond`: the place so far behind it, in the same block. */
function placing(blocks: readonly string[]): (at: number, beyond?: number) => Place {
  let block = 0;
  let begun = 0;
  return (at, beyond = 0) => {
    for (let length = blocks[block]?.length ?? 0; at >= begun + length && block < blocks.length - 1; ) {
      begun += length;
      block += 1;
      length = blocks[block]?.length ?? 0;
    }
    return { block, at: at - begun + beyond };
  };
}
