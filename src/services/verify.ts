import { accessRules } from './access/rules.sql.js';
import { fixRules } from './dispatch/fixes/rules.sql.js';
import { dispatchRules } from './dispatch/rules.sql.js';
import { eventRules } from './events/rules.sql.js';
import { forecastRules } from './forecast/rules.sql.js';
import { budgetRules } from './payouts/budgets.sql.js';
import { payoutRules } from './payouts/rules.sql.js';
import type { Database } from './platform/database.js';
import { type RuleCheck, type RuleFinding, runCheck } from './platform/rules.js';
import { agreementRules } from './quality/agreement/rules.sql.js';
import { goldRules } from './quality/gold/rules.sql.js';
import { methodRules } from './quality/inference/rules.sql.js';
import { qualityRules } from './quality/rules.sql.js';
import { dimensionRules } from './quality/scores/rules.sql.js';
import { asideRules } from './quality/watching/rules.sql.js';
import { routingRules } from './routing/rules.sql.js';
import { taskRules } from './tasks/rules.sql.js';

/** Every check of a rule that a statement on a live database can make, in the order of the rules. */
const ruleChecks: readonly RuleCheck[] = [
  ...routingRules,
  ...forecastRules,
  ...taskRules,
  ...qualityRules,
  ...methodRules,
  ...dimensionRules,
  ...asideRules,
  ...agreementRules,
  ...goldRules,
  ...payoutRules,
  ...budgetRules,
  ...eventRules,
  ...accessRules,
  ...dispatchRules,
  ...fixRules,
].sort((a, b) => a.rule - b.rule);

/** A whole database may be large; one snapshot must hold for all checks. */
const VERIFY_TIMEOUT_MS = 30 * 60_000;

/**
 * Runs every check on one snapshot of the whole database, all tenants, while it is at work.
 * @returns a finding a check; the rules hold where each has `broken` 0
 */
export function verify(db: Database): Promise<RuleFinding[]> {
  return db.system.$transaction(
    async (tx) => {
      await tx.$executeRaw`set local statement_timeout = 0`;
      const findings: RuleFinding[] = [];
      for (const check of ruleChecks) {
        findings.push(await runCheck(tx, check));
      }
      return findings;
    },
    { isolationLevel: 'RepeatableRead', maxWait: 30_000, timeout: VERIFY_TIMEOUT_MS },
  );
}
