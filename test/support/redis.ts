import { describe, inject } from 'vitest';

/** The Redis of this run, only inside {@link describeWithRedis}. */
export function redisUrl(): string {
  return inject('redisUrl');
}

/** A suite that needs a real Redis; reported as skipped where there is none, which CI does not allow. */
export const describeWithRedis = describe.skipIf(inject('redisUrl') === '');
