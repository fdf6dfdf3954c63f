/** An upload is no text that rows could be read of; said once, and not row by row. */
export class StartFault extends Error {
  override readonly name = 'StartFault';
}

/** So many bytes tell. */
export const START_BYTES = 8;

const AS_UTF8 = 'save it as UTF-8 first (a spreadsheet as “CSV UTF-8”)';
const WANTED = 'it has to be JSONL or CSV';

/** What files begin with that are no text. None of these is UTF-8 that a row of either format could begin with. */
const STARTS: readonly (readonly [bytes: readonly number[], fault: string])[] = [
  [[0xff, 0xfe], `is UTF-16: ${AS_UTF8}`],
  [[0xfe, 0xff], `is UTF-16: ${AS_UTF8}`],
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], `is a picture (PNG) and no text: ${WANTED}`],
  [[0xff, 0xd8, 0xff], `is a picture (JPEG) and no text: ${WANTED}`],
  [
    [0x50, 0x4b, 0x03, 0x04],
    'is a ZIP archive or a spreadsheet (.xlsx) and no text: save the sheet as “CSV UTF-8” first',
  ],
  [[0xd0, 0xcf, 0x11, 0xe0], 'is a spreadsheet (.xls) and no text: save the sheet as “CSV UTF-8” first'],
  [[0x1f, 0x8b], `is compressed (gzip): ${WANTED}, as it was before`],
  [[0x25, 0x50, 0x44, 0x46, 0x2d], `is a PDF and no text: ${WANTED}`],
];

/** Throws StartFault where the first bytes of an upload ({@link START_BYTES}, or all there are) tell that it is no text. */
export function checkStart(start: Uint8Array): void {
  const found = STARTS.find(([bytes]) => bytes.every((byte, at) => start[at] === byte));
  const fault = found?.[1] ?? (isUnmarkedUtf16(start) ? `is UTF-16: ${AS_UTF8}` : undefined);
  if (fault !== undefined) {
    throw new StartFault(`The upload ${fault}.`);
  }
}

/** Two letters of ASCII as UTF-16 without a byte order mark: each second byte is nought. */
function isUnmarkedUtf16([a, b, c, d]: Uint8Array): boolean {
  const isNone = (byte: number | undefined) => byte === 0;
  const isSome = (byte: number | undefined) => byte !== undefined && byte !== 0;
  return (
    (isSome(a) && isNone(b) && isSome(c) && isNone(d)) || (isNone(a) && isSome(b) && isNone(c) && isSome(d))
  );
}
