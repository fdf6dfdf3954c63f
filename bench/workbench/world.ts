import { randomUUID } from 'node:crypto';
import { DEVELOPMENT_ISSUER } from '../../src/services/access/development-key.js';
import { grantRole } from '../../src/services/access/grants.js';
import { ensureTenant } from '../../src/services/access/people.js';
import { openDatabase } from '../../src/services/platform/database.js';

/** Who is there, before anything is asked of the API. */
export const SLUG = 'bench';
export const OPERATOR = 'bench-operator';
export const CUSTOMER = 'bench-customer';
export const EXPERT = 'bench-expert';

/** Makes a tenant with an operator; all else is made by the API. */
export async function makeTenant(url: string): Promise<void> {
  const db = openDatabase({ url });
  try {
    const tenantId = await ensureTenant(db, { slug: SLUG, name: 'Bench' });
    const who = {
      issuer: DEVELOPMENT_ISSUER,
      subject: OPERATOR,
      displayName: 'Operator',
      role: 'OPERATOR',
    } as const;
    await grantRole(db, { tenantId, actorId: null }, who);
  } finally {
    await db.close();
  }
}

interface Api {
  readonly url: string;
  token(subject: string, role: 'OPERATOR' | 'CUSTOMER' | 'EXPERT'): Promise<string>;
}

const GUIDELINES = `## What makes an answer better

- It is **true**, and says how one can tell.
- It answers what was asked, and nothing else.

| seen | means |
| ---- | ----- |
| a claim without a source | look it up |
`;

/** A project with so many pairs to be judged, all of which can be claimed, and an expert who may. */
export async function makeWork({ url, token }: Api, tasks: number): Promise<void> {
  const operator = await token(OPERATOR, 'OPERATOR');
  const made = (what: string, input: object) => make({ url, token: operator }, what, input);
  const customerId = await made('createCustomer.customer', { name: 'Northwind', subject: CUSTOMER });
  const skillId = await made('createSkill.skill', { name: 'reading' });
  const options = ['left', 'right', 'same'].map((value) => ({ value }));
  const definition = { kind: 'SINGLE_CHOICE', options };
  const type = { name: 'Which is better?', definition, instructions: GUIDELINES };
  const taskTypeId = await made('createTaskType.taskType', type);
  const expertId = await made('createExpert.expert', { handle: 'ada', displayName: 'Ada', subject: EXPERT });
  const skill = { expertId, skillId, status: 'ACTIVE', qualityMean: 0.9, qualityLower: 0.8 };
  await made('setExpertSkill.expert', skill);
  const price = { minorUnits: '25', currency: 'EUR' };
  const project = { customerId, name: 'Pairs', taskTypeId, skillId, redundancy: 1, price };
  const projectId = await made('createProject.project', { ...project, idempotencyKey: randomUUID() });
  await upload(url, operator, {
    projectId,
    rows: Array.from({ length: tasks }, (_, n) => JSON.stringify(pairOf(n))),
  });
}

const WORDS = 'the answer says what one would see if it were so and where that was seen before by whom'.split(
  ' ',
);

/** Some three kilobytes that differ from task to task. */
function pairOf(n: number): object {
  const text = (seed: number) =>
    Array.from({ length: 300 }, (_, at) => WORDS[(seed * 31 + at * (seed + 7)) % WORDS.length]).join(' ');
  return {
    question: `Question ${n}: which of the two would you rather have been given?`,
    left: text(n),
    right: text(n + 3),
  };
}

async function upload(
  url: string,
  token: string,
  { projectId, rows }: { projectId: string; rows: string[] },
): Promise<void> {
  const address = `${url}/v1/projects/${encodeURIComponent(projectId)}/batches?name=bench&format=jsonl`;
  const headers = { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() };
  const answer = await fetch(address, { method: 'POST', headers, body: rows.join('\n') });
  const { id } = (await answer.json()) as { id: string };
  const query = 'query($id: ID!) { node(id: $id) { ... on Batch { state taskCount } } }';
  for (;;) {
    const { node } = await ask<{ node: { state: string; taskCount: string } }>(url, token, {
      query,
      variables: { id },
    });
    if (node.state !== 'STORING') {
      if (Number(node.taskCount) !== rows.length) {
        throw new Error(`Of ${rows.length} tasks ${node.taskCount} were stored.`);
      }
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

interface Asking {
  readonly url: string;
  readonly token: string;
}

/** Runs a mutation such as `createSkill.skill`; answers the id of what it made. */
async function make({ url, token }: Asking, what: string, input: object): Promise<string> {
  const [mutation = '', field = ''] = what.split('.');
  const name = mutation.charAt(0).toUpperCase() + mutation.slice(1);
  const query = `mutation($input: ${name}Input!) { ${mutation}(input: $input) {
    __typename ... on ${name}Payload { ${field} { id } } ... on DomainError { code message } } }`;
  const data = await ask<Record<string, Record<string, { id: string } | undefined>>>(url, token, {
    query,
    variables: { input },
  });
  const id = data[mutation]?.[field]?.id;
  if (id === undefined) {
    throw new Error(`${mutation} was refused: ${JSON.stringify(data)}`);
  }
  return id;
}

async function ask<Data>(url: string, token: string, body: object): Promise<Data> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { data, errors } = (await answer.json()) as { data: Data; errors?: unknown };
  if (errors !== undefined) {
    throw new Error(JSON.stringify(errors));
  }
  return data;
}
