import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
} from 'graphql';
import type { Viewer } from '../services/access/viewer.js';
import { Cohort } from './cohort.js';
import { EncodedResult } from './encoded.js';
import { SubscriptionError } from './errors.js';
import type { HandedItems, Handing, Standing } from './handed.js';
import type { LiveItem } from './subscription.js';

/** A subscription that was parsed and validated, and its subscriber. */
export interface LiveOperation {
  readonly args: ExecutionArgs;
  /** The text of the document: subscriptions of the same text, variables and rights get the same results. */
  readonly query: string;
  readonly viewer: Viewer;
  readonly shared: SharedExecution;
  /** What of an error a client is told. */
  readonly mask: (error: unknown) => GraphQLError;
}

/** One execution for several subscribers. */
export interface Execution {
  /** Aborts when nobody waits for it any more. */
  readonly signal: AbortSignal;
  /** Hears of which tasks the result shows answers. */
  readonly onShown: (taskIds: readonly bigint[]) => void;
}

/** How a process executes what several subscribers get. */
export interface SharedExecution {
  /**
   * A context for one execution and of nobody's request: what comes of it is for others, too, and may come when its viewer
   * has left.
   */
  readonly contextFor: (viewer: Viewer, execution: Execution) => unknown;
  /** Keeps that a viewer is about to be shown the answers of these tasks. */
  readonly note: (viewer: Viewer, taskIds: readonly bigint[]) => Promise<void>;
}

/** Items as they are sent, which can be handed over as they come. */
export interface EncodedItems
  extends AsyncIterableIterator<EncodedResult>,
    Handing<[result: EncodedResult]>,
    Standing {}

/**
 * Runs a subscription: its source's items, each executed and encoded once for all subscribers of this process who ask
 * the same and may see the same. Items of a source must hold no more than their viewer's role and scope may see.
 *
 * Throws what the source throws, masked; a consumer that was too slow is told so unmasked ({@link isTooSlow}), for its
 * connection is to end.
 */
export async function subscribeLive(operation: LiveOperation): Promise<EncodedItems | ExecutionResult> {
  const source = await createSourceEventStream(operation.args);
  return Symbol.asyncIterator in source
    ? encodedItems(source as AsyncIterableIterator<LiveItem<unknown>>, {
        cohort: Cohort.join(operation),
        viewer: operation.viewer,
        shared: operation.shared,
        mask: operation.mask,
      })
    : { errors: (source.errors ?? []).map(operation.mask) };
}

interface Encoding extends Pick<LiveOperation, 'viewer' | 'shared' | 'mask'> {
  readonly cohort: Cohort;
}

/** Not a generator: its `return` would wait for an item that never comes. Holds nothing of its operation, which is large. */
function encodedItems(
  source: AsyncIterator<LiveItem<unknown>> & Partial<HandedItems<LiveItem<unknown>> & Standing>,
  { cohort, viewer, shared, mask }: Encoding,
): EncodedItems {
  let isMember = true;
  let isAsking = false;
  let making: Promise<unknown> | null = null;
  const leave = () => {
    if (isMember) {
      isMember = false;
      cohort.leave();
    }
  };
  const made = (result: EncodedResult | Promise<EncodedResult>) => {
    if (result instanceof Promise) {
      const end = () => {
        making = null;
      };
      making = result.then(end, end);
    }
    return result;
  };
  return {
    reading: () => making ?? source.reading?.() ?? null,
    standsAt: () => (isAsking ? (source.standsAt?.() ?? null) : null),
    handTo(take) {
      source.handTo?.((event, items) => {
        const result = cohort.resultOf(event, items, viewer);
        // (Who is shown answers is noted first.)
        return (
          result === null || (result instanceof EncodedResult && result.shows.length === 0 && take(result))
        );
      });
    },
    async next() {
      try {
        isAsking = true;
        const { done, value: item } = await source.next();
        isAsking = false;
        if (done) {
          leave();
          return { done, value: undefined };
        }
        const result = await made(cohort.encoded(item, viewer));
        if (result.shows.length > 0) {
          await shared.note(viewer, result.shows);
        }
        return { done: false, value: result };
      } catch (error) {
        leave();
        throw isTooSlow(error) ? error : mask(error);
      }
    },
    async return() {
      leave();
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Whether a subscription ended because its consumer was too slow. */
export function isTooSlow(error: unknown): boolean {
  return error instanceof SubscriptionError && error.code === 'SLOW_CONSUMER';
}
