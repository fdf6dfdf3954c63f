import { createClient as createSocketClient } from 'graphql-ws';
import WebSocket from 'ws';
import type { Client } from '../../client/client.js';
import {
  ExpertPageDocument,
  ExpertResultsDocument,
  ImportGoldDocument,
  LeaseEndingsDocument,
  type LeaseEndingsSubscription,
  PauseExpertDocument,
  SetRedundancyDocument,
  StandingsDocument,
  type StandingsSubscription,
} from '../../client/generated/graphql.js';
import { goldOf } from '../../runtime/demo/lively-work.js';
import { openProjects } from './customer-life.js';
import { clientOf, type World } from './expert-life.js';
import { noteError } from './tally.js';

const OPERATOR = 'lively-operator';
const GOLDS = 60;
const PAUSED_BY_HAND =
  'Your results in this skill are far below what it asks for. Write to us before you go on.';

/** Makes gold for each project, and rules by which answers are enough. Again: nothing changes. */
export async function prepareWork(world: World): Promise<void> {
  const client = clientOf(world, OPERATOR, 'OPERATOR');
  for (const { kind, projectId } of await openProjects(client, world.signal)) {
    const golds = goldOf(kind, GOLDS);
    const { importGold } = await client.call(
      ImportGoldDocument,
      { input: { projectId, golds } },
      world.signal,
    );
    refuse(importGold);
    const { setRedundancy } = await client.call(
      SetRedundancyDocument,
      { input: { projectId, agree: { agree: kind.redundancy, max: kind.redundancy + 1 } } },
      world.signal,
    );
    refuse(setRedundancy);
  }
}

function refuse(result: { __typename?: string } | null | undefined): void {
  if (result && 'code' in result && result.code !== 'GOLD_ENDED') {
    throw new Error(`The demo's work was refused: ${JSON.stringify(result)}`);
  }
}

/** Listens to the tenant over a WebSocket: counts leases that end, and pauses whose results are far too low. */
export async function liveAsOperator(world: World): Promise<() => void> {
  const client = clientOf(world, OPERATOR, 'OPERATOR');
  const socket = createSocketClient({
    url: world.url.replace(/^http/, 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: async () => ({
      authorization: `Bearer ${await world.tokenOf(OPERATOR, 'OPERATOR')}`,
    }),
    shouldRetry: () => !world.signal.aborted,
    retryAttempts: Number.POSITIVE_INFINITY,
  });
  const listen = <Event>(query: string, variables: Record<string, unknown>, hear: (event: Event) => void) =>
    socket.subscribe<Event>(
      { query, variables },
      {
        next: ({ data, errors }) => (data ? hear(data) : noteError(world.tally, errors?.[0])),
        error: (error) => world.signal.aborted || noteError(world.tally, error),
        complete: () => undefined,
      },
    );
  for (const { projectId } of await openProjects(client, world.signal)) {
    listen<LeaseEndingsSubscription>(String(LeaseEndingsDocument), { projectId }, ({ leaseEvents }) => {
      world.tally.expiries += leaseEvents.kind === 'EXPIRED' ? 1 : 0;
    });
  }
  listen<StandingsSubscription>(String(StandingsDocument), {}, ({ qualityEvents }) => {
    void pauseIfLow(world, client, qualityEvents);
  });
  return () => void socket.dispose();
}

async function pauseIfLow(
  { tally, signal }: World,
  client: Client,
  { kind, phase, expertId, skillId }: StandingsSubscription['qualityEvents'],
): Promise<void> {
  if (kind !== 'STANDING' || (phase !== 'PAUSED' && phase !== 'WARNED') || !expertId || !skillId) {
    return;
  }
  try {
    const input = { expertId, skillId, reason: PAUSED_BY_HAND };
    await client.call(PauseExpertDocument, { input }, signal);
    tally.pauses += 1;
  } catch (error) {
    if (!signal.aborted) {
      noteError(tally, error);
    }
  }
}

/** How many results of gold and adjudications all experts have: what is known of them, by anybody's count but ours. */
export async function resultsOf(world: World): Promise<number> {
  const client = clientOf(world, OPERATOR, 'OPERATOR');
  let results = 0;
  for (let page = await expertsAfter(client, null); ; page = await expertsAfter(client, page.endCursor)) {
    for (const expertId of page.ids) {
      const { expertQuality } = await client.call(ExpertResultsDocument, { expertId });
      results +=
        expertQuality?.scores.reduce((sum, score) => sum + (score.taskType ? score.results : 0), 0) ?? 0;
    }
    if (page.endCursor === null) {
      return results;
    }
  }
}

/** A page of experts; its cursor is null where it is the last. */
async function expertsAfter(
  client: Client,
  after: string | null,
): Promise<{ ids: string[]; endCursor: string | null }> {
  const { experts } = await client.call(ExpertPageDocument, { after });
  const { hasNextPage, endCursor } = experts.pageInfo;
  return {
    ids: experts.edges.map(({ node }) => node.id),
    endCursor: hasNextPage ? (endCursor ?? null) : null,
  };
}
