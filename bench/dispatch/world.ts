import { ISSUER } from '../../test/support/api.js';
import { junctionAt, SIDE } from '../../test/support/router/grid.js';
import { withAdmin } from '../claim/machine.js';

/** Workers who go to jobs, and a dispatcher. */
export interface FieldWorld {
  readonly slug: string;
  readonly tenantId: bigint;
  readonly customerId: bigint;
  readonly skillId: bigint;
  readonly dispatcher: string;
  readonly workers: readonly { readonly subject: string; readonly expertId: bigint }[];
}

const [southWest, northEast] = [junctionAt(0, 0), junctionAt(SIDE - 1, SIDE - 1)];
/** Where they are: the town of the test router, ten kilometres wide, with a river and one bridge. */
export const TOWN = {
  south: southWest.latitude,
  west: southWest.longitude,
  north: northEast.latitude,
  east: northEast.longitude,
};
/** The 80 km around it, for MAP_BOUNDS. */
export const BOUNDS = `${TOWN.west - 0.6},${TOWN.south - 0.4},${TOWN.east + 0.6},${TOWN.north + 0.4}`;

/** A tenant of workers who are always on shift, travel, and have a skill; their offers stand for `offerSeconds`. By a few statements. */
export function makeFieldWorld(
  url: string,
  count: number,
  { slug = 'field', offerSeconds = 600 } = {},
): Promise<FieldWorld> {
  return withAdmin(url, async (admin) => {
    await admin.query('insert into tenants (slug, name) values ($1, $1)', [slug]);
    const { rows: made } = await admin.query(
      `with t as (select id from tenants where slug = $1), settings as (
         insert into dispatch_settings (tenant_id, offer_seconds) select id, $2 from t
       ), customer as (
         insert into customers (tenant_id, name) select id, 'Ada' from t returning id
       ), skill as (
         insert into skills (tenant_id, name) select id, 'meters' from t returning id
       ), known as (
         insert into identities (tenant_id, issuer, subject, display_name) select id, $3, $4, $4 from t returning tenant_id, id
       ), granted as (
         insert into identity_roles (tenant_id, identity_id, role) select tenant_id, id, 'DISPATCHER' from known
       )
       select t.id as tenant, customer.id as customer, skill.id as skill from t, customer, skill`,
      [slug, offerSeconds, ISSUER, `${slug}-dispatcher`],
    );
    const { tenant, customer, skill } = made[0];
    const { rows } = await admin.query(WORKERS, [tenant, count, ISSUER, `${slug}-worker-`, skill]);
    await admin.query('vacuum analyze');
    return {
      slug,
      tenantId: BigInt(tenant),
      customerId: BigInt(customer),
      skillId: BigInt(skill),
      dispatcher: `${slug}-dispatcher`,
      workers: rows.map(({ id, handle }: { id: string; handle: string }) => ({
        subject: handle,
        expertId: BigInt(id),
      })),
    };
  });
}

const WORKERS = `with made as (
    insert into experts (tenant_id, handle) select $1::bigint, $4 || n from generate_series(1, $2::int) n returning tenant_id, id, handle
  ), known as (
    insert into identities (tenant_id, issuer, subject, display_name) select tenant_id, $3, handle, handle from made
    returning tenant_id, id, subject
  ), granted as (
    insert into identity_roles (tenant_id, identity_id, role, expert_id)
    select k.tenant_id, k.id, 'EXPERT', m.id from known k join made m on m.handle = k.subject
  ), skilled as (
    insert into expert_skills (tenant_id, expert_id, skill_id, status, quality_mean, quality_lower)
    select tenant_id, id, $5::bigint, 'ACTIVE', 0.9, 0.8 from made
  ), profiles as (
    insert into workers (tenant_id, expert_id, shift_days, shift_start, shift_end, home_latitude, home_longitude, travels)
    select tenant_id, id, '{1,2,3,4,5,6,7}', '00:00', '00:00', 52.44, 13.27, true from made
  )
  select id::text as id, handle from made order by id`;

/** Open jobs for now, as many as asked; their numbers go from `first` on. */
export async function makeJobs(
  url: string,
  { tenantId, customerId, skillId }: FieldWorld,
  count: number,
): Promise<bigint> {
  return withAdmin(url, async (admin) => {
    const { rows } = await admin.query(
      `with made as (
         insert into jobs (tenant_id, customer_id, kind, type, skill_ids, min_quality, latitude, longitude, not_before, due_by, duration_seconds,
                           priority, check_in_code, idempotency_key, request_digest)
         select $1::bigint, $2::bigint, 'ON_DEMAND', 'Check of a meter', array[$3::bigint], 0, 52.44, 13.27, now(), now() + interval '6 h', 1800, 5,
                '000000', gen_random_uuid()::text, n::text
         from generate_series(1, $4::int) n returning id
       )
       select min(id)::text as first from made`,
      [tenantId, customerId, skillId, count],
    );
    await admin.query('vacuum analyze jobs');
    return BigInt(rows[0].first);
  });
}
