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
  lengthWithout(json, ({ from }) => QUOTED_PICTURE.test(json.slice(from, from + PICTURE_START)));

/** How much of a JSON text is no long text: those, and pictures, are laid out no further than they are seen. */
export const treeLength = (json: string): number =>
  lengthWithout(json, ({ from, to }) => to - from > LONG_TEXT);

/** A longer text within JSON is a document of its own. */
export const LONG_TEXT = 1_000;

function lengthWithout(json: string, isPassed: (text: TextPlace) => boolean): number {
  let length = json.length;
  for (const text of textsOf(json)) {
    length -= isPassed(text) ? text.to - text.from : 0;
  }
  return length;
}

/** As it stands in JSON, where a slash may be written in two ways. */
const QUOTED_PICTURE = /^"data:image\\?\//i;
const PICTURE_START = 16;

/** A text of Markdown without the pictures that came in it. */
export const withoutPictures = (markdown: string): string => markdown.replace(ADDRESSES, '');

/** As they stand in Markdown: as the address of a picture, or of its name. */
const ADDRESSES = /data:image\/[^\s)>"']*/gi;
