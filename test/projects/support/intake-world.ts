import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createCustomer,
  createExpert,
  createSkill,
  ensureTenant,
} from '../../../src/services/access/people.js';
import type { Viewer } from '../../../src/services/access/viewer.js';
import type { Database } from '../../../src/services/platform/database.js';
import { withSystem } from '../../../src/services/platform/database.js';
import { createIdCodec } from '../../../src/services/platform/ids.js';
import {
  type StoringOutcome,
  type StoringParts,
  storeBatch,
} from '../../../src/services/projects/batch-storing.js';
import { nextStoringBatch } from '../../../src/services/projects/batches.sql.js';
import { openLocalPayloadStore } from '../../../src/services/projects/payload-store-local.js';
import { createProject } from '../../../src/services/projects/projects.js';
import { createTaskType } from '../../../src/services/tasks/task-type-store.js';

export const ID_SECRET = 'the secret of test ids';

/** A tenant of the caller's own with an operator, a customer, a skill and a task type. */
export interface World {
  readonly operator: Viewer;
  readonly customer: Viewer;
  project(options?: { redundancy?: number; origin?: 'API' | 'IMPORT'; deadline?: Date }): Promise<bigint>;
  expert(handle: string): Promise<bigint>;
}

export async function makeWorld(db: Database): Promise<World> {
  const slug = `t-${randomUUID()}`;
  const tenantId = await ensureTenant(db, { slug, name: slug });
  const operator = viewerOf(tenantId, slug);
  const { customerId } = await createCustomer(db, operator, { name: 'Acme' });
  const { skillId } = await createSkill(db, operator, { name: 'reading' });
  const { taskTypeId } = await createTaskType(db, operator, {
    name: 'pair',
    definition: { kind: 'PAIRWISE' },
    instructions: '',
    customerId: null,
  });
  return {
    operator,
    customer: { ...operator, role: 'CUSTOMER', customerId },
    async project({ redundancy = 1, origin = 'API', deadline } = {}) {
      const { projectId } = await createProject(db, operator, {
        customerId,
        taskTypeId,
        skillId,
        name: 'a project',
        priceMinor: 10n,
        currency: 'EUR',
        redundancy,
        minQuality: 0,
        weight: 10,
        leaseSeconds: 1800,
        deadline: deadline ?? null,
        idempotencyKey: randomUUID(),
        origin,
      });
      return projectId;
    },
    expert: async (handle) => (await createExpert(db, operator, { handle })).expertId,
  };
}

function viewerOf(tenantId: bigint, tenantSlug: string): Viewer {
  return {
    tenantId,
    tenantSlug,
    identityId: 1n,
    displayName: 'Olga',
    role: 'OPERATOR',
    customerId: null,
    expertId: null,
    expiresAtMs: 4e12,
    requestId: 'test',
  };
}

/** What storing works with, on a directory of its own. */
export async function makeParts(
  db: Database,
): Promise<StoringParts & AsyncDisposable & { directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-intake-'));
  return {
    db,
    directory,
    ids: createIdCodec(ID_SECRET),
    store: await openLocalPayloadStore(directory),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Stores one batch as far as it goes (or one slice of `maxRows`). */
export async function store(
  parts: StoringParts,
  batchId: bigint,
  maxRows = Number.MAX_SAFE_INTEGER,
): Promise<StoringOutcome> {
  const range = { afterId: batchId - 1n, minBytes: 0, maxBytes: Number.MAX_SAFE_INTEGER };
  const batch = await withSystem(parts.db, (tx) => nextStoringBatch(tx, range));
  if (batch?.id !== batchId) {
    throw new Error(`Batch ${batchId} is not being stored.`);
  }
  return await storeBatch(parts, batch, { maxRows });
}
