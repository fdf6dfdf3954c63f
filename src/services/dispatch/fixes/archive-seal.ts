import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** What the archive seals of a fix. */
export interface Position {
  readonly lat: number;
  readonly lng: number;
  readonly accuracyMetres: number | null;
}

/** Whose fix, and of when: what was sealed as one is not opened as another. */
export interface SealedPlace {
  readonly tenantId: bigint;
  readonly expertId: bigint;
  readonly deviceMs: number;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MICRODEGREES = 1e6;
const UNKNOWN = 0xffff_ffff;

/** AES-256-GCM: nonce, twelve bytes, tag. @param key 32 bytes, of the tenant */
export function sealPosition(key: Buffer, { lat, lng, accuracyMetres }: Position, of: SealedPlace): Buffer {
  const plain = Buffer.alloc(12);
  plain.writeInt32BE(Math.round(lat * MICRODEGREES), 0);
  plain.writeInt32BE(Math.round(lng * MICRODEGREES), 4);
  plain.writeUInt32BE(accuracyMetres === null ? UNKNOWN : Math.round(accuracyMetres * 10), 8);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(nameOf(of));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error for what was sealed by another key, or as another fix */
export function openPosition(key: Buffer, sealed: Buffer, of: SealedPlace): Position {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
  decipher.setAAD(nameOf(of)).setAuthTag(sealed.subarray(-TAG_BYTES));
  const plain = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  const accuracy = plain.readUInt32BE(8);
  return {
    lat: plain.readInt32BE(0) / MICRODEGREES,
    lng: plain.readInt32BE(4) / MICRODEGREES,
    accuracyMetres: accuracy === UNKNOWN ? null : accuracy / 10,
  };
}

const nameOf = ({ tenantId, expertId, deviceMs }: SealedPlace): Buffer =>
  Buffer.from(`fix ${tenantId}/${expertId}/${deviceMs}`);
