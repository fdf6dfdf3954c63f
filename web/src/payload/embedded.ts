import { type TextPlace, textsOf } from '../../../src/services/platform/json-texts.js';

/** A picture that came with the payload, in a text of its own. */
export interface Embedded {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Kinds that browsers show as pictures; none of them runs anything there. */
const PICTURE = /^data:(image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml))((?:;[\w.+-]+(?:=[\w.+-]+)?)*),/i;
/** An address that pages can be had from; nothing else is made a link. */
const ADDRESS = /^https?:\/\/[^\s"'<>\\]{1,2000}$/i;

/** Whether a text is a picture in itself, and nothing else. */
export const isPicture = (text: string): boolean => PICTURE.test(text);

/** Whether a text is the address of something elsewhere, and nothing else. */
export const isAddress = (text: string): boolean => ADDRESS.test(text) && URL.canParse(text);

/** The picture that a `data:` address is; null where it is none, or broken. */
export function pictureIn(text: string): Embedded | null {
  const [start, type = '', options = ''] = PICTURE.exec(text) ?? [];
  if (start === undefined) {
    return null;
  }
  const isBase64 = options.toLowerCase().split(';').includes('base64');
  try {
    const said = decodeURIComponent(text.slice(start.length));
    return {
      type: type.toLowerCase(),
      bytes: isBase64 ? Uint8Array.from(atob(said), (one) => one.charCodeAt(0)) : encoder.encode(said),
    };
  } catch {
    return null;
  }
}

const encoder = new TextEncoder();

/** How much there is to read in a JSON text: pictures in it are looked at. */
export const readableLength = (json: string): number =>
  json.length - sumOf(json, ({ from, to }) => (isQuotedPicture(json, from) ? to - from : 0));

/** How much of a JSON text is laid out at once: of a long text in it no more than is seen first, of a picture nothing. */
export const treeLength = (json: string): number =>
  json.length -
  sumOf(json, ({ from, to }) =>
    isQuotedPicture(json, from) ? to - from : Math.max(0, to - from - FIRST_SEEN),
  );

/** A longer text within JSON is a document of its own. */
export const LONG_TEXT = 1_000;
/** So much of one is laid out, seen or not: its first block (blocks.ts). */
const FIRST_SEEN = 16_000;

function sumOf(json: string, lengthOf: (text: TextPlace) => number): number {
  let sum = 0;
  for (const text of textsOf(json)) {
    sum += lengthOf(text);
  }
  return sum;
}

const isQuotedPicture = (json: string, from: number): boolean =>
  QUOTED_PICTURE.test(json.slice(from, from + PICTURE_START));

/** As it stands in JSON, where a slash may be written in two ways. */
const QUOTED_PICTURE = /^"data:image\\?\//i;
const PICTURE_START = 16;

/** A text of Markdown without the pictures that came in it. */
export const withoutPictures = (markdown: string): string => markdown.replace(ADDRESSES, '');

/** As they stand in Markdown: as the address of a picture, or of its name. */
const ADDRESSES = /data:image\/[^\s)>"']*/gi;
