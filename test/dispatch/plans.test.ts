import { expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';

// How functions of dispatch are planned (decision 146): what is called says so, and what it calls does not say it again, sixty times a
// decision. Whoever replaces one of these has to say its settings again, or not to.
const t = useTestDb();

const PLANNED = [
  ...['enable_hashjoin=off', 'enable_mergejoin=off', 'enable_seqscan=off', 'jit=off'],
  'plan_cache_mode=force_generic_plan',
];

test.each([
  ...[
    'create_job',
    'begin_assigning',
    'sift_workers',
    'lease_job',
    'override_job',
    'answer_offer',
    'qualified_workers',
    'nearest_homes',
    'due_jobs_of',
  ].map((name) => ({
    name,
    settings: PLANNED,
  })),
  ...[
    'free_slot',
    'free_hand',
    'held_range',
    'busy_range',
    'assignable',
    'expire_offers',
    'fit_workers',
    'is_in_area',
    'is_in_shift',
    'expire_offers_of',
    'insert_offer',
    'may_have',
    'rows_around',
  ].map((name) => ({ name, settings: [] })),
])('app.$name has the settings that it is to have', async ({ name, settings }) => {
  const { rows } = await t.admin.query(
    `select array(select unnest(p.proconfig) order by 1) as settings from pg_proc p
     where p.pronamespace = 'app'::regnamespace and p.proname = $1`,
    [name],
  );
  expect(rows).toEqual([{ settings }]);
});
