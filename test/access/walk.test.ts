// @once: the policies and resolvers are the same text on every PostgreSQL; test/rules/rule-16.test.ts looks at both
import { afterEach, beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/schema/index.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { questions } from './support/questions.js';
import { allTexts, secretsFor, type Text, textColumns } from './support/secrets.js';
import { nodeTypes } from './support/selection.js';
import { type Ground, type Leak, walk } from './support/walk.js';
import { makeWalkTenant, type Viewer } from './support/walk-world.js';

// Rule 16, from outside: everything that the schema has, with the ids of everything that there is, asked for in every
// role of two tenants and of two customers in each. What must not be read is worked out from the rows themselves.

const db = useTestDb();
const api = useTestApi(db);

let viewers: Viewer[] = [];
let texts: Text[] = [];
let ground: Ground;

beforeAll(async () => {
  viewers = [
    ...(await makeWalkTenant(api, db.admin, 'acme')),
    ...(await makeWalkTenant(api, db.admin, 'umbrella')),
  ];
  texts = await allTexts(db.admin, api.server.app.ids);
  const ids = new Map<string, string[]>(nodeTypes(schema).map((type) => [type, []]));
  for (const { column, value } of texts.filter(({ column }) => column === 'id')) {
    const type = api.server.app.ids.decode(value)?.type ?? column;
    ids.get(type)?.push(value);
  }
  ground = { api, schema, ids, sizes: new Map() };
});

const secretsOf = (viewer: Viewer) => secretsFor(viewer.eyes, texts, viewer.held);

/** Columns whose texts are words of ours or keys of ours, that no owner gives. */
const WITHOUT_OWNERS_TEXT =
  /\.(state|status|role|kind|source|currency|format|reason|routing_reason|status_before|purpose|subject_type|owner_kind|origin|pay_on|cancel_policy|stream|dimension|raw_key|issuer|use|phase|client_version|form_variant|next|results|matrices|accuracies|redundancy_policy|cause|severity|method|job|capacity|end_reason|aside|whole_policy|from_state|confidence|eta_confidence|check_in_code|types|told)$/;

test('every text column of every tenant’s table has something to look for', async () => {
  const filled = new Set(texts.map(({ table, column }) => `${table}.${column}`));
  const empty = (await textColumns(db.admin))
    .map(({ table, column }) => `${table}.${column}`)
    .filter((name) => !filled.has(name) && !WITHOUT_OWNERS_TEXT.test(name));
  expect(empty).toEqual([]);
});

test('every id type of the schema has ids of both tenants to try', () => {
  for (const [type, ids] of ground.ids) {
    expect(ids.length, type).toBeGreaterThanOrEqual(2);
  }
});

const readBy = new Map<Viewer, string>();

/**
 * All of one tenant, and the one of the other that may read most: the policies are the same, each walk tries the ids of
 * both tenants, and CI has a quarter of an hour. So on the second PostgreSQL one of each role goes.
 */
const walkers = () => {
  const of = process.env.TEST_POSTGRES === '15' ? /acme-one|acme$/ : /acme|operator umbrella/;
  return viewers.filter(({ name }) => of.test(name));
};

test('no role of any tenant or customer reads what is not theirs', async () => {
  const asked = [...questions(ground)].map((one) => ('document' in one ? 1 : one.ids.length));
  for (const viewer of walkers()) {
    const secrets = secretsOf(viewer);
    expect(secrets.size, viewer.name).toBeGreaterThan(100);
    const walked = await walk(ground, { viewer, secrets });
    expect(unique(walked.leaks), viewer.name).toEqual([]);
    // However many went into one request.
    expect(walked.answers, viewer.name).toBe(asked.reduce((sum, count) => sum + count, 0));
    readBy.set(viewer, walked.read);
  }
}, 600_000);

const SIGHTED: Readonly<Record<Viewer['eyes']['role'], readonly RegExp[]>> = {
  EXPERT: [
    /Project acme-one/,
    /Instructions of acme-one/,
    /draft of acme-one/,
    /right by acme-one/,
    /item-1-acme-one/,
    /Needed of the worker/,
  ],
  CUSTOMER: [
    /Project acme-one/,
    /Failure of acme-one/,
    /Batch acme-one/,
    /right by acme-one/,
    /Type of acme-one/,
  ],
  ANALYST: [/Customer acme-one/, /Pause of acme-one/, /expert acme-two/, /right by acme-two/],
  DISPATCHER: [/expert acme-one/, /Job for/, /Sent to the Job for/],
  OPERATOR: [/Customer acme-two/, /Conflict of acme-two/, /OPERATOR acme-one/, /right by acme-two/],
};

test('the walk saw what each role may see', () => {
  for (const viewer of viewers.filter(({ name }) => /acme-one|acme$/.test(name))) {
    for (const sight of SIGHTED[viewer.eyes.role]) {
      expect(readBy.get(viewer), viewer.name).toMatch(sight);
    }
  }
});

/**
 * Tables whose policy alone keeps a secret from somebody, and from whom. Where it is not named here, another policy
 * stands before it: an answer is reached through a project or assignment, a draft through an assignment.
 */
const OPENED: readonly (readonly [table: string, role: Viewer['eyes']['role']])[] = [
  ['customers', 'OPERATOR'],
  ['experts', 'OPERATOR'],
  ['identities', 'OPERATOR'],
  ['skills', 'CUSTOMER'],
  ['task_types', 'CUSTOMER'],
  ['projects', 'CUSTOMER'],
  ['batches', 'CUSTOMER'],
  ['tasks', 'CUSTOMER'],
  ['assignments', 'EXPERT'],
  ['payouts', 'EXPERT'],
  ['jobs', 'CUSTOMER'],
  ['offers', 'EXPERT'],
  ['trace_exports', 'EXPERT'],
  ['access_log', 'OPERATOR'],
];

let opened: string | null = null;
afterEach(async () => {
  if (opened !== null) {
    await db.admin.query(`drop policy hole on ${opened}`);
    opened = null;
  }
});

test.each(OPENED)(
  'without the policy on %s the walk of an %s finds a leak',
  async (table, role) => {
    await db.admin.query(`create policy hole on ${table} for select to touchstone_app using (true)`);
    opened = table;
    const viewer = viewers.find(({ eyes }) => eyes.role === role);
    if (viewer === undefined) {
      throw new Error(`Nobody is ${role}.`);
    }
    const { leaks } = await walk(ground, { viewer, secrets: secretsOf(viewer) }, { untilFirstLeak: true });
    expect(leaks).not.toEqual([]);
  },
  60_000,
);

function unique(leaks: readonly Leak[]): string[] {
  return [...new Set(leaks.map(({ by, secret }) => `${by} → ${secret}`))];
}
