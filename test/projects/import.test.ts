import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { findViewer } from '../../src/services/access/people.js';
import { withSystem } from '../../src/services/platform/database.js';
import type { StoringParts } from '../../src/services/projects/batch-storing.js';
import { CrowdFileError } from '../../src/services/projects/crowd-columns.js';
import { exportAnswers } from '../../src/services/projects/export.js';
import { type ImportRequest, importCrowdLabels } from '../../src/services/projects/import.js';
import { findProject, type ImportedProject } from '../../src/services/projects/import.sql.js';
import { importTagOf, readImportKey, workerHandle } from '../../src/services/projects/import-key.js';
import { importViewer } from '../../src/services/projects/import-operator.js';
import { claimTask } from '../../src/services/routing/claim.js';
import { submitAnswer } from '../../src/services/routing/submit.js';
import { useTestDb } from '../support/db.js';
import { makeParts } from './support/intake-world.js';

const ISSUER = 'test issuer';
const db = useTestDb();

async function* bytes(text: string) {
  yield Buffer.from(text);
}

/** Imports text into a tenant of its own unless one is named. */
async function importText(parts: StoringParts, text: string, request: Partial<ImportRequest> = {}) {
  const imported = await importCrowdLabels(parts, {
    tenantSlug: `t-${randomUUID()}`,
    issuer: ISSUER,
    defaultName: 'labels',
    name: null,
    replay: false,
    body: bytes(text),
    ...request,
  });
  const project = await withSystem(parts.db, (tx) => findProject(tx, imported.projectId));
  if (project === null) {
    throw new Error('The project is not there.');
  }
  return { ...imported, project };
}

/** A recorded worker, as their token would make them. */
async function viewerOf({ tenantSlug, idempotencyKey }: ImportedProject, worker: string) {
  const subject = workerHandle(importTagOf(idempotencyKey) ?? '', worker);
  const found = await findViewer(db.database, { issuer: ISSUER, subject, tenantSlug, role: 'EXPERT' });
  if (found === null) {
    throw new Error(`Nobody can sign in as ${worker}.`);
  }
  return { ...found, role: 'EXPERT' as const, expiresAtMs: 4e12, requestId: 'test' };
}

async function claimOf(project: ImportedProject, worker: string) {
  const viewer = await viewerOf(project, worker);
  const claimed = await claimTask(db.database, viewer);
  return { viewer, held: 'held' in claimed ? claimed.held : null };
}

async function answerAll(project: ImportedProject, worker: string, choice: string) {
  for (;;) {
    const { viewer, held } = await claimOf(project, worker);
    if (held === null) {
      return;
    }
    const { id: assignmentId, epoch: leaseEpoch } = held;
    await submitAnswer(db.database, viewer, { assignmentId, leaseEpoch, answer: { choice } });
  }
}

async function exported(project: ImportedProject) {
  const { identityId: actorId } = await importViewer(db.database, { ...project, issuer: ISSUER });
  const rows = [];
  for await (const row of exportAnswers(db.database, { ...project, actorId })) {
    rows.push(row);
  }
  return rows;
}

const FILE = 'item,worker,label\n1,a,yes\n1,b,no\n2,a,no\n2,a,yes\n3,c,yes\n,c,yes\n';

test('an import opens one task an item, wanting as many answers as were recorded', async () => {
  await using parts = await makeParts(db.database);
  const { project, set } = await importText(parts, FILE);
  expect(set.answers).toBe(4);
  expect(set.faults.map(({ line }) => line)).toEqual([5, 7]);
  const { rows } = await db.admin.query(
    `select t.external_id, t.wanted, t.allow, t.state, b.state as batch from tasks t
     join batches b on b.tenant_id = t.tenant_id and b.id = t.batch_id where t.project_id = $1 order by t.line`,
    [project.projectId],
  );
  expect(rows).toEqual([
    { external_id: '1', wanted: 2, allow: null, state: 'OPEN', batch: 'OPEN' },
    { external_id: '2', wanted: 1, allow: null, state: 'OPEN', batch: 'OPEN' },
    { external_id: '3', wanted: 1, allow: null, state: 'OPEN', batch: 'OPEN' },
  ]);
});

test('for a replay each task is given to the workers recorded for it and to nobody else', async () => {
  await using parts = await makeParts(db.database);
  const { project } = await importText(parts, FILE, { replay: true });
  const { held } = await claimOf(project, 'c');
  expect(held?.externalId).toBe('3');
  expect((await claimOf(project, 'b')).held?.externalId).toBe('1');
  expect((await claimOf(project, 'c')).held?.id).toBe(held?.id);
  expect(readImportKey(project.idempotencyKey)?.replay).toBe(true);
});

