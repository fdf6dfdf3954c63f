import type { Tx } from '../../platform/database.js';
import { refreshPool } from '../gold/golds.js';
import { endGold, voidGradings } from '../gold/golds.sql.js';
import { findTimeGap, presumedKnown } from '../watch/gold-time.js';
import { type Consensus, findPeerGap } from '../watch/peer-gap.js';
import { setAside } from './asides.sql.js';
import * as facts from './facts.sql.js';
import * as findings from './findings.sql.js';
import type { WatchedProject } from './turns.sql.js';

/** What the classes of a project are. */
export interface Classes {
  /** The dimension that has them. */
  readonly dimension: string;
  readonly labels: readonly string[];
}

/** Looks at some experts of a project: their times on gold, and how gold and peers speak of them. */
export async function lookAtExperts(
  tx: Tx,
  project: WatchedProject,
  { experts, classes }: { experts: readonly bigint[]; classes: Classes | null },
): Promise<void> {
  const dimension = classes?.dimension ?? null;
  const known = await facts.expertFacts(tx, project, { experts, dimension });
  const consensus = classes === null ? null : await consensusOf(tx, project, { classes, known });
  for (const of of known) {
    await lookAtTimes(tx, project, { of, dimension });
    if (consensus !== null) {
      await lookAtPeers(tx, project, { of, consensus });
    }
  }
}

async function lookAtTimes(
  tx: Tx,
  project: WatchedProject,
  { of, dimension }: { of: facts.ExpertFacts; dimension: string | null },
): Promise<void> {
  const found = findTimeGap(of.golds, of.seconds);
  if (found === null) {
    return;
  }
  const evidence = {
    z: found.z,
    golds: of.golds.length,
    goldSeconds: median(of.golds.map(({ seconds }) => seconds)),
    tasks: of.seconds.length,
    taskSeconds: median(of.seconds),
  };
  const kept = await keep(tx, project, { kind: found.sign, experts: [of.expertId], evidence });
  if (found.sign === 'QUICK_ON_GOLD' && !kept.isDismissed) {
    await takeAway(tx, project, { of, dimension, findingId: kept.findingId });
  }
}

/**
 * What was known is shown to nobody more, and says nothing of who knew it; and what they adjudicated while they were known by it says
 * nothing of those they graded. Times and gold decide that, agreement never: a gap to peers alone moves nothing.
 */
async function takeAway(
  tx: Tx,
  { tenantId, projectId }: WatchedProject,
  { of, dimension, findingId }: { of: facts.ExpertFacts; dimension: string | null; findingId: bigint | null },
): Promise<void> {
  const known = new Set(presumedKnown(of.golds, { ordinarySeconds: of.seconds, isQuick: true }));
  for (const gold of known) {
    await endGold(tx, { tenantId, taskId: BigInt(gold), state: 'RETIRED', reason: 'LEAKED' });
  }
  const graded = of.golds.filter(({ gold }) => known.has(gold)).map(({ assignment }) => BigInt(assignment));
  const voided = await voidGradings(tx, tenantId, graded);
  if (voided > 0 && findingId !== null) {
    await setAside(tx, { tenantId, findingId, expertId: of.expertId });
  }
  await refreshPool(tx, { tenantId, projectId }, dimension);
}

async function lookAtPeers(
  tx: Tx,
  project: WatchedProject,
  { of, consensus }: { of: facts.ExpertFacts; consensus: Consensus },
): Promise<void> {
  const counts = {
    goldRight: of.golds.filter(({ credit }) => credit >= 1).length,
    goldSeen: of.golds.length,
    agreed: of.agreed,
    compared: of.compared,
  };
  const found = findPeerGap(counts, consensus);
  if (found !== null) {
    const evidence = { ...counts, ...found, consensus: consensus.accuracy };
    await keep(tx, project, { kind: 'PEER_GAP', experts: [of.expertId], evidence });
  }
}

const keep = (
  tx: Tx,
  { tenantId, projectId }: WatchedProject,
  finding: Pick<findings.ExpertFinding, 'kind' | 'experts' | 'evidence'>,
) => findings.keepFinding(tx, { tenantId, projectId, ...finding });

/** Before there is gold that so many have answered, the others are taken to be right so often; as much as so many gold say. */
const ACCURACY_BEFORE = 0.8;
const WEIGHT_BEFORE = 5;
const ACCURACY_MIN = 0.55;
const OTHERS_MAX = 9;

async function consensusOf(
  tx: Tx,
  project: WatchedProject,
  { classes, known }: { classes: Classes; known: readonly facts.ExpertFacts[] },
): Promise<Consensus | null> {
  const compared = known.filter((of) => of.compared > 0);
  if (compared.length === 0 || classes.labels.length < 2) {
    return null;
  }
  const others = compared.reduce((sum, of) => sum + of.others, 0) / compared.length;
  const answers = Math.min(OTHERS_MAX, Math.max(1, Math.round(others)));
  const { golds, right } = await facts.consensusOnGold(tx, project, {
    dimension: classes.dimension,
    answers,
  });
  const accuracy = (right + ACCURACY_BEFORE * WEIGHT_BEFORE) / (golds + WEIGHT_BEFORE);
  return { accuracy: Math.max(ACCURACY_MIN, accuracy), classes: classes.labels.length };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
