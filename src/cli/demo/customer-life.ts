import type { Client } from '../../client/client.js';
import {
  BatchPageDocument,
  type BatchPageQuery,
  ProjectListDocument,
} from '../../client/generated/graphql.js';
import { itemsOf, LIVELY_KINDS, type LivelyKind } from '../../runtime/demo/lively-work.js';
import { randomOf } from '../../services/platform/random.js';
import { clientOf, pause, type World } from './expert-life.js';
import { noteError } from './tally.js';

const CUSTOMER = 'lively-customer';
const LOOK_SECONDS = 5;
/** With fewer open answers than this the customer brings more work. */
const LOW_WATER = 60;
const MS_A_MINUTE = 60_000;
const FIRST_DEADLINE_MINUTES = 30;

/** A kind of work, with the project that it is in. */
export interface OpenProject {
  readonly kind: LivelyKind;
  readonly projectId: string;
  readonly openAnswers: number;
}

/** The tenant's projects, as whoever asks sees them. */
export async function openProjects(client: Client, signal: AbortSignal): Promise<OpenProject[]> {
  const { projects } = await client.call(ProjectListDocument, {}, signal);
  return projects.edges.flatMap(({ node }) => {
    const kind = LIVELY_KINDS.find(({ project }) => project === node.name);
    const openAnswers = node.progress.answersWanted - node.progress.answersCounted;
    return kind === undefined ? [] : [{ kind, projectId: node.id, openAnswers }];
  });
}

/** Uploads the first batches of each project, so far as they are not there. */
export async function bringFirstWork(world: World, share: number): Promise<void> {
  const client = clientOf(world, CUSTOMER, 'CUSTOMER');
  for (const project of await openProjects(client, world.signal)) {
    const { batches } = project.kind;
    for (let n = await batchesOf(client, project, world.signal); n < batches.length; n++) {
      await upload(world, project, { n, items: Math.max(2, Math.round((batches[n] ?? 0) * share)) });
    }
  }
}

/** Brings more work wherever it runs out, until the demo ends. */
export async function liveAsCustomer(world: World, share: number): Promise<void> {
  const client = clientOf(world, CUSTOMER, 'CUSTOMER');
  const random = randomOf(world.seed, CUSTOMER);
  while (!world.signal.aborted) {
    await pause(world, LOOK_SECONDS);
    try {
      for (const project of await openProjects(client, world.signal)) {
        if (project.openAnswers < LOW_WATER * share) {
          const n = await batchesOf(client, project, world.signal);
          const items = Math.round((40 + 200 * random()) * share) + 2;
          await upload(world, project, { n, items });
        }
      }
    } catch (error) {
      if (!world.signal.aborted) {
        noteError(world.tally, error);
      }
    }
  }
}

/** How many batches a project has. */
async function batchesOf(client: Client, { projectId }: OpenProject, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const page: BatchPageQuery = await client.call(BatchPageDocument, { projectId, after }, signal);
    const batches = page.node?.__typename === 'Project' ? page.node.batches : null;
    count += batches?.edges.length ?? 0;
    after = batches?.pageInfo.hasNextPage ? batches.pageInfo.endCursor : undefined;
  }
  return count;
}

/** One batch as a file, over plain HTTP, as a script of the customer's would send it. */
async function upload(
  world: World,
  { kind, projectId }: OpenProject,
  { n, items }: { n: number; items: number },
): Promise<void> {
  const isFirst = n < kind.batches.length - 1;
  const minutes = isFirst ? FIRST_DEADLINE_MINUTES : kind.deadlineMinutes;
  const now = performance.timeOrigin + performance.now();
  const address = new URL(`/v1/projects/${projectId}/batches`, world.url);
  address.searchParams.set('name', `Batch ${n + 1}`);
  address.searchParams.set('format', 'jsonl');
  address.searchParams.set('deadline', new Date(now + minutes * MS_A_MINUTE).toISOString());
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await world.tokenOf(CUSTOMER, 'CUSTOMER')}`,
      'idempotency-key': `lively-${kind.key}-${n + 1}`,
      'content-type': 'application/x-ndjson',
    },
    body: itemsOf(kind, n, items)
      .map((item) => `${JSON.stringify(item)}\n`)
      .join(''),
    signal: world.signal,
  });
  if (!response.ok) {
    throw new Error(`An upload was answered ${response.status}: ${await response.text()}`);
  }
  world.tally.uploads += 1;
}
