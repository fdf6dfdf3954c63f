import { randomInt } from 'node:crypto';
import type { Tx } from '../../platform/database.js';
import type { Dimension } from '../../tasks/task-types.js';
import { classDimension, refreshPool } from './golds.js';
import { type GoldPlace, typeOfProject } from './golds.sql.js';
import * as sql from './looks.sql.js';
import { nameLike } from './names.js';

/** What experts see of a task that is being given, and its payload's key. */
interface SeenTask {
  readonly externalId: string | null;
  readonly contentType: string;
  readonly payloadBytes: number;
  readonly payloadKey: string;
}

/**
 * Looks at a project's gold again when tasks are given, in the caller's transaction: an expert may have both by then. Gold of
 * their payloads or names is retired, gold without a name that nobody was shown is given one where all tasks have one, and gold
 * that none of the tasks looks like is set aside, until one does. The caller holds {@link sql.holdLooks}.
 */
export async function regardTasks(tx: Tx, place: GoldPlace, tasks: readonly SeenTask[]): Promise<void> {
  const grew = await sql.noteLooks(tx, place, JSON.stringify(tasks));
  if (!(await sql.hasGold(tx, place))) {
    return;
  }
  const names = tasks.flatMap(({ externalId }) => externalId ?? []);
  if (grew || names.length > 0) {
    await nameGold(tx, place, names);
  }
  const changed = grew ? await sql.setGoldAside(tx, place) : 0;
  const payloadKeys = tasks.map(({ payloadKey }) => payloadKey);
  const retired = await sql.retireGiven(tx, place, { payloadKeys, names });
  if (changed + retired > 0) {
    await refresh(tx, place);
  }
}

/** What was given of a gold: how it is to look. */
type GivenLook = Pick<SeenTask, 'payloadKey' | 'externalId' | 'contentType'>;

/** As {@link regardTasks}, when gold was given: what is aside looks as it is given now, and what no task looks like is set aside. */
export async function regardGold(tx: Tx, place: GoldPlace, given: readonly GivenLook[]): Promise<void> {
  const aside = await sql.asideGold(
    tx,
    place,
    given.map(({ payloadKey }) => payloadKey),
  );
  const looks = new Map(given.map((look) => [look.payloadKey, look]));
  const changed = aside.flatMap(({ taskId, ...old }) => {
    const { externalId, contentType } = looks.get(old.payloadKey) ?? old;
    const isSame = externalId === old.externalId && contentType === old.contentType;
    return isSame ? [] : [{ taskId: taskId.toString(), externalId, contentType }];
  });
  if (changed.length > 0) {
    await sql.changeLooks(tx, place, JSON.stringify(changed));
  }
  if ((await sql.setGoldAside(tx, place)) > 0) {
    await refresh(tx, place);
  }
}

async function refresh(tx: Tx, place: GoldPlace): Promise<void> {
  const type = await typeOfProject(tx, place);
  if (type !== null) {
    await refreshPool(tx, place, classDimension(JSON.parse(type.dimensions) as Dimension[]));
  }
}

/** Gold that finds no name stays without: it is set aside, or retired with the name that is a task's. */
async function nameGold(tx: Tx, place: GoldPlace, taken: readonly string[]): Promise<void> {
  const golds = await sql.goldToName(tx, place, taken);
  if (golds.length > 0) {
    const names = await freshNames(tx, place, golds.length);
    const looks = names.map((externalId, i) => ({ taskId: golds[i]?.taskId.toString(), externalId }));
    await sql.changeLooks(tx, place, JSON.stringify(looks));
  }
}

/** Times that names are drawn, each by a digit longer than before: what is free is among a tenth more each time. */
const DRAWS = 4;

/** Names of the form that the project's tasks have, none of which is taken: at most so many. */
async function freshNames(tx: Tx, place: GoldPlace, count: number): Promise<string[]> {
  const samples = await sql.latestNames(tx, place);
  const fresh: string[] = [];
  for (let longer = 0; longer < DRAWS && fresh.length < count && samples.length > 0; longer++) {
    const drawn = Array.from({ length: 2 * count }, () =>
      nameLike(samples[randomInt(samples.length)] ?? '', randomInt, longer),
    ).flatMap((name) => name ?? []);
    const taken = new Set((await sql.namesTaken(tx, place, drawn)).map(({ name }) => name));
    fresh.push(...new Set(drawn.filter((name) => !taken.has(name) && !fresh.includes(name))));
  }
  return fresh.slice(0, count);
}
