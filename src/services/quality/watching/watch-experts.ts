import { type Database, type Tx, withSystem } from '../../platform/database.js';
import type { Dimension } from '../../tasks/task-types.js';
import { apart, type OnFailure, type WorkFailure } from '../failures.js';
import { classDimension } from '../gold/golds.js';
import { walkDue, walkOn } from './asides.sql.js';
import { type Classes, lookAtExperts } from './look-experts.js';
import { lookForRings } from './look-rings.js';
import * as sql from './turns.sql.js';

/** New results of one look, and experts of one look: what is more waits for the next. */
const GRADINGS_MAX = 2_000;
const EXPERTS_MAX = 50;
/** Results whose projects one round makes due. */
const DUES_MAX = 5_000;
/** Assignments of somebody that one look goes through for what they adjudicated. */
const ASSIGNMENTS_A_WALK = 2_000;
/** A project is looked at again after so long at the soonest. */
const AGAIN_SECONDS = 300;

/**
 * Goes on with what is set aside or taken up of adjudications, and looks at the experts of one project who have new results, in a transaction of its own: who is quick or slow on gold, who
 * is better on gold than their peers say, who shares wrong answers with whom. Findings are kept once and are for analysts;
 * gold that somebody knew is retired and what it said of them does not count.
 *
 * Bounded whatever the project has: a look reads 2,000 gradings to find its experts, of fifty experts 500 assignments and
 * gradings each and a hundred answers with those of their peers, and compares 15,000 answers, twenty-five of an item.
 * A grading that commits after later ones were looked at brings nobody to a look by itself, but is read by the next.
 * A project whose look throws is left for later.
 * @returns whether there was something to look at; false also where another node is at it
 */
export async function watchExperts(db: Database, onFailure: OnFailure = () => undefined): Promise<boolean> {
  const failures: WorkFailure[] = [];
  const looked = await withSystem(db, async (tx) => {
    if (!(await sql.tryWatchTurn(tx))) {
      return false;
    }
    await sql.noteFresh(tx, DUES_MAX);
    const hasWalked = await walkAsides(tx, failures);
    const project = await sql.projectDue(tx, AGAIN_SECONDS);
    if (project === null) {
      return hasWalked;
    }
    const subject = {
      job: 'watch',
      tenantId: project.tenantId,
      subjectId: project.projectId,
      skillId: 0n,
    } as const;
    failures.push(...(await apart(tx, subject, () => look(tx, project))));
    return true;
  });
  failures.forEach(onFailure);
  return looked;
}

/** Goes on with one walk through what somebody adjudicated who knew gold, or did not after all. @returns whether one was due */
async function walkAsides(tx: Tx, failures: WorkFailure[]): Promise<boolean> {
  const walk = await walkDue(tx);
  if (walk !== null) {
    const subject = {
      job: 'asides',
      tenantId: walk.tenantId,
      subjectId: walk.findingId,
      skillId: 0n,
    } as const;
    failures.push(...(await apart(tx, subject, () => walkOn(tx, walk, ASSIGNMENTS_A_WALK))));
  }
  return walk !== null;
}

async function look(tx: Tx, project: sql.WatchedProject): Promise<void> {
  const classes = classesOf(JSON.parse(project.dimensions) as Dimension[]);
  if (classes !== null && !project.goesOn) {
    await lookForRings(tx, project, classes);
  }
  const fresh = await sql.freshGradings(tx, project, GRADINGS_MAX);
  const { experts, seen } = someOf(fresh);
  await lookAtExperts(tx, project, { experts, classes });
  const hasMore = seen < fresh.length || fresh.length === GRADINGS_MAX;
  await sql.markLooked(tx, project, { gradingId: fresh[seen - 1]?.id ?? project.gradingId, hasMore });
}

/** The experts of the first gradings, as many as one look has, and of how many gradings they are. */
function someOf(fresh: readonly { expertId: bigint }[]): { experts: bigint[]; seen: number } {
  const experts = new Set<bigint>();
  for (const [seen, { expertId }] of fresh.entries()) {
    if (experts.size === EXPERTS_MAX && !experts.has(expertId)) {
      return { experts: [...experts], seen };
    }
    experts.add(expertId);
  }
  return { experts: [...experts], seen: fresh.length };
}

function classesOf(dimensions: readonly Dimension[]): Classes | null {
  const name = classDimension(dimensions);
  const dimension = dimensions.find((one) => one.name === name);
  if (name === null || dimension === undefined) {
    return null;
  }
  const { scale, values = [] } = dimension;
  // Ordinal text is answered by its rank (tasks/answers.ts).
  const labelOf = (value: string | number, rank: number) =>
    scale === 'ordinal' && typeof value === 'string' ? String(rank) : String(value);
  return { dimension: name, labels: values.map(labelOf) };
}
