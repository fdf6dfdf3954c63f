/** The least of some ids; 0 of none. */
export const least = (ids: readonly bigint[]): bigint => inOrder(ids)[0] ?? 0n;

/** The greatest of some ids; 0 of none. */
export const greatest = (ids: readonly bigint[]): bigint => inOrder(ids).at(-1) ?? 0n;

const DIGITS = 19;

/** An id as a text that sorts as its number does. */
export const padded = (id: bigint): string => id.toString().padStart(DIGITS, '0');

const inOrder = (ids: readonly bigint[]) => [...ids].sort((a, b) => (a < b ? -1 : 1));
