import type { Queryable } from '../../platform/rows.js';
import { mostProbable, posterior } from '../redundancy/posterior.js';
import type { KeyedAnswer } from '../watch/error-models.js';
import { findSharedErrors } from '../watch/shared-errors.js';
import * as sql from './answers.sql.js';
import { keepFinding } from './findings.sql.js';
import type { Classes } from './look-experts.js';
import type { WatchedProject } from './turns.sql.js';

/** Answers to ordinary tasks, and to gold, that are compared: the latest. Their pairs take some 100 ms and 20 MB. */
const WORK_MAX = 10_000;
const GOLD_MAX = 5_000;
/** Pairs of a ring that are kept as evidence: those that are the least by chance. */
const PAIRS_KEPT = 50;

/**
 * Looks for experts of a project who share wrong answers. What is right is the key of gold; of an ordinary task it is what
 * its answers mean, each weighed by its expert's record, so that a ring cannot outvote what gold says of it.
 */
export async function lookForRings(db: Queryable, project: WatchedProject, classes: Classes): Promise<void> {
  const { dimension } = classes;
  const work = await sql.workAnswers(db, project, { dimension, limit: WORK_MAX });
  const gold = await sql.goldAnswers(db, project, { dimension, limit: GOLD_MAX });
  const answers = [...gold, ...keyed(work, classes.labels)];
  for (const { experts, pairs } of findSharedErrors(answers)) {
    const strongest = [...pairs].sort((a, b) => b.z - a.z);
    const { tenantId, projectId } = project;
    await keepFinding(db, {
      tenantId,
      projectId,
      kind: 'SHARED_ERRORS',
      experts: experts.map(BigInt).sort((a, b) => (a < b ? -1 : 1)),
      evidence: { experts: experts.length, pairs: pairs.length, strongest: strongest.slice(0, PAIRS_KEPT) },
    });
  }
}

type Work = Awaited<ReturnType<typeof sql.workAnswers>>[number];

function keyed(work: readonly Work[], declared: readonly string[]): KeyedAnswer[] {
  const labels = [...new Set([...declared, ...work.map(({ label }) => label)])];
  const even = labels.map(() => 1 / labels.length);
  const items = new Map<string, Work[]>();
  for (const answer of work) {
    const ofItem = items.get(answer.item);
    if (ofItem === undefined) {
      items.set(answer.item, [answer]);
    } else {
      ofItem.push(answer);
    }
  }
  return [...items.values()].flatMap((answers) => {
    const votes = answers.map(({ label, accuracy }) => ({
      label: labels.indexOf(label),
      model: { accuracy, confusion: null },
    }));
    const key = labels[mostProbable(posterior(votes, even)).label] ?? '';
    return answers.map(({ item, expert, label }) => ({ item, expert, label, key }));
  });
}
