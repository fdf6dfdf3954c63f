import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { ExpertRef, World } from './world.js';

// The database's side alone: app.serve called as the node calls it, on one connection.

export interface Held {
  readonly expert: ExpertRef;
  readonly assignment: number;
  readonly epoch: number;
  readonly projectId: number;
  readonly taskId: number;
}

export interface ServeOutcome {
  readonly outcome: string;
  readonly assignment?: { id: number; epoch: number; projectId: number; taskId: number };
}

const BODY = '{"choice":"yes"}';
const DIGEST = createHash('sha256').update(BODY).digest('hex');
const VALUES = [{ dimension: 'choice', text: 'yes', number: null }];

export interface Batch {
  readonly submits?: readonly Held[];
  readonly claims?: readonly ExpertRef[];
  readonly skill?: number | null;
}

/** One call of app.serve. @returns the outcomes in the order of what was asked */
export async function serve(
  client: pg.Client,
  world: Pick<World, 'tenantId'>,
  { submits = [], claims = [], skill = null }: Batch,
): Promise<{ submits: ServeOutcome[]; claims: ServeOutcome[] }> {
  const { rows } = await client.query({
    name: 'serve',
    text: 'select app.serve($1::bigint, $2::jsonb, $3::jsonb) as result',
    values: [
      world.tenantId,
      JSON.stringify(submits.map(submitOf)),
      JSON.stringify(claims.map((expert) => claimOf(expert, skill))),
    ],
  });
  return rows[0]?.result;
}

const submitOf = ({ expert, assignment, epoch }: Held) => ({
  expert: String(expert.expertId),
  actor: String(expert.identityId),
  assignment: String(assignment),
  epoch,
  body: BODY,
  digest: DIGEST,
  confidence: null,
  values: VALUES,
});

const claimOf = ({ expertId, identityId }: ExpertRef, skill: number | null) => ({
  expert: String(expertId),
  actor: String(identityId),
  skill: skill === null ? null : String(skill),
  tokenHash: randomBytes(32).toString('hex'),
  requestId: 'bench',
});

/** Claims for one expert by a batch of one, and by the exact look where the fast one found nothing. Null: nothing. */
export async function claimOne(
  client: pg.Client,
  world: Pick<World, 'tenantId'>,
  expert: ExpertRef,
): Promise<Held | null> {
  const [outcome] = (await serve(client, world, { claims: [expert] })).claims;
  return outcome === undefined ? null : heldOf(expert, outcome);
}

/** What an outcome gave to its expert, if it gave something. */
export function heldOf(expert: ExpertRef, { assignment }: ServeOutcome): Held | null {
  if (assignment === undefined) {
    return null;
  }
  const { id, epoch, projectId, taskId } = assignment;
  return { expert, assignment: id, epoch, projectId, taskId };
}
