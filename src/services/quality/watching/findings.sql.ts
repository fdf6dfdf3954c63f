import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../../platform/rows.js';

/** Kinds of findings about experts. */
export type ExpertFindingKind = 'QUICK_ON_GOLD' | 'SLOW_ON_GOLD' | 'PEER_GAP' | 'SHARED_ERRORS';

/** A finding about experts of a project, with the numbers that it rests on. */
export interface ExpertFinding {
  readonly tenantId: bigint;
  readonly projectId: bigint;
  readonly kind: ExpertFindingKind;
  /** In ascending order. */
  readonly experts: readonly bigint[];
  readonly evidence: object;
}

/**
 * Keeps a finding, once. One whose experts are all named by a kept one of its kind is not new: a ring of which fewer are
 * seen this time is the same ring.
 * @returns the finding about just these experts (null: there is only one about more), and whether a human has said that it means nothing
 */
export async function keepFinding(
  db: Queryable,
  finding: ExpertFinding,
): Promise<{ findingId: bigint | null; isDismissed: boolean }> {
  const { tenantId, projectId, kind, evidence } = finding;
  const experts = finding.experts.map(String);
  await run(
    db,
    Prisma.sql`
      with kept as (
        insert into gold_findings (tenant_id, kind, project_id, experts, evidence, found_at)
        select ${tenantId}, ${kind}::text, ${projectId}, ${experts}::bigint[], ${JSON.stringify(evidence)}::jsonb, app.clock_now()
        where not exists (select from gold_findings f where f.tenant_id = ${tenantId} and f.kind = ${kind}::text
                            and f.project_id = ${projectId} and f.experts @> ${experts}::bigint[])
        on conflict do nothing returning 1
      )
      select count(*)::int from kept`,
  );
  const kept = await maybeOne(
    db,
    z.object({ findingId: z.bigint(), isDismissed: z.boolean() }),
    Prisma.sql`
      select f.id as "findingId", exists (
        select from finding_decisions d where d.tenant_id = f.tenant_id and d.finding_id = f.id and d.decision = 'DISMISSED') as "isDismissed"
      from gold_findings f
      where f.tenant_id = ${tenantId} and f.kind = ${kind}::text and f.project_id = ${projectId} and f.experts = ${experts}::bigint[]
      order by f.id limit 1`,
  );
  return kept ?? { findingId: null, isDismissed: false };
}

/** What the watch over gold and experts can find. */
export const FINDING_KINDS = [
  'LEAKED',
  'UNHEALTHY',
  'QUICK_ON_GOLD',
  'SLOW_ON_GOLD',
  'PEER_GAP',
  'SHARED_ERRORS',
] as const;

const FindingRow = z.object({
  id: z.bigint(),
  kind: z.enum(FINDING_KINDS),
  taskId: z.bigint().nullable(),
  projectId: z.bigint(),
  experts: z.array(z.coerce.bigint()),
  evidence: z.record(z.string(), z.unknown()),
  foundAt: z.date(),
  decisions: z.array(
    z.object({
      decision: z.enum(['DISMISSED', 'PAUSED']),
      expertId: z.coerce.bigint().nullable(),
      reason: z.string(),
      decidedAt: z.coerce.date(),
    }),
  ),
});

/** A finding with what was decided about it, oldest first. */
export type FindingRow = z.infer<typeof FindingRow>;

const findings = Prisma.sql`
  select f.id, f.kind, f.task_id as "taskId", f.project_id as "projectId", to_jsonb(f.experts) as experts, f.evidence,
         f.found_at as "foundAt",
         (select coalesce(jsonb_agg(jsonb_build_object('decision', d.decision, 'expertId', d.expert_id, 'reason', d.reason,
                   'decidedAt', d.decided_at) order by d.id), '[]')
          from finding_decisions d where d.tenant_id = f.tenant_id and d.finding_id = f.id) as decisions
  from gold_findings f where f.tenant_id = app.tenant_id()`;

/** Which findings are asked for; null: any. */
export interface FindingFilter {
  readonly projectId: bigint | null;
  readonly expertId: bigint | null;
  /** Whether nobody has decided about it. */
  readonly isOpen: boolean | null;
}

/** Findings that the scope shows, newest first. */
export const findingPage = (
  db: Queryable,
  { projectId, expertId, isOpen }: FindingFilter,
  { take, afterId }: { take: number; afterId: bigint | null },
): Promise<FindingRow[]> =>
  many(
    db,
    FindingRow,
    Prisma.sql`
      ${findings}
        and (${afterId}::bigint is null or f.id < ${afterId}::bigint)
        and (${projectId}::bigint is null or f.project_id = ${projectId}::bigint)
        and (${expertId}::bigint is null or ${expertId}::bigint = any (f.experts))
        and (${isOpen}::boolean is null or ${isOpen}::boolean = not exists (
               select from finding_decisions d where d.tenant_id = f.tenant_id and d.finding_id = f.id))
      order by f.id desc limit ${take}`,
  );

/** One finding that the scope shows. */
export const findingById = async (db: Queryable, id: bigint): Promise<FindingRow | null> =>
  (await many(db, FindingRow, Prisma.sql`${findings} and f.id = ${id}`))[0] ?? null;

/** The project that a finding is about, and what its answers consist of. */
export const placeOf = (db: Queryable, { tenantId, findingId }: { tenantId: bigint; findingId: bigint }) =>
  one(
    db,
    z.object({ projectId: z.bigint(), dimensions: z.string() }),
    Prisma.sql`
      select p.id as "projectId", y.dimensions from gold_findings f
      join projects p on p.tenant_id = f.tenant_id and p.id = f.project_id
      join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id
      where f.tenant_id = ${tenantId} and f.id = ${findingId}`,
  );
