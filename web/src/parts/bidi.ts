/** Characters that are not seen, and turn the order in which those around them are shown. */
const TURNING = /\p{Bidi_Control}/gu;
/** Letters of scripts that are written from right to left. */
const LEFTWARDS =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const [FROM_HERE, TO_HERE] = ['\u2068', '\u2069'];

/** A text with what turns its order made visible: it is shown in the order in which it is. */
export const shown = (text: string): string => text.replace(TURNING, nameOf);

/** {@link shown}, for words of others among ours: what is written from right to left turns nothing beside it. */
export function told(text: string): string {
  const seen = shown(text);
  return LEFTWARDS.test(seen) ? `${FROM_HERE}${seen}${TO_HERE}` : seen;
}

const nameOf = (letter: string): string =>
  `⟨U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
