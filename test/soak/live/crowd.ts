import { setTimeout as wait } from 'node:timers/promises';
import { answerOf, CHOICES, type World } from '../../support/factories.js';
import { between, oneOf, type Random } from '../random.js';

/** Somebody who works over HTTP. */
export interface Worker {
  readonly token: string;
  readonly random: Random;
  readonly site: { anyUrl(random: Random): string };
}

interface Held {
  readonly assignmentId: string;
  readonly lease: { readonly epoch: number; readonly secondsLeft: number };
}

const PAUSE_MS = 15;
const TRIES = 400;
const WHAT_NOW = [
  'submit',
  'submit',
  'submit',
  'submit twice',
  'vanish',
  'release',
  'heartbeat',
  'flag',
] as const;

/** Claims and does something with what is given, so many times. Whoever has a long lease may keep it at the end. */
export async function work(worker: Worker, operations: number): Promise<void> {
  const { random } = worker;
  let flags = 0;
  for (let n = 0; n < operations; n++) {
    const held = (await call(worker, { path: '/v1/tasks/next' })) as Held | null;
    const what = oneOf(random, WHAT_NOW);
    if (held === null || what === 'vanish') {
      await wait(between(random, 5, 150));
    } else if (what === 'flag' && flags > 0) {
      await act(worker, held, 'release');
    } else {
      flags += what === 'flag' ? 1 : 0;
      await act(worker, held, what);
    }
  }
}

async function act(worker: Worker, held: Held, what: string): Promise<void> {
  const path = `/v1/assignments/${held.assignmentId}`;
  const leaseEpoch = held.lease.epoch;
  const answer = answerOf(oneOf(worker.random, CHOICES));
  switch (what) {
    case 'release':
      await call(worker, { path: `${path}/release`, body: { leaseEpoch } });
      return;
    case 'heartbeat':
      await call(worker, {
        path: `${path}/heartbeat`,
        body: { leaseEpoch, lastActivitySeconds: 0, draft: answer },
      });
      return;
    case 'flag':
      await call(worker, { path: `${path}/flag`, body: { leaseEpoch, reason: 'OTHER' } });
      return;
    default: {
      const submit = () => call(worker, { path: `${path}/submit`, body: { leaseEpoch, answer } });
      await Promise.all(what === 'submit twice' ? [submit(), submit()] : [submit()]);
    }
  }
}

/** Sends until it is answered, by whichever node is there: all of these calls may be repeated. Null: nothing, or a refusal. */
async function call(
  { token, random, site }: Worker,
  { path, body }: { path: string; body?: object },
): Promise<unknown> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const response = await fetch(`${site.anyUrl(random)}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => null);
    const text = await response?.text().catch(() => null);
    if (response?.status === 200 && typeof text === 'string') {
      return JSON.parse(text);
    }
    if (response?.status === 204 || response?.status === 409) {
      return null;
    }
    await wait(PAUSE_MS); // Cut off, told to come back, or an outage: whether it was carried out is open.
  }
  throw new Error(`${path} was not answered.`);
}

/** Somebody who decides about experts now and then. */
export async function judge(
  world: World,
  { random, write }: { random: Random; write: (sql: string, values: unknown[]) => Promise<unknown> },
): Promise<void> {
  for (let n = between(random, 1, 6); n > 0; n--) {
    await write(
      `insert into standing_notices (tenant_id, expert_id, skill_id, phase, reason, at, evidence)
       values ($1, $2, $3, $4, 'ACCURACY_BELOW_BAR', app.clock_now(), '{}')`,
      [
        world.tenantId,
        oneOf(random, world.experts).expertId,
        world.skillId,
        oneOf(random, ['WARNED', 'CLEAR']),
      ],
    );
    await wait(between(random, 1, 100));
  }
}