test('the same file again is the same project, whatever it is called; another name or mode is another', async () => {
  await using parts = await makeParts(db.database);
  const { project } = await importText(parts, FILE);
  const { tenantSlug } = project;
  const again = await importText(parts, FILE, { tenantSlug, defaultName: 'elsewhere' });
  expect(again.projectId).toBe(project.projectId);
  const others = await Promise.all([
    importText(parts, FILE, { tenantSlug, name: 'named' }),
    importText(parts, FILE, { tenantSlug, replay: true }),
    importText(parts, `${FILE}4,a,no\n`, { tenantSlug }),
  ]);
  const ids = new Set([project, ...others.map((other) => other.project)].map(({ projectId }) => projectId));
  expect(ids.size).toBe(4);
  const { rows } = await db.admin.query('select count(*)::int as n from tasks where project_id = $1', [
    project.projectId,
  ]);
  expect(rows).toEqual([{ n: 3 }]);
});

test('two imports of one file at once make one project', async () => {
  await using parts = await makeParts(db.database);
  const tenantSlug = `t-${randomUUID()}`;
  const [one, other] = await Promise.all([
    importText(parts, FILE, { tenantSlug }),
    importText(parts, FILE, { tenantSlug }),
  ]);
  expect(one.projectId).toBe(other.projectId);
});

test('a file without a single answer, or with more labels than a choice has options, makes nothing', async () => {
  await using parts = await makeParts(db.database);
  const tenantSlug = `t-${randomUUID()}`;
  const many = Array.from({ length: 1001 }, (_, n) => `${n},a,${n}\n`).join('');
  await expect(importText(parts, 'item,worker,label\n,a,b\n', { tenantSlug })).rejects.toThrow(
    CrowdFileError,
  );
  await expect(importText(parts, `item,worker,label\n${many}`, { tenantSlug })).rejects.toThrow(
    CrowdFileError,
  );
  const { rows } = await db.admin.query(
    'select count(*)::int as n from projects p join tenants t on t.id = p.tenant_id where t.slug = $1',
    [tenantSlug],
  );
  expect(rows).toEqual([{ n: 0 }]);
});

test('an item that several hundred people answered keeps all of them; names are taken as they stand', async () => {
  await using parts = await makeParts(db.database);
  const crowd = Array.from({ length: 300 }, (_, n) => `"an ""item"", 1",${n},x\n`).join('');
  const { project, set } = await importText(parts, `item,worker,label\n${crowd}" 2", w ,x\n`, {
    replay: true,
  });
  expect(set.faultCount).toBe(0);
  const { rows } = await db.admin.query(
    'select external_id, wanted, cardinality(allow) as allowed from tasks where project_id = $1 order by line',
    [project.projectId],
  );
  expect(rows).toEqual([
    { external_id: 'an "item", 1', wanted: 300, allowed: 300 },
    { external_id: ' 2', wanted: 1, allowed: 1 },
  ]);
  expect((await claimOf(project, ' w ')).held?.externalId).toBe(' 2');
});

test('an export tells each answer with where it comes from, in the same order every time, and is written down', async () => {
  await using parts = await makeParts(db.database);
  const { project } = await importText(parts, FILE, { replay: true });
  await answerAll(project, 'b', 'no');
  const first = await exported(project);
  await answerAll(project, 'a', 'yes');
  await answerAll(project, 'c', 'yes');
  const rows = await exported(project);
  expect(rows.slice(0, 1)).toEqual(first);
  expect(rows.map(({ item, worker, label }) => [item, worker, label])).toEqual([
    ['1', 'b', 'no'],
    ['1', 'a', 'yes'],
    ['2', 'a', 'yes'],
    ['3', 'c', 'yes'],
  ]);
  expect(rows[0]).toMatchObject({ epoch: 1, priceMinor: 5n, currency: 'EUR', batch: 'import' });
  expect(rows[0]?.body).toBe('{"choice":"no"}');
  const log = await db.admin.query(
    `select count(*)::int as n from access_log where subject_type = 'PROJECT' and subject_id = $1 and purpose = 'EXPORT'`,
    [project.projectId],
  );
  expect(log.rows).toEqual([{ n: 2 }]);
});
