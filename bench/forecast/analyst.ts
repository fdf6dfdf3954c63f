import type { RunningServer } from '../../src/server.js';
import { withScope } from '../../src/services/platform/database.js';
import type { World } from '../claim/world.js';
import type { Beside } from './beside.js';

/** As dear as an analyst's query may be: every list inside every list, as long as the limits let it. */
const GRAPHQL = [
  `{ projects(first: 100) { edges { node { name progress { tasksTotal tasksDone leased } forecast { expectedDoneAt }
       tasks(first: 60) { edges { node { id state wanted } } } } } } }`,
  `{ projects(first: 100) { edges { node { name riskPolicy { threshold } spend { minorUnits } progress { tasksOpen }
       answers(first: 50) { edges { cursor } } batches(first: 10) { edges { node { name forecast { probabilityOnTime } progress { tasksOpen } } } } } } } }`,
  `{ assignments(first: 100) { edges { cursor } } experts(first: 100) { edges { node { handle skills { status } pauses { reason } } } }
     forecastAccuracy { brier crpsHours alerts { missed } } spend { amount { minorUnits } } }`,
] as const;

/** Worse than what the API can be made to run: all tasks against each other, and all of them sorted on disk. */
const SQL = [
  'select count(*)::int as n from tasks a join tasks b on a.line <> b.line',
  `select count(*)::int as n from (select t.*, repeat(payload_key, 8) as x from tasks t order by x desc offset 1) s`,
] as const;

/** What an analyst may be told instead of an answer: that the query is as dear as it is. */
const BOUNDS: readonly unknown[] = ['QUERY_TOO_SLOW', 'QUERY_TOO_LARGE', 'TIMEOUT'];

/** Asks, to the end of the answer. @throws Error where the server refuses it otherwise than for what it costs */
async function ask(server: RunningServer, token: string, query: string): Promise<void> {
  const answer = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  const { errors = [] } = (await answer.json()) as { errors?: { extensions?: { code?: string } }[] };
  if (errors.some(({ extensions }) => !BOUNDS.includes(extensions?.code))) {
    throw new Error(`The server refuses ${query}: ${JSON.stringify(errors).slice(0, 500)}`);
  }
}

/** Analysts who ask the same over HTTP again and again, each of the queries at once. */
export const asking =
  (server: RunningServer, token: string): Beside =>
  async (isOver) => {
    const one = async (query: string) => {
      while (!isOver()) {
        await ask(server, token, query);
      }
    };
    await Promise.all(GRAPHQL.map(one));
  };

/** The worst statements on both connections that analysts have. */
export const grinding =
  ({ app: { db } }: RunningServer, { tenantId }: World): Beside =>
  async (isOver) => {
    const over = new AbortController();
    const scope = { tenantId: BigInt(tenantId), role: 'ANALYST', actorId: 0n, signal: over.signal } as const;
    const one = async (text: string) => {
      while (!isOver()) {
        await withScope(db, scope, (tx) => tx.$queryRawUnsafe(text)).catch(() => undefined);
      }
    };
    const ground = SQL.map(one);
    const look = setInterval(() => isOver() && over.abort(), 20);
    await Promise.all(ground);
    clearInterval(look);
  };

/** Asks each of the queries once, so that none is measured that the server refuses. @throws Error */
export async function requireAnswers(server: RunningServer, token: string): Promise<void> {
  for (const query of GRAPHQL) {
    await ask(server, token, query);
  }
}
