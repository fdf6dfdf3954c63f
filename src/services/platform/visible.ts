/** Scripts whose letters a joiner, or its opposite, changes to the eye; elsewhere both are invisible. */
const JOINED =
  '\\p{M}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}' +
  '\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}';
const PICTURE = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F';

/** Joiners where they are seen, and the selector that gives a picture its colours. */
const SEEN = new RegExp(
  `(?<=[${JOINED}])[\\u200C\\u200D]|(?<=[${PICTURE}])\\u200D|(?<=\\p{Extended_Pictographic})\\uFE0F`,
  'gu',
);

/** Control characters, half characters, line and paragraph breaks, and what is not seen: bidirectional controls, spaces of no width, fillers, tags. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text has a character that nobody sees, so that two texts could look alike that are not, or one read otherwise than it is. */
export const hasUnseen = (text: string): boolean => UNSEEN.test(text.replaceAll(SEEN, ''));
