import type pg from 'pg';
import { type Database, withService, withSystem } from '../../src/services/platform/database.js';
import { addGolds, type NewGold } from '../../src/services/quality/gold/golds.js';
import { bringBack } from '../../src/services/quality/gold/out-of-sight.sql.js';
import type { TestDb } from './db.js';
import { answerOf, CHOICES, unique, type World } from './factories.js';

/** The dimension of the factories' task type. */
const DIMENSIONS = [{ name: 'choice', pointer: '/choice', scale: 'nominal', values: CHOICES }] as const;

type Choice = (typeof CHOICES)[number];

/** Gold of a world's project, one for each key given, in their order. */
export function makeGolds(
  db: Database,
  { tenantId, projectId, operator }: Pick<World, 'tenantId' | 'projectId' | 'operator'>,
  {
    keys,
    barred = [],
    look = {},
  }: {
    keys: readonly Choice[];
    barred?: readonly bigint[];
    look?: Partial<Pick<NewGold, 'payloadBytes' | 'contentType' | 'externalId'>>;
  },
): Promise<bigint[]> {
  const golds = keys.map((key) => ({
    payloadKey: unique('payload'),
    // As the tasks of `enqueue` look.
    payloadBytes: 2,
    contentType: 'application/json',
    externalId: null,
    ...look,
    values: [{ dimension: 'choice', text: answerOf(key).choice, number: null }],
    barred,
  }));
  const place = { tenantId, projectId, source: 'HAND', actorId: operator.identityId } as const;
  return withService(db, { tenantId, actorId: operator.identityId }, async (tx) => {
    const added = await addGolds(tx, place, { golds, dimensions: DIMENSIONS });
    return golds.map(({ payloadKey }) => {
      const found = added.find((one) => one.payloadKey === payloadKey);
      if (found === undefined) {
        throw new Error(`The gold ${payloadKey} was not added`);
      }
      return found.taskId;
    });
  });
}

/** Past the next tick of a project of one-minute leases, brings back what is due there; answers how many tasks came. */
export async function nextTick(
  t: Pick<TestDb, 'advance' | 'database'>,
  { tenantId, projectId }: Pick<World, 'tenantId' | 'projectId'>,
): Promise<number> {
  await t.advance(121);
  return withSystem(t.database, (tx) => bringBack(tx, { tenantId, projectId }));
}

/** Sets the rate of an expert in everything they do in a tenant: at 0 no claim of theirs becomes gold. */
export async function setGoldRate(
  admin: pg.Client,
  { tenantId, expertId }: { tenantId: bigint; expertId: bigint },
  rate: number,
): Promise<void> {
  await admin.query(
    `insert into gold_rates (tenant_id, expert_id, skill_id, task_type_id, rate, reason, computed_at)
     select s.tenant_id, s.expert_id, s.skill_id, y.id, $3, 'EVIDENCE', now()
     from expert_skills s join task_types y on y.tenant_id = s.tenant_id
     where s.tenant_id = $1 and s.expert_id = $2
     on conflict (tenant_id, expert_id, skill_id, task_type_id) do update set rate = excluded.rate`,
    [tenantId, expertId, rate],
  );
}
