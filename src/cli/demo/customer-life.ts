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

/** Uploads the first batches of each project, at most so many of each, so far as they are not there. */
export async function bringFirstWork(
  world: World,
  { share, most }: { share: number; most: number },
): Promise<void> {
  const client = clientOf(world, CUSTOMER, 'CUSTOMER');
  for (const project of await openProjects(client, world.signal)) {
    const batches = project.kind.batches.slice(0, most);
    const { count } = await batchesOf(client, project, world.signal);
    for (let n = count; n < batches.length; n++) {
      await upload(world, project, { n, items: Math.max(2, Math.round((batches[n] ?? 0) * share)) });
    }
  }
}

/** Brings what is left of the first work, and then more wherever it runs out, until the demo ends. */
export async function liveAsCustomer(world: World, share: number): Promise<void> {
  await bringFirstWork(world, { share, most: Number.POSITIVE_INFINITY }).catch((error: unknown) => {
    if (!world.signal.aborted) {
      throw error;
    }
  });
  const client = clientOf(world, CUSTOMER, 'CUSTOMER');
  const random = randomOf(world.seed, CUSTOMER);
  while (!world.signal.aborted) {
    await pause(world, LOOK_SECONDS);
    try {
      for (const project of await openProjects(client, world.signal)) {
        await bringMore(
          world,
          { client, project, items: Math.round((40 + 200 * random()) * share) + 2 },
          share,
        );
      }
    } catch (error) {
      if (!world.signal.aborted) {
        noteError(world.tally, error);
      }
    }
  }
}

/** One batch more where little is left. */
async function bringMore(
  world: World,
  { client, project, items }: { client: Client; project: OpenProject; items: number },
  share: number,
): Promise<void> {
  if (project.openAnswers >= LOW_WATER * share) {
    return;
  }
  const { count, isStoring } = await batchesOf(client, project, world.signal);
  if (!isStoring) {
    await upload(world, project, { n: count, items });
  }
}

/** How many batches a project has, and whether one of them is still being taken in: its tasks are in no count yet. */
async function batchesOf(
  client: Client,
  { projectId }: OpenProject,
  signal: AbortSignal,
): Promise<{ count: number; isStoring: boolean }> {
  const states: string[] = [];
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const page: BatchPageQuery = await client.call(BatchPageDocument, { projectId, after }, signal);
    const batches = page.node?.__typename === 'Project' ? page.node.batches : null;
    states.push(...(batches?.edges.map(({ node }) => node.state) ?? []));
    after = batches?.pageInfo.hasNextPage ? batches.pageInfo.endCursor : undefined;
  }
  return { count: states.length, isStoring: states.includes('STORING') };
}

/** One batch as a file, over plain HTTP, as a script of the customer's would send it. */
async function upload(
  world: World,
  { kind, projectId }: OpenProject,
  { n, items }: { n: number; items: number },
): Promise<void> {
  const now = performance.timeOrigin + performance.now();
  const address = new URL(`/v1/projects/${projectId}/batches`, world.url);
  address.searchParams.set('name', `Batch ${n + 1}`);
  address.searchParams.set('format', 'jsonl');
  address.searchParams.set('deadline', new Date(now + kind.deadlineMinutes * MS_A_MINUTE).toISOString());
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
