import { Prisma } from '../../../../src/generated/prisma/client.js';
import { type Tx, withScope } from '../../../../src/services/platform/database.js';
import type { TestDb } from '../../../support/db.js';
import type { Expert, World } from '../../../support/factories.js';

/** Names of rows and instants differ between any two experts; texts and figures must not. */
function withoutNames(row: Record<string, unknown>): string {
  const kept = Object.entries(row).map(([key, value]) => {
    const isName = /(^|_)(id|key|line|slot|tag|digest|handle|subject|seq|name|stream|hash|number)$/.test(key);
    const isInstant = typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value);
    return [key, isName || isInstant ? typeof value : value];
  });
  return JSON.stringify(Object.fromEntries(kept));
}

/** What experts are shown, of themselves and by staff. */
export function shownOf(t: TestDb) {
  /** What the expert's own scope shows, an analyst's, or that of the expert who is an analyst too and asks as one. */
  const seenBy = <T>(
    who: 'EXPERT' | 'ANALYST' | 'BOTH',
    { world, expert }: { world: World; expert: Expert },
    read: (tx: Tx) => Promise<T>,
  ) =>
    withScope(
      t.database,
      {
        tenantId: world.tenantId,
        role: who === 'EXPERT' ? 'EXPERT' : 'ANALYST',
        actorId: who === 'ANALYST' ? world.operator.identityId : expert.viewer.identityId,
        expertId: who === 'EXPERT' ? expert.expertId : null,
      },
      read,
    );

  /** Every row of every table that an expert's scope shows. */
  async function everythingShownTo(world: World, expert: Expert): Promise<Record<string, string[]>> {
    const { rows: tables } = await t.admin.query(
      `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and has_table_privilege('touchstone_app', c.oid, 'select')
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id') order by 1`,
    );
    const shown: Record<string, string[]> = {};
    for (const { name } of tables) {
      const text = Prisma.sql`select to_jsonb(t) as row from ${Prisma.raw(`"${name}"`)} t`;
      const seen = await seenBy('EXPERT', { world, expert }, (tx) =>
        tx.$queryRaw<{ row: Record<string, unknown> }[]>(text),
      );
      shown[name] = seen.map(({ row }) => withoutNames(row)).sort();
    }
    return shown;
  }

  return { seenBy, everythingShownTo };
}
