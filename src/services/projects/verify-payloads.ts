import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { type Database, withSystem } from '../platform/database.js';
import { many } from '../platform/rows.js';
import type { RuleFinding } from '../platform/rules.js';
import type { PayloadStore } from './payload-store.js';

const TaskRow = z.object({ tenantId: z.bigint(), id: z.bigint(), payloadKey: z.string() });
type TaskRow = z.infer<typeof TaskRow>;

const PAGE = 500;
const EXAMPLES = 5;

/**
 * Rule 5 where no SQL reaches: reads the payload of every task from storage and compares it with its digest. A payload
 * that several tasks share is read once a page.
 */
export async function verifyPayloads(db: Database, store: PayloadStore): Promise<RuleFinding> {
  const examples: string[] = [];
  let looked = 0;
  let broken = 0;
  let after: { tenantId: bigint; id: bigint } = { tenantId: 0n, id: 0n };
  for (;;) {
    const page = await tasksAfter(db, after);
    const last = page.at(-1);
    if (last === undefined) {
      break;
    }
    after = last;
    const intact = await readAll(store, page);
    for (const task of page) {
      looked += 1;
      if (!intact.get(nameOf(task))) {
        broken += 1;
        examples.push(`task ${task.id} of tenant ${task.tenantId}`);
      }
    }
  }
  const claim = 'The payload of every task is in storage and is what its digest says.';
  return { rule: 5, claim, looked, broken, examples: examples.slice(0, EXAMPLES) };
}

const nameOf = (task: TaskRow) => `${task.tenantId}/${task.payloadKey}`;

async function readAll(store: PayloadStore, page: TaskRow[]): Promise<Map<string, boolean>> {
  const intact = new Map<string, boolean>();
  for (const task of page) {
    if (!intact.has(nameOf(task))) {
      intact.set(nameOf(task), await isIntact(store, task));
    }
  }
  return intact;
}

/** Reading to the end is the check: the stream fails on other bytes than the digest's. */
async function isIntact(store: PayloadStore, task: TaskRow): Promise<boolean> {
  try {
    const { stream } = await store.open(task.tenantId, task.payloadKey);
    for await (const _chunk of stream) {
      // Only its end matters.
    }
    return true;
  } catch {
    return false;
  }
}

function tasksAfter(db: Database, after: { tenantId: bigint; id: bigint }): Promise<TaskRow[]> {
  return withSystem(db, (tx) =>
    many(
      tx,
      TaskRow,
      Prisma.sql`
        select t.tenant_id as "tenantId", t.id, t.payload_key as "payloadKey" from tasks t
        where (t.tenant_id, t.id) > (${after.tenantId}::bigint, ${after.id}::bigint)
        order by t.tenant_id, t.id limit ${PAGE}`,
    ),
  );
}
