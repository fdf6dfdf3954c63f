import type { Dimension } from '../../tasks/task-types.js';

/** The classes of a dimension as its answers are kept, in their order: text of an ordinal one by its rank. None of numbers. */
export function labelsOf({ scale, values = [] }: Dimension): string[] {
  return scale === 'interval'
    ? []
    : values.map((value, rank) => String(scale === 'ordinal' && typeof value === 'string' ? rank : value));
}
