import { randomBytes } from 'node:crypto';
import type { Database } from '../../platform/database.js';
import { pgQueryable } from '../../platform/pg-queryable.js';
import type { SecretBox } from '../../platform/secret-box.js';
import * as sql from './fix-store.sql.js';

/** The keys that tenants' archives are sealed with. */
export interface FixKeys {
  /** Made with the first fix of a tenant. */
  of(tenantId: bigint): Promise<Buffer>;
}

const KEY_BYTES = 32;

/** Reads keys once, and makes those that are missing. */
export function createFixKeys(db: Pick<Database, 'systemPool'>, secrets: SecretBox): FixKeys {
  const keys = new Map<bigint, Promise<Buffer>>();
  const place = (tenantId: bigint) => `fix key of tenant ${tenantId}`;

  async function find(tenantId: bigint): Promise<Buffer> {
    const system = pgQueryable(db.systemPool);
    const found = await sql.fixKey(system, tenantId);
    if (found !== null) {
      return secrets.open(found, place(tenantId));
    }
    await sql.keepFixKey(system, tenantId, secrets.seal(randomBytes(KEY_BYTES), place(tenantId)));
    const kept = await sql.fixKey(system, tenantId);
    if (kept === null) {
      throw new Error('The key of an archive that was just kept is not there.');
    }
    return secrets.open(kept, place(tenantId));
  }

  return {
    of(tenantId) {
      const key = keys.get(tenantId) ?? find(tenantId);
      keys.set(tenantId, key);
      key.catch(() => keys.delete(tenantId)); // what failed is tried again
      return key;
    },
  };
}
