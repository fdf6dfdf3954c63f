import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import {
  clearDeliveries,
  pauseSeconds,
  sendDelivery,
  takeDeliveries,
} from '../../src/services/events/webhooks/deliver.js';
import { disableWebhook, setWebhook } from '../../src/services/events/webhooks/webhooks.js';
import { judgeProjects } from '../../src/services/forecast/risk.js';
import { withService } from '../../src/services/platform/database.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import { makeTenant, makeWorld } from '../support/factories.js';
import { openReceiver } from './receiver.js';
import { ids, isSignedWith, KEY, never, notesOf, useWebhooks } from './webhook-desk.js';

// What webhooks are told, and that nothing is lost, sent out of order or sent by two at once.

const { t, parts, tenantWith, tell, round, rounds, kept } = useWebhooks();

test('what happens to projects, batches and alerts is told with opaque ids, and what is rolled back is not', async () => {
  const world = await makeWorld(t.database, { tasks: 1, experts: 1 });
  const receiver = await openReceiver();
  const { secret } = await setWebhook(parts(), world.operator, { url: receiver.url });
  await expect(
    withService(t.database, { tenantId: world.tenantId, actorId: null }, async (tx) => {
      await tx.project.updateMany({ where: { id: world.projectId }, data: { name: 'never' } });
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await t.admin.query("update batches set deadline = now() + interval '1 day' where tenant_id = $1", [
    world.tenantId,
  ]);
  await t.admin.query(
    "update tasks set state = 'DONE', counted = wanted, done_at = now() where tenant_id = $1",
    [world.tenantId],
  );
  await judgeProjects(t.database, [world]);
  await t.admin.query(
    "update batches set state = 'FAILED', failure = 'Line 3.', stored_at = null where tenant_id = $1",
    [world.tenantId],
  );
  await cancelProject(t.database, world.customer.viewer, { projectId: world.projectId, policy: 'STOP' });
  await rounds();
  expect(receiver.received.map(({ type }) => type).sort()).toEqual([
    'alert.raised',
    'batch.failed',
    'batch.finished',
    'batch.updated',
    'project.cancelled',
  ]);
  const cancelled = receiver.received.find(({ type }) => type === 'project.cancelled');
  expect(cancelled?.data).toMatchObject({
    projectId: ids.encode('Project', world.projectId),
    customerId: ids.encode('Customer', world.customer.customerId),
    state: 'CANCELLED',
  });
  expect(receiver.received.every((message) => isSignedWith(secret ?? '', message))).toBe(true);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(5);
  const told = receiver.received.flatMap(({ data }) => Object.entries(data));
  expect(told.filter(([name, value]) => name.endsWith('Id') && ids.decode(String(value)) === null)).toEqual(
    [],
  );
});

test('a message that fails holds up its subject and nothing else, and comes again with the same id and bytes', async () => {
  const receiver = await openReceiver(({ data }) => (data.note === 'a1' ? 500 : 204));
  const tenant = await tenantWith(receiver.url);
  for (const note of ['a1', 'b1', 'a2', 'b2', 'a3']) {
    await tell(tenant, note.slice(0, 1), note);
  }
  expect(await rounds()).toEqual(['RETRY', 'DELIVERED', 'DELIVERED']);
  expect(notesOf(receiver.received).sort()).toEqual(['a1', 'b1', 'b2']);
  expect(await kept(tenant)).toMatchObject([
    { state: 'PENDING', attempts: 1, status: 500, error: 'The receiver answered 500.' },
    {},
    {},
    {},
    {},
  ]);
  receiver.reply(() => 200);
  expect(await rounds()).toEqual([]);
  await t.advance(5);
  expect(await rounds()).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED']);
  expect(notesOf(receiver.received).filter((note) => note.startsWith('a'))).toEqual(['a1', 'a1', 'a2', 'a3']);
  const [first, again] = receiver.received.filter(({ data }) => data.note === 'a1');
  expect([again?.id, again?.body]).toEqual([first?.id, first?.body]);
});

test('a long queue behind a message that fails hides no other subject', async () => {
  const receiver = await openReceiver(({ data }) => (data.note === 'other' ? 204 : 500));
  const tenant = await tenantWith(receiver.url);
  await t.admin.query(
    `insert into webhook_deliveries (tenant_id, epoch, subject, type, data, created_at, due_at)
     select $1, 1, 'long', 'webhook.test', jsonb_build_object('note', n::text), now(), app.clock_now() from generate_series(1, 600) n`,
    [tenant.tenantId],
  );
  await tell(tenant, 'short', 'other');
  for (let looks = 0; looks < 4; looks += 1) {
    await round();
  }
  expect(notesOf(receiver.received)).toEqual(['1', 'other']);
});

test('pauses grow from five seconds to an hour, and spread', () => {
  const longest = [1, 2, 3, 11, 80].map((attempt) => pauseSeconds(attempt, () => 0));
  expect(longest).toEqual([5, 10, 20, 3_600, 3_600]);
  expect(pauseSeconds(1, () => 0.999)).toBeGreaterThan(3.7);
});

test('ten senders at once send each message once, and each subject in order', async () => {
  const receiver = await openReceiver();
  const tenants = [
    await tenantWith(receiver.url),
    await tenantWith(receiver.url),
    await tenantWith(receiver.url),
  ];
  const expected: string[] = [];
  for (const [n, tenant] of tenants.entries()) {
    for (let m = 0; m < 24; m += 1) {
      expected.push(`${n}/${m % 6}/${m}`);
      await tell(tenant, `s${m % 6}`, `${n}/${m % 6}/${m}`);
    }
  }
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      while (receiver.received.length < expected.length) {
        await round(8);
      }
    }),
  );
  const notes = notesOf(receiver.received);
  expect([...notes].sort()).toEqual([...expected].sort());
  const subjectOf = (note: string) => note.slice(0, note.lastIndexOf('/'));
  for (const subject of new Set(expected.map(subjectOf))) {
    expect(notes.filter((note) => subjectOf(note) === subject)).toEqual(
      expected.filter((note) => subjectOf(note) === subject),
    );
  }
});

