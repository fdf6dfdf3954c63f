import type { Viewer } from '../access/viewer.js';
import { type Database, withService } from '../platform/database.js';
import { createTaskType } from '../tasks/task-type-store.js';
import type { CrowdSet } from './crowd-set.js';
import { IdempotencyConflictError } from './errors.js';
import * as sql from './import.sql.js';
import { type ImportIdentity, importKeyOf, importTagOf, workerHandle } from './import-key.js';
import { createProject } from './projects.js';

const CUSTOMER = 'import';
const PRICE_MINOR = 5n;
const CURRENCY = 'EUR';
const LEASE_SECONDS = 1800;

/** What makes the project of an import. */
export interface ImportedProjectRequest extends ImportIdentity {
  readonly defaultName: string;
  readonly issuer: string;
  readonly set: CrowdSet;
}

/** Everything but the tasks. Each step finds what an earlier import, killed or under way, has made. */
export async function makeProject(db: Database, viewer: Viewer, request: ImportedProjectRequest) {
  const key = importKeyOf(request);
  const tag = importTagOf(key) ?? '';
  const { tenantId, identityId: actorId } = viewer;
  const found = await withService(db, { tenantId, actorId }, async (tx) => ({
    customer: await sql.ensureCustomer(tx, tenantId, CUSTOMER),
    skill: await sql.ensureSkill(tx, tenantId, `import ${tag}`),
    project: await sql.findImport(tx, tenantId, key),
  }));
  await makeWorkers(db, viewer, { ...request, tag, skillId: found.skill.id });
  const places = { ...request, key, tag, customerId: found.customer.id, skillId: found.skill.id };
  return { projectId: found.project?.id ?? (await createOnce(db, viewer, places)), key, tag };
}

type Places = ImportedProjectRequest & {
  readonly key: string;
  readonly tag: string;
  readonly customerId: bigint;
  readonly skillId: bigint;
};

async function createOnce(db: Database, viewer: Viewer, request: Places): Promise<bigint> {
  const { tenantId, identityId: actorId } = viewer;
  try {
    const { projectId } = await createProject(db, viewer, {
      customerId: request.customerId,
      name: request.name ?? request.defaultName,
      taskTypeId: (await ensureTaskType(db, viewer, request)).id,
      skillId: request.skillId,
      priceMinor: PRICE_MINOR,
      currency: CURRENCY,
      redundancy: 1, // every task says its own number
      minQuality: 0,
      weight: 10,
      leaseSeconds: LEASE_SECONDS,
      deadline: null,
      idempotencyKey: request.key,
      origin: 'IMPORT',
    });
    return projectId;
  } catch (error) {
    // Another import of the same file was first, under another default name or with its own version of the type.
    const theirs =
      error instanceof IdempotencyConflictError
        ? await withService(db, { tenantId, actorId }, (tx) => sql.findImport(tx, tenantId, request.key))
        : null;
    if (theirs === null) {
      throw error;
    }
    return theirs.id;
  }
}

async function ensureTaskType(
  db: Database,
  viewer: Viewer,
  { tag, customerId, set }: Places,
): Promise<{ id: bigint }> {
  const { tenantId, identityId: actorId } = viewer;
  const name = `import ${tag}`;
  const found = await withService(db, { tenantId, actorId }, (tx) =>
    sql.findTaskType(tx, { tenantId, customerId, name }),
  );
  if (found !== null) {
    return found;
  }
  const made = await createTaskType(db, viewer, {
    name,
    definition: definitionOf(set),
    instructions: '',
    customerId,
  });
  return { id: made.taskTypeId };
}

/** A choice has at least two options; a file in which everybody said the same still is a choice. */
function definitionOf({ labels }: CrowdSet) {
  const values = [...labels].sort();
  if (values.length === 1) {
    values.push(values[0] === 'other' ? 'another' : 'other');
  }
  return { kind: 'SINGLE_CHOICE', options: values.map((value) => ({ value })) };
}

const WORKERS_A_STATEMENT = 1000;

async function makeWorkers(
  db: Database,
  { tenantId, identityId: actorId }: Viewer,
  { set, tag, skillId, issuer }: ImportedProjectRequest & { tag: string; skillId: bigint },
): Promise<void> {
  const handles = [...set.workers].map((worker) => workerHandle(tag, worker));
  for (let from = 0; from < handles.length; from += WORKERS_A_STATEMENT) {
    const some = handles.slice(from, from + WORKERS_A_STATEMENT);
    await withService(db, { tenantId, actorId }, (tx) =>
      sql.ensureWorkers(tx, { tenantId, skillId, issuer, handles: some }),
    );
  }
}
