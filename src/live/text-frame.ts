const FINAL_TEXT = 0x81;
/** Lengths up to the first stand in the second byte; up to the second in two bytes more; others in eight (RFC 6455, 5.2). */
const SHORT_MAX = 125;
const MEDIUM_MAX = 0xffff;

/**
 * Bytes as a string of as many characters, one for each (`latin1`): several are joined without a copy, and a socket takes them as they are. Buffers of
 * the same size cost a third more to make, to write and to collect.
 */
export type ByteString = string;

/** The UTF-8 of a text. */
export function utf8Of(text: string): ByteString {
  return Buffer.from(text).toString('latin1');
}

/**
 * A WebSocket frame of a server with a whole text message, neither masked nor compressed: `head`, then the rest of it, which many messages may
 * have in common.
 */
export function textFrame(head: ByteString, rest: ByteString): ByteString {
  return lengthBytes(head.length + rest.length) + head + rest;
}

function lengthBytes(length: number): ByteString {
  if (length <= SHORT_MAX) {
    return String.fromCharCode(FINAL_TEXT, length);
  }
  if (length <= MEDIUM_MAX) {
    return String.fromCharCode(FINAL_TEXT, SHORT_MAX + 1, length >> 8, length & 0xff);
  }
  const bytes = Buffer.alloc(10);
  bytes.writeUInt8(FINAL_TEXT, 0);
  bytes.writeUInt8(SHORT_MAX + 2, 1);
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes.toString('latin1');
}
