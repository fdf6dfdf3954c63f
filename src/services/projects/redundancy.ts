import { InputInvalidError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import { type Database, withService } from '../platform/database.js';
import { checkAnswers, checkPolicy } from '../quality/redundancy/check-policy.js';
import { answersAtFirst, forCritical, type RedundancyPolicy } from '../quality/redundancy/policy.js';
import * as sql from './projects.sql.js';
import { runningProject } from './running.js';

export interface RedundancyChange {
  readonly projectId: bigint;
  /** Null: as it was. */
  readonly policy:
    | null
    | Exclude<RedundancyPolicy, { kind: 'POSTERIOR' }>
    | (Omit<Extract<RedundancyPolicy, { kind: 'POSTERIOR' }>, 'price'> & {
        /** What a wrong result costs, in minor units of the project's currency; null: buy up to the maximum. */
        readonly errorCostMinor: number | null;
      })
    /** No rule: tasks get so many answers and are done with them, whatever those say. */
    | { readonly kind: 'PLAIN'; readonly answers: number };
  /** Held to three to five answers; null: as it was. */
  readonly isCritical: boolean | null;
  /** Finished tasks that may go to a stronger expert to make the project's first gold, 0 to 20; absent: as before. */
  readonly firstGoldMax?: number | null;
  /** The share of finished tasks that a stronger expert looks at, 0 to .2; absent: as before. */
  readonly auditShare?: number | null;
}

/**
 * Sets how many answers a project's tasks get; what is not said stays as it was. Tasks that are added from now on are opened with the policy's first
 * answers; each task, also an older one, is judged by it, and by nothing that was fitted for the one before, when it has all that it
 * wanted.
 * @throws NotFoundError, InputInvalidError, ProjectNotRunningError
 */
export async function setRedundancy(
  db: Database,
  viewer: Viewer,
  { projectId, policy: given, isCritical: asked, firstGoldMax = null, auditShare = null }: RedundancyChange,
): Promise<void> {
  const { tenantId, identityId: actorId } = viewer;
  await withService(db, { tenantId, actorId }, async (tx) => {
    const project = await runningProject(tx, viewer, projectId);
    checkFirstGold(firstGoldMax);
    checkAuditShare(auditShare);
    if (given === null && asked === null && firstGoldMax === null && auditShare === null) {
      throw new InputInvalidError([{ path: '', message: 'Say what is to change.' }]);
    }
    const isCritical = asked ?? project.isCritical;
    const { answers, policy, whole } =
      given === null ? ruleBefore(project, isCritical) : ruleSaid(given, project, isCritical);
    const place = { tenantId, projectId };
    await sql.ensureStrongerLane(tx, place);
    const rule = {
      answers,
      policy: jsonOf(policy),
      isCritical,
      wholePolicy: isCritical ? jsonOf(whole) : null,
      firstGoldMax,
      auditShare,
    };
    await sql.updateRule(tx, { ...place, ...rule });
    // What gold said of stopping was said of the policy before.
    await (given === null && isCritical === project.isCritical ? null : sql.dropStoppingModels(tx, place));
  });
}

const jsonOf = (policy: RedundancyPolicy | null) => (policy === null ? null : JSON.stringify(policy));

/** As many as the watch over gold asks for at most (gold/mint.ts). */
const FIRST_GOLD_MAX = 20;

function checkFirstGold(most: number | null): void {
  if (most !== null && !(Number.isInteger(most) && most >= 0 && most <= FIRST_GOLD_MAX)) {
    throw new InputInvalidError([{ path: '/firstGoldMax', message: 'Give a whole number from 0 to 20.' }]);
  }
}

const AUDIT_SHARE_MAX = 0.2;

function checkAuditShare(share: number | null): void {
  if (share !== null && !(share >= 0 && share <= AUDIT_SHARE_MAX)) {
    throw new InputInvalidError([{ path: '/auditShare', message: 'Give a share from 0 to 0.2.' }]);
  }
}

/** The answers that a task is opened with, and what it is judged by; null: by nothing. */
interface Rule {
  readonly answers: number;
  readonly policy: RedundancyPolicy | null;
  /** The same before a critical project is held to three to five answers; null where that is not known. */
  readonly whole: RedundancyPolicy | null;
}

function ruleSaid(
  given: NonNullable<RedundancyChange['policy']>,
  { priceMinor }: sql.ChangingProject,
  isCritical: boolean,
): Rule {
  return given.kind === 'PLAIN'
    ? plainRule(given.answers, isCritical)
    : ruleOf(withPrice(given, Number(priceMinor)), isCritical);
}

/** The rule as it was: of a project that is critical no longer the whole one, where that was kept. */
function ruleBefore(
  { answers, policy, wholePolicy, isCritical: was }: sql.ChangingProject,
  isCritical: boolean,
): Rule {
  const before = policyOf(policy);
  // A project that is critical already may have no more than what it was held to.
  const whole = was ? policyOf(wholePolicy) : before;
  if (before !== null && whole !== null) {
    return ruleOf(whole, isCritical);
  }
  if (before !== null) {
    return { answers, policy: before, whole: null };
  }
  if (isCritical) {
    const message = 'The project has no rule: give one with it.';
    throw new InputInvalidError([{ path: '/isCritical', message }]);
  }
  return { answers, policy: null, whole: null };
}

const policyOf = (json: string | null) => (json === null ? null : (JSON.parse(json) as RedundancyPolicy));

function ruleOf(whole: RedundancyPolicy, isCritical: boolean): Rule {
  checkPolicy(whole);
  const policy = isCritical ? forCritical(whole) : whole;
  return { answers: answersAtFirst(policy), policy, whole };
}

function plainRule(answers: number, isCritical: boolean): Rule {
  checkAnswers(answers, '/plain/answers');
  if (isCritical) {
    const message = 'The project is critical: give a rule, or isCritical: false.';
    throw new InputInvalidError([{ path: '/plain', message }]);
  }
  return { answers, policy: null, whole: null };
}

function withPrice(
  policy: Exclude<RedundancyChange['policy'], { kind: 'PLAIN' } | null>,
  answer: number,
): RedundancyPolicy {
  if (policy.kind !== 'POSTERIOR') {
    return policy;
  }
  const { errorCostMinor, ...rest } = policy;
  return { ...rest, price: errorCostMinor === null ? null : { answer, error: errorCostMinor } };
}
