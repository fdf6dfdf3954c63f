// @once: pure
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type Waiting } from '../../src/services/platform/fair-queue.js';

const arrival = fc.record({
  tenantId: fc.bigInt({ min: 1n, max: 3n }),
  identityId: fc.bigInt({ min: 1n, max: 5n }),
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
});

test('every one that waits is taken once, in batches of one tenant without a key twice, each identity in its order', () => {
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), (arrivals, max) => {
      const queue = new FairQueue<Waiting>();
      for (const one of arrivals) {
        queue.push(one);
      }
      const taken: Waiting[] = [];
      for (let batch = queue.take(max); batch.length > 0; batch = queue.take(max)) {
        expect(batch.length).toBeLessThanOrEqual(max);
        expect(new Set(batch.map(({ tenantId }) => tenantId)).size).toBe(1);
        expect(new Set(batch.map(({ key }) => key)).size).toBe(batch.length);
        taken.push(...batch);
        expect(queue.size).toBe(arrivals.length - taken.length);
      }
      const lineOf = (list: readonly Waiting[], { tenantId, identityId }: Waiting) =>
        list.filter((one) => one.tenantId === tenantId && one.identityId === identityId);
      for (const one of arrivals) {
        expect(lineOf(taken, one)).toEqual(lineOf(arrivals, one));
      }
      expect(taken).toHaveLength(arrivals.length);
    }),
  );
});

test('what is taken out is not taken, and leaves the others their turns', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(arrival, fc.boolean()), { maxLength: 40 }), (arrivals) => {
      const queue = new FairQueue<Waiting>();
      for (const [one] of arrivals) {
        queue.push(one);
      }
      for (const [one, leaves] of arrivals) {
        expect(leaves && queue.remove(one)).toBe(leaves);
        expect(leaves && queue.remove(one)).toBe(false);
      }
      const taken: Waiting[] = [];
      for (let batch = queue.take(4); batch.length > 0; batch = queue.take(4)) {
        taken.push(...batch);
      }
      const stayed = arrivals.filter(([, leaves]) => !leaves).map(([one]) => one);
      expect(new Set(taken)).toEqual(new Set(stayed));
      expect(queue.oldest()).toBeUndefined();
      expect(queue.crowder()).toBeUndefined();
    }),
  );
});
