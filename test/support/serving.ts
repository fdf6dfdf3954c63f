import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { connect } from '../../src/runtime/connect.js';
import { sha256Hex } from '../../src/services/platform/canonical.js';
import type { Expert } from './factories.js';

/** What app.serve answers to one request. */
export interface Served {
  readonly outcome: string;
  readonly assignment?: {
    readonly id: number;
    readonly taskId: number;
    readonly projectId: number;
    readonly epoch: number;
  };
}

/** A connection as requests have it, for batches by a test's own hand. */
export const connectApp = (t: { appUrl: string }): Promise<pg.Client> => connect(t.appUrl, 'touchstone test');

const BODY = '{"choice":"yes"}';

export const claimRequest = (expert: Expert, skillId: bigint | null = null) => ({
  expert: String(expert.expertId),
  actor: String(expert.viewer.identityId),
  skill: skillId === null ? null : String(skillId),
  tokenHash: randomBytes(32).toString('hex'),
  requestId: 'test',
});

export const submitRequest = (expert: Expert, held: { id: number; epoch: number }) => ({
  expert: String(expert.expertId),
  actor: String(expert.viewer.identityId),
  assignment: String(held.id),
  epoch: held.epoch,
  body: BODY,
  digest: sha256Hex(BODY),
  confidence: null,
  values: [{ dimension: 'choice', text: 'yes', number: null }],
});

/** One batch. */
export async function serve(
  client: pg.Client,
  tenantId: bigint,
  batch: {
    submits?: readonly ReturnType<typeof submitRequest>[];
    claims?: readonly ReturnType<typeof claimRequest>[];
  },
): Promise<{ submits: Served[]; claims: Served[] }> {
  const { rows } = await client.query('select app.serve($1, $2, $3) as result', [
    tenantId,
    JSON.stringify(batch.submits ?? []),
    JSON.stringify(batch.claims ?? []),
  ]);
  return rows[0].result;
}

/**
 * Experts who claim and answer in turn, a batch of all of them at a time, until `count` claims were given.
 * @returns the projects of the claims, in their order
 */
export async function workThrough(
  client: pg.Client,
  { tenantId, experts, count }: { tenantId: bigint; experts: readonly Expert[]; count: number },
): Promise<number[]> {
  const given: number[] = [];
  let submits: ReturnType<typeof submitRequest>[] = [];
  while (given.length < count) {
    const claims = experts.slice(0, count - given.length).map((expert) => claimRequest(expert));
    const served = await serve(client, tenantId, { submits, claims });
    submits = [];
    for (const [index, { assignment }] of served.claims.entries()) {
      const expert = experts[index];
      if (assignment === undefined || expert === undefined) {
        throw new Error(`A claim was answered ${JSON.stringify(served.claims[index])}`);
      }
      given.push(assignment.projectId);
      submits.push(submitRequest(expert, assignment));
    }
  }
  await serve(client, tenantId, { submits });
  return given;
}

/** In this database near equals are drawn at random again, as in production. */
export async function restoreChance(admin: pg.Client): Promise<void> {
  await admin.query(
    'create or replace function app.chance() returns double precision language sql volatile as $$ select random() $$',
  );
}
