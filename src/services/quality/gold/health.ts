import { type Database, type Tx, withSystem } from '../../platform/database.js';
import type { Dimension } from '../../tasks/task-types.js';
import { apart, type OnFailure, type WorkFailure } from '../failures.js';
import { PAUSE_POLICY } from '../pausing/policy.js';
import { EARLY, findLeak, type LeakFinding } from '../watch/exposure.js';
import { findUnhealthy, type HealthFinding } from '../watch/gold-health.js';
import { classDimension, refreshPool } from './golds.js';
import { endGold, voidLaterGradings } from './golds.sql.js';
import * as sql from './health.sql.js';
import { GOLD_LIMITS, goldStanding } from './lifecycle.js';
import { tryGoldTurn } from './rates.sql.js';

/** Fewer showings say nothing: neither the watch for wrong keys nor that for leaks looks before. */
const SHOWINGS_MIN = 8;
/** The share of quick answers that is taken for usual where nothing is known of the experts' own. */
const USUAL_QUICK = 0.1;

/**
 * Looks at gold that was shown since the last look, is worn out or old, at most `limit`: ends what has come to its end, and
 * keeps why. A wrong key is suspended, and of a leaked gold what came after its first showings counts no longer: every score
 * that used it is folded anew. A gold whose look throws is left for later.
 * @returns how many were looked at; 0 also where another node is at it
 */
export async function watchGolds(
  db: Database,
  limit: number,
  onFailure: OnFailure = () => undefined,
): Promise<number> {
  const failures: WorkFailure[] = [];
  const looked = await withSystem(db, async (tx) => {
    if (!(await tryGoldTurn(tx))) {
      return 0;
    }
    const { ageSecondsMax } = GOLD_LIMITS;
    const lives = await sql.livesToLookAt(tx, { ageSecondsMax, showings: SHOWINGS_MIN, limit });
    for (const life of lives) {
      const subject = { job: 'gold', tenantId: life.tenantId, subjectId: life.taskId, skillId: 0n } as const;
      failures.push(...(await apart(tx, subject, () => look(tx, life))));
    }
    return lives.length;
  });
  failures.forEach(onFailure);
  return looked;
}

async function look(tx: Tx, life: sql.Life): Promise<void> {
  const { tenantId, taskId, projectId, ageSeconds, exposures, exposuresMax, isWaiting } = life;
  const dimension = classDimension(JSON.parse(life.dimensions) as Dimension[]);
  const finding = await findingOf(tx, life, dimension);
  // A human has said that it means nothing: it is not told again, and nothing follows from it.
  const found = finding !== null && life.dismissed.includes(finding.kind) ? null : finding;
  if (found !== null) {
    const { kind, ...evidence } = found;
    await sql.recordFinding(tx, { tenantId, taskId, projectId, kind, evidence: JSON.stringify(evidence) });
  }
  const limits = { exposuresMax, ageSecondsMax: GOLD_LIMITS.ageSecondsMax };
  const end = goldStanding({ exposures, ageSeconds, isWaiting, finding: found?.kind ?? null }, limits);
  if (end.standing === 'ACTIVE') {
    await sql.markWatched(tx, life);
    return;
  }
  await endGold(tx, { tenantId, taskId, state: end.standing, reason: end.reason });
  if (found?.kind === 'LEAKED') {
    await voidLaterGradings(tx, { tenantId, taskId, after: EARLY });
  }
  await refreshPool(tx, { tenantId, projectId }, dimension);
}

type Finding = ({ kind: 'UNHEALTHY' } & HealthFinding) | ({ kind: 'LEAKED' } & LeakFinding);

async function findingOf(
  tx: Tx,
  { tenantId, taskId }: sql.Life,
  dimension: string | null,
): Promise<Finding | null> {
  const answers = await sql.answersToGold(tx, { tenantId, taskId, dimension });
  const strong = answers.flatMap(({ label, lower }) =>
    label !== null && lower >= PAUSE_POLICY.bar ? [{ label }] : [],
  );
  const key = answers.find((answer) => answer.key !== null)?.key;
  const unhealthy = key === undefined || key === null ? null : findUnhealthy(strong, key);
  if (unhealthy !== null) {
    return { kind: 'UNHEALTHY', ...unhealthy };
  }
  const showings = answers.map(({ credit, mean, seconds, usualSeconds }) => ({
    credit,
    expected: mean,
    timeShare: usualSeconds === null || usualSeconds <= 0 ? null : seconds / usualSeconds,
  }));
  const leak = findLeak(showings, meanOf(answers.flatMap(({ quick }) => (quick === null ? [] : [quick]))));
  return leak === null ? null : { kind: 'LEAKED', ...leak };
}

const meanOf = (shares: readonly number[]) =>
  (shares.reduce((sum, share) => sum + share, 0) + USUAL_QUICK) / (shares.length + 1);
