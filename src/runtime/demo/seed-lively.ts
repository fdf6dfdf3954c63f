import { grantRole } from '../../services/access/grants.js';
import {
  createCustomer,
  createExpert,
  createSkill,
  ensureTenant,
  setExpertSkill,
} from '../../services/access/people.js';
import type { Role, Viewer } from '../../services/access/viewer.js';
import { type Database, withService } from '../../services/platform/database.js';
import { createProject } from '../../services/projects/projects.js';
import { createTaskType } from '../../services/tasks/task-type-store.js';
import type { Character } from './characters.js';
import { LIVELY_KINDS, LIVELY_SKILLS, type LivelyKind } from './lively-work.js';

/** The short name of the tenant in which simulated experts live. */
export const LIVELY_TENANT = 'lively';

/** Who has a token beside the experts. */
export const LIVELY_STAFF: readonly { role: Role; subject: string; displayName: string }[] = [
  { role: 'CUSTOMER', subject: 'lively-customer', displayName: 'Customer' },
  { role: 'OPERATOR', subject: 'lively-operator', displayName: 'Operator' },
  { role: 'ANALYST', subject: 'lively-analyst', displayName: 'Analyst' },
];

const CUSTOMER = 'Northwind Evaluation';
/** At once: more would wait for connections. */
const SEEDED_AT_ONCE = 6;
/** What is vouched for whoever is no newcomer, until it is measured. */
const VOUCHED = { qualityMean: 0.85, qualityLower: 0.7 };

export interface LivelyOptions {
  readonly db: Database;
  /** Of the tokens that the server accepts. */
  readonly tokenIssuer: string;
  readonly characters: readonly Character[];
  /** How long a task may be held: short, so that one sees leases end. */
  readonly leaseSeconds: number;
  /** Ends it early; another run goes on from there. */
  readonly signal?: AbortSignal;
}

interface Desk extends LivelyOptions {
  readonly operator: Viewer;
}

/**
 * Makes the lively tenant: staff, skills, task types, experts, and a project of each kind, without tasks. What is there
 * stays as it is, so that it may be run again, and goes on where an earlier run was cut off.
 */
export async function seedLively(options: LivelyOptions): Promise<void> {
  const tenantId = await ensureTenant(options.db, { slug: LIVELY_TENANT, name: 'Lively' });
  const who = { tenantId, actorId: null };
  const grant = { issuer: options.tokenIssuer, subject: 'lively-operator', displayName: 'Operator' };
  const { identityId } = await grantRole(options.db, who, { ...grant, role: 'OPERATOR' });
  const desk = { ...options, operator: operatorOf(tenantId, identityId) };
  const customerId = await ensure(desk, {
    find: (tx) => tx.customer.findFirst({ where: { name: CUSTOMER } }),
    make: async () => (await createCustomer(desk.db, desk.operator, { name: CUSTOMER })).customerId,
  });
  await staff(desk, customerId);
  const skillIds = await skills(desk);
  await experts(desk, skillIds);
  for (const kind of LIVELY_KINDS) {
    await project(desk, kind, { customerId, skillId: known(skillIds, kind.skill) });
  }
}

const operatorOf = (tenantId: bigint, identityId: bigint): Viewer => ({
  tenantId,
  tenantSlug: LIVELY_TENANT,
  identityId,
  displayName: 'Operator',
  role: 'OPERATOR',
  customerId: null,
  expertId: null,
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  requestId: 'seed',
});

async function staff({ db, tokenIssuer, operator }: Desk, customerId: bigint): Promise<void> {
  const who = { tenantId: operator.tenantId, actorId: operator.identityId };
  for (const { role, ...person } of LIVELY_STAFF) {
    const of = role === 'CUSTOMER' ? { customerId } : {};
    await grantRole(db, who, { issuer: tokenIssuer, ...person, role, ...of });
  }
}

