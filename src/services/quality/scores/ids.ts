/** The least of some ids; 0 of none. */
export const least = (ids: readonly bigint[]): bigint => inOrder(ids)[0] ?? 0n;

/** The greatest of some ids; 0 of none. */
export const greatest = (ids: readonly bigint[]): bigint => inOrder(ids).at(-1) ?? 0n;

const inOrder = (ids: readonly bigint[]) => [...ids].sort((a, b) => (a < b ? -1 : 1));
