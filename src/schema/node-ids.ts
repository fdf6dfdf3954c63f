import type { Context } from '../context.js';
import { badInput } from '../resolvers/api-errors.js';
import type { IdType } from '../services/platform/ids.js';

/** Types whose ids clients hold and may send back. */
const NODE_TYPES: readonly IdType[] = [
  'Customer',
  'Identity',
  'Expert',
  'Skill',
  'TaskType',
  'Project',
  'Batch',
  'Task',
  'Assignment',
  'AccessLogEntry',
  'Payout',
  'Job',
  'Offer',
];

/** The opaque id of a row. */
export function encodeNodeId(ctx: Context, typename: string, id: bigint | number | string): string {
  return ctx.app.ids.encode(typename as IdType, BigInt(id));
}

/** @throws BAD_USER_INPUT for anything that this installation has not given out as an id of a node */
export function decodeNodeId(ctx: Context, opaque: string): { typename: string; id: string } {
  const decoded = ctx.app.ids.decode(opaque);
  if (decoded === null || !NODE_TYPES.includes(decoded.type)) {
    throw badInput('This is not an id that the API has given out.');
  }
  return { typename: decoded.type, id: decoded.id.toString() };
}
