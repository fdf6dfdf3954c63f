import type { Context } from '../context.js';
import type { Viewer } from '../services/access/viewer.js';
import type { AssignmentShape } from './shapes.js';

/** Why an assignment was given to its expert, as it is stored; BEGUN is not told to experts. */
export const ROUTING_REASONS = [
  'RESERVED',
  'BEGUN',
  'SCARCE_SKILL',
  'PREFERRED',
  'DEADLINE',
  'NEXT',
] as const;
export type RoutingReason = (typeof ROUTING_REASONS)[number];

export interface RoutingShape {
  readonly reason: RoutingReason;
  readonly pressure: number | null;
}

/** What makes the difference, in words for the expert. They tell nothing of anybody else, nor of what a task is for. */
const EXPLANATIONS: Readonly<Record<RoutingReason, string>> = {
  RESERVED: 'You were given this because it is reserved for experts who were chosen for it, you among them.',
  BEGUN: 'You were given this because it was begun, and tasks that are begun come before new ones.',
  SCARCE_SKILL:
    'You were given this because its skill is short just now: more work waits in it, for each expert who is there to do it, than in your other skills.',
  PREFERRED: 'You were given this because it is work of a skill that you said you like.',
  DEADLINE: 'You were given this because the project it belongs to has to catch up with its deadline.',
  NEXT: 'You were given this because it was among the next: projects take turns in the work that you may do.',
};

export const explanationOf = ({ reason }: Pick<RoutingShape, 'reason'>): string => EXPLANATIONS[reason];

/** Why the assignment was given; null where it was claimed before reasons were kept. */
export async function routingOf(
  { id }: AssignmentShape,
  { load, viewer }: Context,
): Promise<RoutingShape | null> {
  const row = await load.assignment.load(id);
  const reason = reasonFor(viewer, row?.routingReason ?? null);
  return row === null || reason === null ? null : { reason, pressure: row.routingPressure };
}

/**
 * The reason as this viewer may know it. That somebody has begun the task is for staff: an expert who knows it knows of
 * others, and could tell work that is never given twice from the rest.
 */
export function reasonFor({ role }: Pick<Viewer, 'role'>, stored: string | null): RoutingReason | null {
  const reason = ROUTING_REASONS.find((known) => known === stored) ?? null;
  return role === 'EXPERT' && reason === 'BEGUN' ? 'NEXT' : reason;
}
