import type { InputIssue } from '../access/errors.js';
import type { Tx } from '../platform/database.js';
import type { NewGold } from '../quality/gold/golds.js';
import type { GoldPlace } from '../quality/gold/golds.sql.js';
import { givenAsTasks, looksOf, namesTaken } from '../quality/gold/looks.sql.js';

/** What is known of a project's tasks that gold has to look like. */
interface Tasks {
  readonly payloads: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** Of each media type, whether tasks of it have names. */
  readonly named: ReadonlyMap<string, ReadonlySet<boolean>>;
}

const NAMED = 'NAMED ';

/**
 * Why experts could tell gold: they had its payload or its name as a task, or no task has its media type, or a name where it has
 * one (or none). What is gold already is not looked at again: it is set aside instead.
 * @param standing payloads that are gold of the project already
 * @returns an issue each, by place; none where the project has no tasks yet
 */
export async function toldIssues(
  tx: Tx,
  place: GoldPlace,
  { rows, standing }: { rows: readonly NewGold[]; standing: ReadonlySet<string> },
): Promise<InputIssue[]> {
  const tasks = await tasksOf(tx, place, rows);
  return rows.flatMap((row, i) =>
    standing.has(row.payloadKey)
      ? []
      : faultsOf(row, tasks).map(([field, message]) => ({ path: `/golds/${i}/${field}`, message })),
  );
}

async function tasksOf(tx: Tx, place: GoldPlace, rows: readonly NewGold[]): Promise<Tasks> {
  const payloadKeys = rows.map(({ payloadKey }) => payloadKey);
  const names = rows.flatMap(({ externalId }) => externalId ?? []);
  const taken = await namesTaken(tx, place, names);
  const named = new Map<string, Set<boolean>>();
  for (const { look } of await looksOf(tx, place)) {
    const hasName = look.startsWith(NAMED);
    const type = hasName ? look.slice(NAMED.length) : look;
    named.set(type, (named.get(type) ?? new Set()).add(hasName));
  }
  return {
    payloads: await givenAsTasks(tx, place, payloadKeys),
    names: new Set(taken.filter(({ isGold }) => !isGold).map(({ name }) => name)),
    named,
  };
}

function faultsOf({ payloadKey, externalId, contentType }: NewGold, tasks: Tasks): [string, string][] {
  const faults: [string, string][] = [];
  if (tasks.payloads.has(payloadKey)) {
    faults.push([
      'payload',
      'The project has this payload as a task: whoever had that would know it. Give a payload that is none of its tasks.',
    ]);
  }
  const named = tasks.named.get(contentType);
  if (tasks.named.size > 0 && named === undefined) {
    const types = [...tasks.named.keys()].slice(0, 3).join(', ');
    faults.push(['contentType', `Give that of the project’s tasks (${types}): experts see it.`]);
  }
  if (named !== undefined && !named.has(externalId !== null)) {
    faults.push([
      'externalId',
      externalId === null
        ? 'Give one that looks like those of the project’s tasks: experts see it, and all tasks have one.'
        : 'Leave it out: experts see it, and no task of the project has one.',
    ]);
  }
  if (externalId !== null && tasks.names.has(externalId)) {
    faults.push(['externalId', 'A task of the project has this one: whoever had that would know it.']);
  }
  return faults;
}
