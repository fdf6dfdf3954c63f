import type { Viewer } from '../services/access/viewer.js';
import type { LiveParts } from './parts.js';
import { type PoolEvent, type PoolEventArgs, poolEvents } from './pool-events.js';
import type { LiveItem } from './subscription.js';

/** What waits in a skill, without who is there for it. */
export type QueueDepth = Pick<PoolEvent, 'queueDepth' | 'openAnswers' | 'oldestOpenAt' | 'computedAt'>;

/** What waits in a skill, then each time that it has changed: the part of `poolEvents` that is no news of experts. */
export async function queueDepth(
  parts: LiveParts,
  viewer: Viewer,
  args: PoolEventArgs,
): Promise<AsyncIterableIterator<LiveItem<QueueDepth>>> {
  return changesOf(await poolEvents(parts, viewer, args));
}

/** Passes on what differs from the item before. Not a generator: its `return` would wait for an item that never comes. */
function changesOf(
  pools: AsyncIterableIterator<LiveItem<PoolEvent>>,
): AsyncIterableIterator<LiveItem<QueueDepth>> {
  let last: PoolEvent | null = null;
  const isSame = ({ reset, value }: LiveItem<PoolEvent>) =>
    !reset && last?.queueDepth === value.queueDepth && last.openAnswers === value.openAnswers;
  return {
    async next() {
      for (;;) {
        const result = await pools.next();
        if (result.done || !isSame(result.value)) {
          last = result.done ? null : result.value.value;
          return result;
        }
      }
    },
    async return() {
      await pools.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
