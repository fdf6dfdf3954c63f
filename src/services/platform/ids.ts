import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

/** What an opaque id can name. The number is part of every id ever given out: append, never renumber. */
const ID_TYPES = {
  Tenant: 1,
  Customer: 2,
  Identity: 3,
  Expert: 4,
  Skill: 5,
  TaskType: 6,
  Project: 7,
  Batch: 8,
  Task: 9,
  Assignment: 10,
  Payout: 11,
  AccessLogEntry: 12,
  LedgerEntry: 13,
  ExpertSkill: 14,
  LedgerLine: 15,
  Pool: 16,
  QualityFinding: 17,
  NewcomerDoor: 18,
  Alert: 19,
  WebhookDelivery: 20,
  Job: 21,
  Offer: 22,
  Proof: 23,
  TraceExport: 24,
} as const;

export type IdType = keyof typeof ID_TYPES;

const TYPE_OF_NUMBER = new Map(Object.entries(ID_TYPES).map(([name, number]) => [number, name as IdType]));

/** Turns database ids into opaque ones and back. */
export interface IdCodec {
  encode(type: IdType, id: bigint): string;
  /** Null for anything that {@link encode} of this codec did not make. */
  decode(opaque: string): { type: IdType; id: bigint } | null;
}

/**
 * Ids outside are one AES block over (type, zeros, number) in base64url. Running numbers would tell how much a tenant
 * works, and which tasks were made apart from the rest (gold). The seven zero bytes make a guessed id decode to nothing
 * with probability 1 - 2^-56. Row-level security, not this, decides who sees what.
 *
 * @param secret any text; the same on every node of an installation, and for ever
 */
export function createIdCodec(secret: string): IdCodec {
  const key = createHash('sha256').update(`touchstone ids:${secret}`).digest();
  // Blocks do not depend on each other (ECB), so that one cipher serves for ever; making one costs more than a block.
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const plain = Buffer.alloc(16);
  return {
    encode(type, id) {
      plain.writeUInt8(ID_TYPES[type], 0);
      plain.writeBigInt64BE(id, 8);
      return cipher.update(plain).toString('base64url');
    },
    decode(opaque) {
      if (!/^[A-Za-z0-9_-]{22}$/.test(opaque)) {
        return null;
      }
      const bytes = Buffer.from(opaque, 'base64url');
      if (bytes.toString('base64url') !== opaque) {
        return null; // 22 characters hold four bits more than 16 bytes: only one spelling is an id
      }
      const block = decipher.update(bytes);
      const type = TYPE_OF_NUMBER.get(block.readUInt8(0) as never);
      if (type === undefined || block.subarray(1, 8).some((byte) => byte !== 0)) {
        return null;
      }
      return { type, id: block.readBigInt64BE(8) };
    },
  };
}
