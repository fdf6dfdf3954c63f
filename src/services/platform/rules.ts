import { z } from 'zod';
import type { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable } from './rows.js';

/** One check of a rule of docs/rules.md on a live database. */
export interface RuleCheck {
  /** The rule's number. */
  readonly rule: number;
  /** What holds where the check passes, in one sentence. */
  readonly claim: string;
  /** Selects `count`: how many things the check looks at. */
  readonly looked: Prisma.Sql;
  /** Selects `what` (text), a row for each thing that breaks the rule. */
  readonly broken: Prisma.Sql;
}

/** What one check found. */
export interface RuleFinding {
  readonly rule: number;
  readonly claim: string;
  readonly looked: number;
  readonly broken: number;
  /** The first few of them, in words. */
  readonly examples: readonly string[];
}

const EXAMPLES = 5;

/** Runs one check. The caller chooses the snapshot: all checks of one run should share it. */
export async function runCheck(db: Queryable, check: RuleCheck): Promise<RuleFinding> {
  const looked = await one(db, z.object({ count: z.bigint() }), check.looked);
  const broken = await many(db, z.object({ what: z.string() }), check.broken);
  return {
    rule: check.rule,
    claim: check.claim,
    looked: Number(looked.count),
    broken: broken.length,
    examples: broken.slice(0, EXAMPLES).map((row) => row.what),
  };
}