async function skills(desk: Desk): Promise<Map<string, bigint>> {
  const ids = new Map<string, bigint>();
  for (const name of LIVELY_SKILLS) {
    const id = await ensure(desk, {
      find: (tx) => tx.skill.findFirst({ where: { name } }),
      make: async () => (await createSkill(desk.db, desk.operator, { name })).skillId,
    });
    ids.set(name, id);
  }
  return ids;
}

/** Only those who are not there yet: at a second start that is nobody. */
async function experts(desk: Desk, skillIds: ReadonlyMap<string, bigint>): Promise<void> {
  const [seen, held] = await withService(desk.db, serviceOf(desk), async (tx) => [
    new Map((await tx.expert.findMany()).map(({ handle, id }) => [handle, id])),
    new Set((await tx.expertSkill.findMany()).map(({ expertId, skillId }) => `${expertId} ${skillId}`)),
  ]);
  const waiting = desk.characters.values();
  const lanes = Array.from({ length: SEEDED_AT_ONCE }, async () => {
    for (const character of waiting) {
      if (desk.signal?.aborted) {
        return;
      }
      const expertId = seen.get(character.name) ?? null;
      const wanted = character.skills.map((skill) => known(skillIds, skill));
      await expert(desk, character, {
        expertId,
        skillIds: wanted.filter((skillId) => !held.has(`${expertId} ${skillId}`)),
      });
    }
  });
  await Promise.all(lanes);
}

/** An expert, and the skills that it lacks. */
async function expert(
  { db, operator, tokenIssuer }: Desk,
  { name, isNewcomer }: Character,
  lacking: { expertId: bigint | null; skillIds: readonly bigint[] },
): Promise<void> {
  const identity = { issuer: tokenIssuer, subject: name, displayName: name };
  const expertId =
    lacking.expertId ?? (await createExpert(db, operator, { handle: name, identity })).expertId;
  for (const skillId of lacking.skillIds) {
    const standing = isNewcomer
      ? { status: 'PROBATION' as const, qualityMean: null, qualityLower: null }
      : { status: 'ACTIVE' as const, ...VOUCHED };
    await setExpertSkill(db, operator, { expertId, skillId, ...standing });
  }
}

async function project(
  desk: Desk,
  kind: LivelyKind,
  refs: { customerId: bigint; skillId: bigint },
): Promise<void> {
  const { db, operator, leaseSeconds } = desk;
  const { taskType: name, instructions, definition } = kind;
  const taskTypeId = await ensure(desk, {
    find: (tx) => tx.taskType.findFirst({ where: { name, customerId: null } }),
    make: async () => {
      const type = { name, instructions, definition, customerId: null };
      return (await createTaskType(db, operator, type)).taskTypeId;
    },
  });
  const idempotencyKey = `lively-${kind.key}`;
  const { priceMinor, redundancy, weight } = kind;
  const terms = { priceMinor, redundancy, weight, currency: 'EUR', minQuality: 0, deadline: null };
  await ensure(desk, {
    find: (tx) => tx.project.findFirst({ where: { customerId: refs.customerId, idempotencyKey } }),
    make: async () => {
      const made = { name: kind.project, taskTypeId, ...refs, ...terms, leaseSeconds, idempotencyKey };
      return (await createProject(db, operator, { ...made, origin: 'DEMO' })).projectId;
    },
  });
}

type Tx = Parameters<Parameters<typeof withService>[2]>[0];

/** The id of what is found, or else of what is made. */
async function ensure(
  desk: Desk,
  { find, make }: { find: (tx: Tx) => Promise<{ id: bigint } | null>; make: () => Promise<bigint> },
): Promise<bigint> {
  const found = await withService(desk.db, serviceOf(desk), find);
  return found?.id ?? make();
}

const serviceOf = ({ operator }: Desk) => ({
  tenantId: operator.tenantId,
  actorId: operator.identityId,
});

function known(ids: ReadonlyMap<string, bigint>, name: string): bigint {
  const id = ids.get(name);
  if (id === undefined) {
    throw new Error(`The lively tenant has no ${name}.`);
  }
  return id;
}
