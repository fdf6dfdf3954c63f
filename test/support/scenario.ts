import { setExpertStatus } from '../../src/services/access/people.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import {
  flagTask,
  heartbeat,
  reclaimAssignment,
  releaseAssignment,
} from '../../src/services/routing/lease.js';
import type { TestDb } from './db.js';
import { at, type CHOICES, type Expert, type World } from './factories.js';
import { fireAlarms } from './look.js';
import { claim, outcome, submit } from './work.js';

// Whole scenarios of leases as tables: one action a line, with what it answers after the arrow.
//
//   ada   claims              -> task 1, epoch 1
//   clock +61s
//   bob   claims              -> task 1, epoch 1
//   ada   submits yes         -> LEASE_EXPIRED, taken
//
// An expert acts under the lease that they last were given, or under `epoch n` of it, or on the assignment of `task n`.

/** What an expert believes to hold: a lease is forgotten by nobody, ended or not. */
interface Belief {
  readonly id: bigint;
  readonly epoch: number;
  readonly taskId: bigint;
}

interface Stage {
  readonly t: TestDb;
  readonly world: World;
  readonly beliefs: Map<string, Belief[]>;
}

/** Plays a table on a world and returns it with the answers that came: equal to the table where all is as it says. */
export async function play(t: TestDb, world: World, table: string): Promise<string> {
  const stage: Stage = { t, world, beliefs: new Map() };
  const played: string[] = [];
  for (const line of linesOf(table)) {
    const [action = ''] = line.split('->').map((part) => part.trim());
    const answer = await act(stage, action);
    played.push(answer === null ? action : `${action} -> ${answer}`);
  }
  return played.join('\n');
}

/** A table without indentation, and with one space where it has several. */
export const linesOf = (table: string): string[] =>
  table
    .split('\n')
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '');

async function act(stage: Stage, action: string): Promise<string | null> {
  const [who = '', verb = '', ...rest] = action.split(' ');
  if (who === 'clock') {
    await stage.t.advance(Number(verb.replace('s', '')));
    return null;
  }
  if (who === 'runner') {
    await fireAlarms(stage.t.database);
    return null;
  }
  return who === 'operator' ? operate(stage, verb, rest) : perform(stage, { who, verb, rest });
}

function operate({ t, world }: Stage, verb: string, [name = '']: readonly string[]): Promise<string> {
  const { operator, projectId } = world;
  if (verb === 'pauses' || verb === 'resumes') {
    const { expertId } = expertOf(world, name);
    const status = verb === 'pauses' ? 'PAUSED' : 'ACTIVE';
    return outcome(setExpertStatus(t.database, operator, { expertId, status }));
  }
  const policy = verb === 'stops' ? 'STOP' : 'FINISH';
  return outcome(cancelProject(t.database, operator, { projectId, policy }));
}

async function perform(
  stage: Stage,
  { who, verb, rest }: { who: string; verb: string; rest: readonly string[] },
): Promise<string> {
  const { t, world } = stage;
  const expert = expertOf(world, who);
  if (verb === 'claims') {
    const result = await claim(t.database, expert);
    return 'empty' in result ? result.empty.reason : remember(stage, who, result.held);
  }
  const lease = believed(stage, who, rest);
  const call = { assignmentId: lease.id, leaseEpoch: lease.epoch };
  switch (verb) {
    case 'submits':
      return said(submit(t.database, expert, { ...lease, choice: rest[0] as (typeof CHOICES)[number] }));
    case 'releases':
      return said(releaseAssignment(t.database, expert.viewer, call));
    case 'flags':
      return said(
        flagTask(t.database, expert.viewer, { ...call, reason: 'OTHER' }).then((flag) =>
          flag.taskClosed ? 'closed' : 'OK',
        ),
      );
    case 'reclaims':
      return said(
        reclaimAssignment(t.database, expert.viewer, call).then((held) => remember(stage, who, held)),
      );
    case 'beats': {
      const beat = { ...call, lastActivitySeconds: Number(rest[0] ?? 0) };
      return said(
        heartbeat(t.database, expert.viewer, beat).then(
          (now) => `${Math.round(now.secondsLeft)}s${now.extended ? '' : ', not extended'}`,
        ),
      );
    }
    default:
      throw new Error(`Nobody ${verb} in a scenario.`);
  }
}

/** The answer in words: a text as it is, anything else OK, a refusal by its code and what it adds. */
async function said(call: Promise<unknown>): Promise<string> {
  let answer: unknown;
  const code = await outcome(
    call.then(
      (value) => {
        answer = value;
      },
      (error: unknown) => {
        answer = detailOf(error);
        throw error;
      },
    ),
  );
  if (code === 'OK') {
    return typeof answer === 'string' ? answer : 'OK';
  }
  return answer === null ? code : `${code}, ${answer}`;
}

function detailOf(error: unknown): string | null {
  const { reclaimable, currentEpoch } = error as { reclaimable?: boolean; currentEpoch?: number };
  if (reclaimable !== undefined) {
    return reclaimable ? 'reclaimable' : 'taken';
  }
  return currentEpoch === undefined ? null : `epoch ${currentEpoch}`;
}

function remember({ world, beliefs }: Stage, who: string, held: Belief): string {
  beliefs.set(who, [...(beliefs.get(who) ?? []), held]);
  return `task ${world.taskIds.indexOf(held.taskId) + 1}, epoch ${held.epoch}`;
}

/** `… epoch 1`, `… of task 2`, `… of bob`: which lease is meant; without any, the last one. */
function believed({ world, beliefs }: Stage, who: string, rest: readonly string[]): Belief {
  const words = rest.join(' ');
  const task = /task (\d+)/.exec(words)?.[1];
  const epoch = /epoch (\d+)/.exec(words)?.[1];
  const owner = /of (ada|bob|cyd)/.exec(words)?.[1] ?? who;
  const taskId = task === undefined ? null : at(world.taskIds, Number(task) - 1);
  const known = (beliefs.get(owner) ?? []).filter((belief) => taskId === null || belief.taskId === taskId);
  const last = at(known, known.length - 1);
  return epoch === undefined ? last : { ...last, epoch: Number(epoch) };
}

function expertOf(world: World, name: string): Expert {
  return at(world.experts, ['ada', 'bob', 'cyd'].indexOf(name));
}
