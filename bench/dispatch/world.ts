import { ISSUER } from '../../test/support/api.js';
import { withAdmin } from '../claim/machine.js';

/** Workers who report where they are. */
export interface FieldWorld {
  readonly slug: string;
  readonly workers: readonly { readonly subject: string; readonly expertId: bigint }[];
}

/** A tenant of workers who are always on shift and travel, by a few statements. */
export function makeFieldWorld(url: string, count: number): Promise<FieldWorld> {
  const slug = 'field';
  return withAdmin(url, async (admin) => {
    await admin.query('insert into tenants (slug, name) values ($1, $1)', [slug]);
    const { rows } = await admin.query(
      `with t as (select id from tenants where slug = $1), made as (
         insert into experts (tenant_id, handle) select t.id, 'worker-' || n from t, generate_series(1, $2::int) n
         returning tenant_id, id, handle
       ), known as (
         insert into identities (tenant_id, issuer, subject, display_name) select tenant_id, $3, handle, handle from made
         returning tenant_id, id, subject
       ), granted as (
         insert into identity_roles (tenant_id, identity_id, role, expert_id)
         select k.tenant_id, k.id, 'EXPERT', m.id from known k join made m on m.handle = k.subject
       ), profiles as (
         insert into workers (tenant_id, expert_id, shift_days, shift_start, shift_end, home_latitude, home_longitude, travels)
         select tenant_id, id, '{1,2,3,4,5,6,7}', '00:00', '00:00', 52.5, 13.4, true from made
       )
       select id::text as id, handle from made order by id`,
      [slug, count, ISSUER],
    );
    await admin.query('vacuum analyze');
    const workers = rows.map(({ id, handle }: { id: string; handle: string }) => ({
      subject: handle,
      expertId: BigInt(id),
    }));
    return { slug, workers };
  });
}
