import { createHmac } from 'node:crypto';
import type { Position, StreamName } from '../services/events/stream.js';
import { Recent } from '../services/platform/recent.js';

/** Cursors of one stream: opaque text that says up to where a subscriber has read. */
export interface CursorCodec {
  encode(position: Position): string;
  /** Null for anything that is no position of this stream: another stream's, another tenant's, made up, incomplete. */
  decode(cursor: string): Position | null;
  /** Says "I began, but have not got all of the state": who resumes from it starts afresh. */
  readonly incomplete: string;
}

/** 8 bytes that name the stream, 4 of epoch, 8 of number. */
const BYTES = 20;
const TEXT = /^[A-Za-z0-9_-]{27}$/;

/** Subscribers of one stream share its codec; a digest costs as much as many cursors. */
const codecs = new Recent<string, CursorCodec>(10_000);

/** The cursors of a stream: see {@link makeCodec}. */
export function createCursorCodec(secret: string, { tenantId, stream }: StreamName): CursorCodec {
  const name = `${tenantId}/${stream}`;
  const key = `${secret} ${name}`;
  return codecs.get(key) ?? codecs.keep(key, makeCodec(secret, name));
}

/**
 * The stream is named by a keyed digest, so that a cursor tells nobody how projects are numbered; the key is the one of
 * opaque ids, the same on every node, so that any node can go on from any cursor.
 */
function makeCodec(secret: string, name: string): CursorCodec {
  const tag = createHmac('sha256', `touchstone cursors:${secret}`).update(name).digest().subarray(0, 8);
  const encode = ({ epoch, seq }: Position) => {
    const bytes = Buffer.alloc(BYTES);
    tag.copy(bytes);
    bytes.writeUInt32BE(epoch, 8);
    bytes.writeBigUInt64BE(BigInt(seq), 12);
    return bytes.toString('base64url');
  };
  return {
    encode,
    incomplete: encode({ epoch: 0, seq: 0 }),
    decode(cursor) {
      if (!TEXT.test(cursor)) {
        return null;
      }
      const bytes = Buffer.from(cursor, 'base64url');
      const position = { epoch: bytes.readUInt32BE(8), seq: Number(bytes.readBigUInt64BE(12)) };
      const known =
        bytes.subarray(0, 8).equals(tag) && position.epoch > 0 && Number.isSafeInteger(position.seq);
      return known ? position : null;
    },
  };
}
