import { Readable } from 'node:stream';
import { ensureTenant } from '../access/people.js';
import { counted } from '../platform/counted.js';
import type { StoringParts } from './batch-storing.js';
import { createBatchFromUpload } from './batches.js';
import { CrowdFileError } from './crowd-columns.js';
import { type CrowdSet, readCrowdSet } from './crowd-set.js';
import { workerHandle } from './import-key.js';
import { importViewer } from './import-operator.js';
import { makeProject } from './import-project.js';
import { storeUntilOpen } from './import-storing.js';

/** The one batch of an import is called so, as is its customer. */
const BATCH_NAME = 'import';

export interface ImportRequest {
  readonly tenantSlug: string;
  /** The issuer of tokens that workers and the operator will come with. */
  readonly issuer: string;
  /** What the project is called unless a name was asked for. */
  readonly defaultName: string;
  /** Asked for: another name makes another project of the same file. */
  readonly name: string | null;
  /** Reserves each task for the workers recorded for it; else every worker of the file may answer any. */
  readonly replay: boolean;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Imported {
  readonly projectId: bigint;
  readonly set: CrowdSet;
}

/**
 * Imports a file of crowd labels as a project: its labels are the options, its workers experts with a skill of their
 * own, its items tasks that want as many answers as were recorded. Resolves when every task can be claimed. The same
 * file again gives the same project; an import that was killed goes on where it was.
 * @throws CrowdFileError, and what the services it calls refuse
 */
export async function importCrowdLabels(parts: StoringParts, request: ImportRequest): Promise<Imported> {
  const tenantId = await ensureTenant(parts.db, { slug: request.tenantSlug, name: request.tenantSlug });
  const { key: fileKey } = await parts.store.put(tenantId, request.body);
  const set = await readStoredSet(parts, { tenantId, fileKey });
  requireImportable(set);
  const viewer = await importViewer(parts.db, { tenantId, ...request });
  const made = await makeProject(parts.db, viewer, { ...request, fileKey, set });
  const { batchId } = await createBatchFromUpload(parts, viewer, {
    projectId: made.projectId,
    name: BATCH_NAME,
    deadline: null,
    idempotencyKey: made.key,
    format: 'JSONL',
    body: Readable.from(taskLines(set, { tag: made.tag, replay: request.replay })),
  });
  await storeUntilOpen(parts, { tenantId, batchId });
  return { projectId: made.projectId, set };
}

/** The answers of a file that is stored already. */
export async function readStoredSet(
  { store }: Pick<StoringParts, 'store'>,
  { tenantId, fileKey }: { tenantId: bigint; fileKey: string },
): Promise<CrowdSet> {
  const { stream } = await store.open(tenantId, fileKey);
  try {
    return await readCrowdSet(stream);
  } finally {
    stream.destroy();
  }
}

/** Bounds that hold for the file as a whole. Options of a choice are listed in full to whoever answers. */
const MOST_LABELS = 1000;

function requireImportable({ answers, labels, faultCount }: CrowdSet): void {
  if (answers === 0) {
    throw new CrowdFileError(
      `The file has no answer that could be imported (${counted(faultCount, 'row')} ${faultCount === 1 ? 'was' : 'were'} faulty).`,
    );
  }
  if (labels.size > MOST_LABELS) {
    throw new CrowdFileError(
      `The file has ${labels.size} different labels; a choice has at most ${MOST_LABELS} options.`,
    );
  }
}

/** The tasks as an upload, always the same bytes for the same file. */
function* taskLines(
  { items }: CrowdSet,
  { tag, replay }: { tag: string; replay: boolean },
): Generator<Buffer> {
  for (const [item, answers] of items) {
    const task = {
      externalId: item,
      payload: { item },
      redundancy: answers.size,
      ...(replay ? { allow: [...answers.keys()].map((worker) => workerHandle(tag, worker)) } : {}),
    };
    yield Buffer.from(`${JSON.stringify(task)}\n`);
  }
}
