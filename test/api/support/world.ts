import { randomBytes, randomUUID } from 'node:crypto';
import { grantRole } from '../../../src/services/access/grants.js';
import { ensureTenant } from '../../../src/services/access/people.js';
import { ISSUER, type TestApi } from '../../support/api.js';
import { until } from './until.js';

/** A tenant made through the API itself: its people's tokens, and a project with open tasks. */
export interface ApiWorld {
  readonly slug: string;
  readonly tenantId: bigint;
  readonly operator: string;
  readonly analyst: string;
  readonly dispatcher: string;
  readonly customer: string;
  readonly customerId: string;
  readonly experts: readonly { readonly token: string; readonly id: string; readonly handle: string }[];
  readonly skillId: string;
  readonly taskTypeId: string;
  readonly projectId: string;
  /** An id as alerts have them, of no alert. */
  readonly alertId: string;
  /** An id as deliveries have them, of no delivery. */
  readonly deliveryId: string;
  /** An id as findings have them, of no finding. */
  readonly findingId: string;
  /** Ids as jobs and offers have them, of none. */
  readonly jobId: string;
  readonly offerId: string;
}

export interface ApiWorldOptions {
  readonly experts?: number;
  readonly tasks?: number;
  readonly redundancy?: number;
  /** Stands in every text that the tenant has, so that a leak can be seen. */
  readonly marker?: string;
}

export const CHOICE = { kind: 'SINGLE_CHOICE', options: [{ value: 'yes' }, { value: 'no' }] };

/** Makes a tenant with everybody in it, a project and a stored batch. */
export async function makeApiWorld(api: TestApi, options: ApiWorldOptions = {}): Promise<ApiWorld> {
  const { experts: count = 1, tasks = 3, redundancy = 1, marker = 'plain' } = options;
  const slug = `t-${randomBytes(6).toString('hex')}`;
  const tenantId = await ensureTenant(api.server.app.db, { slug, name: `Tenant ${marker}` });
  const staff = (role: 'OPERATOR' | 'ANALYST' | 'DISPATCHER') =>
    staffToken(api, { slug, tenantId, role, marker });
  const operator = await staff('OPERATOR');
  const customer = await makeCustomer(api, { slug, tenantId, operator, marker });
  const skillId = await idOf(api, operator, 'createSkill.skill')({ name: `Skill ${marker}` });
  const taskTypeId = await idOf(
    api,
    customer.token,
    'createTaskType.taskType',
  )({
    name: `Type ${marker}`,
    definition: CHOICE,
    instructions: `Read with care: ${marker}.`,
  });
  const experts = [];
  for (let n = 0; n < count; n++) {
    experts.push(await makeExpert(api, { slug, operator, skillId, marker }));
  }
  const projectId = await makeProject(api, customer.token, { taskTypeId, skillId, redundancy, marker });
  if (tasks > 0) {
    await makeBatch(api, customer.token, { projectId, tasks, marker });
  }
  return {
    slug,
    tenantId,
    operator,
    analyst: await staff('ANALYST'),
    dispatcher: await staff('DISPATCHER'),
    customer: customer.token,
    customerId: customer.id,
    experts,
    skillId,
    taskTypeId,
    projectId,
    alertId: api.server.app.ids.encode('Alert', 0n),
    deliveryId: api.server.app.ids.encode('WebhookDelivery', 0n),
    findingId: api.server.app.ids.encode('QualityFinding', 0n),
    jobId: api.server.app.ids.encode('Job', 0n),
    offerId: api.server.app.ids.encode('Offer', 0n),
  };
}

/** One more customer of a tenant, and a token that acts for it. */
export async function makeCustomer(
  api: TestApi,
  { slug, tenantId, operator, marker }: { slug: string; tenantId: bigint; operator: string; marker: string },
): Promise<{ id: string; token: string }> {
  const name = `Customer ${marker} ${randomBytes(3).toString('hex')}`;
  const id = await idOf(api, operator, 'createCustomer.customer')({ name });
  const subject = `customer-${randomUUID()}`;
  const customerId = api.server.app.ids.decode(id)?.id ?? 0n;
  const identity = { issuer: ISSUER, subject, displayName: name, role: 'CUSTOMER', customerId } as const;
  await grantRole(api.server.app.db, { tenantId, actorId: null }, identity);
  return { id, token: await api.token({ subject, tenantSlug: slug, role: 'CUSTOMER' }) };
}

