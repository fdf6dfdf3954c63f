import type { App } from '../context.js';
import { grantRole } from '../services/access/grants.js';
import {
  createCustomer,
  createExpert,
  createSkill,
  ensureTenant,
  setExpertSkill,
} from '../services/access/people.js';
import type { Viewer } from '../services/access/viewer.js';
import { withService } from '../services/platform/database.js';
import { createBatch } from '../services/projects/batches.js';
import { createProject } from '../services/projects/projects.js';
import { createTaskType } from '../services/tasks/task-type-store.js';
import { DEMO_PEOPLE, DEMO_TENANT, type DemoPerson } from './demo/people.js';
import { DEMO_PROJECTS, DEMO_SKILLS, DEMO_TASK_TYPES, type DemoProject } from './demo/work.js';

const CUSTOMER = 'Northwind School';
/** A lease in the demo: long enough to look around, short enough to see one end. */
const LEASE_SECONDS = 300;

/** What the demo's steps work with. */
interface Desk {
  readonly app: App;
  readonly operator: Viewer;
}

/**
 * Fills the demo tenant: people, a task type of each kind, two projects with little batches. Whatever is there already
 * stays as it is, so that it may be run at every start, and goes on where an earlier run was cut off.
 */
export async function seedDemo(app: App): Promise<void> {
  const tenantId = await ensureTenant(app.db, { slug: DEMO_TENANT, name: 'Demo' });
  const desk = { app, operator: await staff(app, tenantId) };
  const customerId = await ensure(desk, {
    find: (tx) => tx.customer.findFirst({ where: { name: CUSTOMER } }),
    make: async () => (await createCustomer(app.db, desk.operator, { name: CUSTOMER })).customerId,
  });
  const skillIds = new Map<string, bigint>();
  for (const name of DEMO_SKILLS) {
    skillIds.set(name, await skill(desk, name));
  }
  await people(desk, { customerId, skillIds: [...skillIds.values()] });
  const taskTypeIds = new Map<string, bigint>();
  for (const type of DEMO_TASK_TYPES) {
    taskTypeIds.set(type.name, await taskType(desk, type));
  }
  for (const [n, project] of DEMO_PROJECTS.entries()) {
    const skillId = known(skillIds, project.skill);
    const taskTypeId = known(taskTypeIds, project.taskType);
    await work(desk, project, { customerId, skillId, taskTypeId, key: `demo-${n + 1}` });
  }
}

/** The operator grants everything else, and stands as its actor. */
async function staff(app: App, tenantId: bigint): Promise<Viewer> {
  let operator: Viewer | null = null;
  for (const { role, subject, displayName } of DEMO_PEOPLE) {
    if (role === 'CUSTOMER' || role === 'EXPERT') {
      continue;
    }
    const grant = { issuer: app.tokenIssuer, subject, displayName, role };
    const { identityId } = await grantRole(app.db, { tenantId, actorId: null }, grant);
    if (role === 'OPERATOR') {
      operator = viewerOf(tenantId, identityId);
    }
  }
  if (operator === null) {
    throw new Error('The demo has no operator.');
  }
  return operator;
}

const viewerOf = (tenantId: bigint, identityId: bigint): Viewer => ({
  tenantId,
  tenantSlug: DEMO_TENANT,
  identityId,
  displayName: 'Operator',
  role: 'OPERATOR',
  customerId: null,
  expertId: null,
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  requestId: 'seed',
});

async function people(
  { app, operator }: Desk,
  { customerId, skillIds }: { customerId: bigint; skillIds: readonly bigint[] },
): Promise<void> {
  const who = { tenantId: operator.tenantId, actorId: operator.identityId };
  for (const person of DEMO_PEOPLE) {
    const identity = { issuer: app.tokenIssuer, ...person };
    if (person.role === 'CUSTOMER') {
      await grantRole(app.db, who, { ...identity, customerId });
    } else if (person.role === 'EXPERT') {
      await expert({ app, operator }, person, skillIds);
    }
  }
}

