const FINAL_TEXT = 0x81;
/** Lengths up to the first stand in the second byte; up to the second in two bytes more; others in eight (RFC 6455, 5.2). */
const SHORT_MAX = 125;
const MEDIUM_MAX = 0xffff;

/**
 * A WebSocket frame of a server with a whole text message, neither masked nor compressed: `head`, then the UTF-8 of the
 * rest of it, which many messages may have in common.
 */
export function textFrame(head: string, rest: Uint8Array): Buffer {
  const headLength = Buffer.byteLength(head);
  const length = headLength + rest.length;
  const at = length <= SHORT_MAX ? 2 : length <= MEDIUM_MAX ? 4 : 10;
  const frame = Buffer.allocUnsafe(at + length);
  frame[0] = FINAL_TEXT;
  if (at === 2) {
    frame[1] = length;
  } else if (at === 4) {
    frame[1] = SHORT_MAX + 1;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = SHORT_MAX + 2;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(head, at);
  frame.set(rest, at + headLength);
  return frame;
}