/** One more expert with the skill, and their token. */
export async function makeExpert(
  api: TestApi,
  { slug, operator, skillId, marker }: { slug: string; operator: string; skillId: string; marker: string },
): Promise<{ id: string; token: string; handle: string }> {
  const subject = `expert-${randomUUID()}`;
  const handle = `expert ${marker} ${subject.slice(-6)}`;
  const id = await idOf(api, operator, 'createExpert.expert')({ handle, displayName: handle, subject });
  await idOf(
    api,
    operator,
    'setExpertSkill.expert',
  )({
    expertId: id,
    skillId,
    status: 'ACTIVE',
    qualityMean: 0.9,
    qualityLower: 0.8,
  });
  return { id, handle, token: await api.token({ subject, tenantSlug: slug, role: 'EXPERT' }) };
}

/** One more project of the token's customer. */
export function makeProject(
  api: TestApi,
  token: string,
  p: { taskTypeId: string; skillId: string; redundancy?: number; marker?: string },
): Promise<string> {
  return idOf(
    api,
    token,
    'createProject.project',
  )({
    name: `Project ${p.marker ?? 'plain'}`,
    taskTypeId: p.taskTypeId,
    skillId: p.skillId,
    redundancy: p.redundancy ?? 1,
    price: { minorUnits: '125', currency: 'EUR' },
    idempotencyKey: `key ${p.marker ?? ''} ${randomUUID()}`,
  });
}

/** Sends tasks and waits until they can be claimed. */
export async function makeBatch(
  api: TestApi,
  token: string,
  { projectId, tasks, marker }: { projectId: string; tasks: number; marker: string },
): Promise<string> {
  const id = await idOf(
    api,
    token,
    'createBatch.batch',
  )({
    projectId,
    name: `Batch ${marker}`,
    idempotencyKey: `key ${marker} ${randomUUID()}`,
    tasks: Array.from({ length: tasks }, (_, n) => ({
      externalId: `item-${n + 1}-${marker}`,
      payload: { question: `Is ${n} even? ${marker}` },
    })),
  });
  await until(async () => {
    const { data } = await api.graphql(
      token,
      'query($id: ID!) { node(id: $id) { ... on Batch { state } } }',
      { id },
    );
    return data.node.state !== 'STORING';
  });
  return id;
}

async function staffToken(
  api: TestApi,
  who: { slug: string; tenantId: bigint; role: 'OPERATOR' | 'ANALYST' | 'DISPATCHER'; marker: string },
): Promise<string> {
  const { slug, tenantId, role, marker } = who;
  const subject = `${role}-${randomUUID()}`;
  const identity = { issuer: ISSUER, subject, displayName: `${role} ${marker}`, role };
  await grantRole(api.server.app.db, { tenantId, actorId: null }, identity);
  return api.token({ subject, tenantSlug: slug, role });
}

/** Runs a mutation, such as `createSkill.skill`, and answers the id of what it made; a refusal fails the test. */
export function idOf(api: TestApi, token: string, what: string): (input: object) => Promise<string> {
  const [mutation = '', field = ''] = what.split('.');
  const name = mutation.charAt(0).toUpperCase() + mutation.slice(1);
  const document = `mutation($input: ${name}Input!) { ${mutation}(input: $input) {
    __typename ... on ${name}Payload { ${field} { id } } ... on DomainError { code message } } }`;
  return async (input) => {
    const result = (await api.graphql(token, document, { input })).data[mutation];
    if (result.__typename !== `${name}Payload`) {
      throw new Error(`${mutation} was refused: ${JSON.stringify(result)}`);
    }
    return result[field].id;
  };
}
