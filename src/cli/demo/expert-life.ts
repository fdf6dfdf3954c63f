import { sleep } from '../../client/abort.js';
import type { Answer, Desk } from '../../client/answer.js';
import { type Client, createClient } from '../../client/client.js';
import type { HeldAssignment } from '../../client/held.js';
import type { Fetch } from '../../client/transport.js';
import { runWorker, type WorkerEvent } from '../../client/worker.js';
import { type Character, characterOf } from '../../runtime/demo/characters.js';
import { kindOf } from '../../runtime/demo/lively-work.js';
import type { Role } from '../../services/access/viewer.js';
import { type Random, randomOf } from '../../services/platform/random.js';
import { type DemoClock, isInShift } from './clock.js';
import { judge } from './judgement.js';
import { noteError, noteLatency, type Tally } from './tally.js';

/** What all who live in a demo share. */
export interface World {
  /** Address of the GraphQL endpoint. */
  readonly url: string;
  readonly tokenOf: (subject: string, role: Role) => Promise<string>;
  readonly clock: DemoClock;
  readonly tally: Tally;
  readonly seed: number;
  /** Answers a second that all experts together aim at: the fewer are at their desks, the faster each is. */
  readonly rate: number;
  readonly leaseSeconds: number;
  /** How often a task is left lying; undefined: as often as each expert does. */
  readonly lapse: number | undefined;
  readonly signal: AbortSignal;
}

/** Times in real seconds: on average, but for the first. */
const ARRIVAL_MAX = 4;
const BREAK = 8;
const ASLEEP_LOOK = 3;
const AFTER_FAILURE = 2;
const THINK_MIN = 0.15;
const WEEKEND_SHARE = 0.5;

/** Expert number `n` from the first login to the last goodbye: sittings in their shift, with breaks between them. */
export async function live(world: World, n: number): Promise<void> {
  const character = characterOf(world.seed, n);
  const life: Life = { world, character, random: randomOf(world.seed, `life ${character.name}`) };
  await pause(world, ARRIVAL_MAX * life.random());
  while (!world.signal.aborted) {
    if (!isAtWork(life)) {
      await pause(world, ASLEEP_LOOK * (0.5 + life.random()));
      continue;
    }
    const isGone = await sit(life);
    if (life.random() < character.leaving) {
      return;
    }
    await pause(world, isGone ? world.leaseSeconds * (0.5 + life.random()) : BREAK * 2 * life.random());
  }
}

interface Life {
  readonly world: World;
  readonly character: Character;
  readonly random: Random;
}

function isAtWork({ world, character, random }: Life): boolean {
  const { hour, isWeekend } = world.clock.localTime(character.zoneHours);
  const isDay = !isWeekend || (character.worksWeekends && random() < WEEKEND_SHARE);
  return isDay && isInShift(character.shift, hour);
}

/** One sitting. Says whether it ended in the middle of a task. */
async function sit({ world, character, random }: Life): Promise<boolean> {
  const stop = new AbortController();
  const follow = () => stop.abort(world.signal.reason);
  world.signal.addEventListener('abort', follow, { once: true });
  world.tally.atDesk += 1;
  let isGone = false;
  const leave = () => {
    isGone = true;
    world.tally.lapses += 1;
    stop.abort(new Error('gone'));
  };
  try {
    await runWorker({
      client: clientOf(world, character.name),
      signal: stop.signal,
      limit: 1 + Math.floor(2 * character.sitting * random()),
      untilEmpty: true,
      answer: (held, desk) => answer({ world, character, random }, { held, desk, leave }),
      onEvent: (event) => note(world.tally, event),
    });
  } catch (error) {
    noteError(world.tally, error);
    await pause(world, AFTER_FAILURE);
  } finally {
    world.tally.atDesk -= 1;
    world.signal.removeEventListener('abort', follow);
  }
  return isGone;
}

interface Sheet {
  readonly held: HeldAssignment;
  readonly desk: Desk;
  /** Closes the laptop. */
  readonly leave: () => void;
}

/** Reads, thinks, and answers; or gives the task back, flags it, or is gone. */
async function answer(life: Life, { held, desk, leave }: Sheet): Promise<Answer> {
  const { world, character, random } = life;
  await readPayload(world, held, desk.signal);
  const externalId = held.task.externalId ?? '';
  const kind = kindOf(externalId);
  await sleep(thinkMs(life), desk.signal);
  if (random() < (world.lapse ?? character.lapse)) {
    leave();
  }
  desk.signal.throwIfAborted();
  if (kind === null) {
    return { flag: 'MISSING_CONTEXT' };
  }
  if (random() < character.refusal) {
    const isFlagged = random() < 0.3;
    world.tally[isFlagged ? 'flagged' : 'released'] += 1;
    return isFlagged ? { flag: 'AMBIGUOUS', note: 'Two readings are possible.' } : { release: true };
  }
  return judge(character, { kind, externalId }, random);
}

/** So long that all who are at their desks give together what the demo's rate is. */
function thinkMs({ world, character, random }: Life): number {
  const average = Math.max(THINK_MIN, world.tally.atDesk / world.rate);
  return 1000 * average * character.slowness * (0.4 + 1.2 * random());
}

async function readPayload(
  { tally }: World,
  { payloadUrl }: HeldAssignment,
  signal: AbortSignal,
): Promise<void> {
  if (payloadUrl === null) {
    return;
  }
  const startedMs = performance.now();
  const response = await fetch(payloadUrl, { signal });
  await response.text();
  noteLatency(tally, 'payload', performance.now() - startedMs);
  // 410: the lease has ended before it was read, which the next call will say.
  if (!response.ok && response.status !== 410) {
    tally.errors.set(`PAYLOAD_${response.status}`, (tally.errors.get(`PAYLOAD_${response.status}`) ?? 0) + 1);
  }
}

function note(tally: Tally, event: WorkerEvent): void {
  if (event.kind === 'HELD') {
    tally.claims += 1;
  } else if (event.kind === 'LOST') {
    tally.lost += 1;
  } else if (event.kind === 'RECEIPT') {
    const { currency, minorUnits } = event.receipt.price;
    tally.submits += 1;
    tally.paid.set(currency, (tally.paid.get(currency) ?? 0n) + BigInt(minorUnits));
  }
}

/** A client of the public API that keeps how long its calls take. */
export function clientOf(world: World, subject: string, role: Role = 'EXPERT'): Client {
  return createClient({
    url: world.url,
    token: () => world.tokenOf(subject, role),
    fetch: timed(world.tally),
    retry: { baseMs: 200, capMs: 3_000, patienceMs: 60_000 },
    onRetry: ({ error }) => noteError(world.tally, error, true),
  });
}

function timed(tally: Tally): Fetch {
  return async (url, init) => {
    const startedMs = performance.now();
    const response = await fetch(url, init);
    const name = /\b(?:mutation|query) (\w+)/.exec(init.body)?.[1] ?? 'other';
    noteLatency(tally, name, performance.now() - startedMs);
    return response;
  };
}

/** Waits; ends at once, without a word, with the demo. */
export async function pause({ signal }: Pick<World, 'signal'>, seconds: number): Promise<void> {
  await sleep(1000 * seconds, signal).catch(() => undefined);
}