test('a sender that hung is overtaken after half a minute, and what it says then is not believed', async () => {
  const receiver = await openReceiver();
  const tenant = await tenantWith(receiver.url);
  await tell(tenant, 's', 'one');
  const [hung] = await takeDeliveries(parts(), 10);
  expect(await takeDeliveries(parts(), 10)).toEqual([]);
  await t.advance(31);
  const [taken] = await takeDeliveries(parts(), 10);
  expect(taken?.fence).toBe(2);
  receiver.reply(() => 500);
  expect(hung && (await sendDelivery(parts(), hung, never))).toBe('LOST');
  receiver.reply(() => 204);
  expect(taken && (await sendDelivery(parts(), taken, never))).toBe('DELIVERED');
  expect(await kept(tenant)).toMatchObject([{ state: 'DELIVERED', attempts: 2 }]);
});

/** A process that sends, until it is killed. */
function spawnSender(): ChildProcess {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', new URL('./sender-child.ts', import.meta.url).pathname, t.url, KEY],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a sender that is killed in the middle of an attempt loses nothing', async () => {
  const receiver = await openReceiver(() => undefined);
  const tenant = await tenantWith(receiver.url);
  for (const note of ['a', 'b', 'c']) {
    await tell(tenant, note, note);
  }
  await tell(tenant, 'a', 'a2');
  const child = spawnSender();
  await receiver.came(3);
  child.kill('SIGKILL');
  await once(child, 'exit');
  receiver.reply(() => 204);
  expect(await rounds()).toEqual([]);
  await t.advance(31);
  expect(await rounds()).toHaveLength(4);
  expect(notesOf(receiver.received.slice(3)).sort()).toEqual(['a', 'a2', 'b', 'c']);
  expect((await kept(tenant)).every(({ state }) => state === 'DELIVERED')).toBe(true);
}, 60_000);

test('while a webhook is disabled what happens is kept, for two weeks, and sent when it is set again', async () => {
  const receiver = await openReceiver();
  const tenant = await tenantWith(receiver.url);
  await disableWebhook(parts(), tenant.operator, { reason: 'We move.' });
  await tell(tenant, 's', 'old');
  await t.advance(8 * 86_400);
  await tell(tenant, 's', 'young');
  expect(await rounds()).toEqual([]);
  await t.advance(7 * 86_400);
  await clearDeliveries(t.database);
  expect(await kept(tenant)).toHaveLength(1);
  expect(await setWebhook(parts(), tenant.operator, { url: receiver.url })).toEqual({ secret: null });
  await rounds();
  expect(notesOf(receiver.received)).toEqual(['young']);
  const without = await makeTenant(t.database);
  await tell(without, 's', 'nobody');
  expect(await kept(without)).toEqual([]);
});
