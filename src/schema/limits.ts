import type { Context } from '../context.js';
import type { Role } from '../services/access/viewer.js';

/**
 * What one operation may cost: a field 1, a connection its page size times what is selected in it. Found before
 * anything runs. A workbench's queries cost tens, a dashboard's hundreds; analysts ask across everything.
 */
const COST_MAX: Readonly<Record<Role, number>> = {
  EXPERT: 5_000,
  CUSTOMER: 25_000,
  DISPATCHER: 10_000,
  ANALYST: 50_000,
  OPERATOR: 50_000,
};

/** Root fields and everything below them, at most; aliases are counted apart. */
const BREADTH_MAX = 500;

/** The limits of one operation in the viewer's role. */
export function complexityLimit({ viewer }: Context): { complexity: number; breadth: number } {
  return { complexity: COST_MAX[viewer.role], breadth: BREADTH_MAX };
}

/** Nesting of selections. */
export const DEPTH_MAX = 12;

/** Aliases, `__typename` included; directives; lexical tokens of a document. */
export const ALIASES_MAX = 30;
export const DIRECTIVES_MAX = 5;
export const TOKENS_MAX = 2_000;
