import type { Tx } from '../platform/database.js';
import { type SuggestionRow, suggestions } from './suggestions.sql.js';

/** An expert who is given no work of a skill, or not all that waits, and what keeps them from it. */
export type Suggestion = SuggestionRow;

/** Of one skill, at most. */
const SUGGESTED_MAX = 50;

/** Experts who could come to qualify for work that waits in a skill; none where nothing waits. */
export function suggestedExperts(
  tx: Tx,
  skill: { tenantId: bigint; skillId: bigint },
): Promise<Suggestion[]> {
  return suggestions(tx, { ...skill, limit: SUGGESTED_MAX });
}