async function expert(
  { app, operator }: Desk,
  person: DemoPerson,
  skillIds: readonly bigint[],
): Promise<void> {
  const expertId = await ensure(
    { app, operator },
    {
      find: (tx) => tx.expert.findFirst({ where: { handle: person.displayName } }),
      async make() {
        const identity = { issuer: app.tokenIssuer, ...person };
        const input = { handle: person.displayName, identity };
        return (await createExpert(app.db, operator, input)).expertId;
      },
    },
  );
  const held = await withService(app.db, service(operator), (tx) =>
    tx.expertSkill.findMany({ where: { expertId } }),
  );
  for (const skillId of skillIds.filter((id) => !held.some((row) => row.skillId === id))) {
    const quality = { qualityMean: 0.85, qualityLower: 0.7 };
    await setExpertSkill(app.db, operator, { expertId, skillId, status: 'ACTIVE', ...quality });
  }
}

const skill = (desk: Desk, name: string): Promise<bigint> =>
  ensure(desk, {
    find: (tx) => tx.skill.findFirst({ where: { name } }),
    make: async () => (await createSkill(desk.app.db, desk.operator, { name })).skillId,
  });

const taskType = (desk: Desk, type: (typeof DEMO_TASK_TYPES)[number]): Promise<bigint> =>
  ensure(desk, {
    find: (tx) => tx.taskType.findFirst({ where: { name: type.name, customerId: null } }),
    make: async () =>
      (await createTaskType(desk.app.db, desk.operator, { ...type, customerId: null })).taskTypeId,
  });

/** A project that is there already may have been changed or cancelled since: then it is left alone. */
async function work(
  desk: Desk,
  demo: DemoProject,
  ref: { customerId: bigint; skillId: bigint; taskTypeId: bigint; key: string },
): Promise<void> {
  const { app, operator } = desk;
  const { key: idempotencyKey, ...refs } = ref;
  const { name, priceMinor, redundancy, minQuality } = demo;
  const terms = { name, priceMinor, redundancy, minQuality, currency: 'EUR', weight: 10, deadline: null };
  const projectId = await ensure(desk, {
    find: (tx) => tx.project.findFirst({ where: { customerId: refs.customerId, idempotencyKey } }),
    async make() {
      const input = {
        ...terms,
        ...refs,
        idempotencyKey,
        leaseSeconds: LEASE_SECONDS,
        origin: 'DEMO' as const,
      };
      return (await createProject(app.db, operator, input)).projectId;
    },
  });
  if (!(await isRunning(desk, projectId))) {
    return;
  }
  for (const { name: batch, tasks } of demo.batches) {
    await ensure(desk, {
      find: (tx) => tx.batch.findFirst({ where: { projectId, idempotencyKey: batch } }),
      async make() {
        const input = { projectId, name: batch, deadline: null, idempotencyKey: batch, tasks };
        return (await createBatch({ db: app.db, store: app.payloads }, operator, input)).batchId;
      },
    });
  }
}

async function isRunning({ app, operator }: Desk, projectId: bigint): Promise<boolean> {
  const find = (tx: Tx) => tx.project.findFirst({ where: { id: projectId, state: 'RUNNING' } });
  return (await withService(app.db, service(operator), find)) !== null;
}

type Tx = Parameters<Parameters<typeof withService>[2]>[0];

/** The id of what is found, or else of what is made. */
async function ensure(
  { app, operator }: Desk,
  { find, make }: { find: (tx: Tx) => Promise<{ id: bigint } | null>; make: () => Promise<bigint> },
): Promise<bigint> {
  const found = await withService(app.db, service(operator), find);
  return found?.id ?? make();
}

const service = ({ tenantId, identityId }: Viewer) => ({ tenantId, actorId: identityId });

function known(ids: ReadonlyMap<string, bigint>, name: string): bigint {
  const id = ids.get(name);
  if (id === undefined) {
    throw new Error(`The demo has no ${name}.`);
  }
  return id;
}
