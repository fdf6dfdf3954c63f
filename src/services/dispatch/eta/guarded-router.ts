import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  circuitBreaker,
  handleAll,
  type IBreaker,
  wrap,
} from 'cockatiel';
import type { Counter } from 'prom-client';
import type { Place } from '../ports.js';
import { RouterFailedError } from './errors.js';
import type { Router, Way } from './router.js';
import { PLACES_MAX } from './router.js';

/** How a request to the router ended; part of what metrics say. */
export type RouterOutcome = 'OK' | 'LATE' | 'FAILED' | 'OPEN' | 'FULL';

/** A router that costs nobody more than their budget, whatever it does. */
export interface GuardedRouter {
  /**
   * What the router says of each way; null where it did not say so in time, was not asked, or failed. Resolves within
   * {@link BUDGET_MS}, and never rejects.
   */
  ways(from: readonly Place[], to: Place): Promise<readonly (Way | null)[]>;
  /** Whether it is left alone just now because it kept failing. */
  isOpen(): boolean;
  close(): Promise<void>;
}

/** What a decision has for the router, of half a second in all. */
export const BUDGET_MS = 150;
/** Requests of this process at once. */
const AT_ONCE_MAX = 64;
/** Requests of one assignment at once; further ones wait, within the budget. */
const AT_ONCE_AN_ASSIGNMENT = 2;
const WAITING_AN_ASSIGNMENT = 8;
/** The circuit opens when five in a row fail, or ten of the last twenty; it is tried again after five seconds. */
const FAILURES_IN_A_ROW = 5;
const FAILING_SHARE = 0.5;
const WINDOW = 20;
const OPEN_MS = 5_000;

export interface GuardOptions {
  readonly requests: Counter<'outcome'>;
  /** How long the circuit stays open (default 5 s). */
  readonly openMs?: number;
  /** What a decision has for the router (default {@link BUDGET_MS}). */
  readonly budgetMs?: number;
}

/** Puts a router behind a budget of time, bulkheads and a circuit breaker. */
export function guardRouter(
  router: Router,
  { requests, openMs = OPEN_MS, budgetMs = BUDGET_MS }: GuardOptions,
): GuardedRouter {
  const circuit = circuitBreaker(handleAll, { breaker: eitherBreaker(), halfOpenAfter: openMs });
  // The bulkhead outside: what was not asked for want of room says nothing about the router.
  const total = wrap(bulkhead(AT_ONCE_MAX, 0), circuit);

  async function ask(from: readonly Place[], to: Place, signal: AbortSignal): Promise<readonly Way[]> {
    try {
      // An abort while others probe the circuit, or while a reader ignores it, must not hold anybody: so it is raced.
      const answer = await Promise.race([
        total.execute(() => router.ways(from, to, signal), signal),
        aborted(signal),
      ]);
      requests.inc({ outcome: 'OK' });
      return answer;
    } catch (error) {
      requests.inc({ outcome: outcomeOf(error, signal) });
      throw error;
    }
  }

  return {
    async ways(from, to) {
      const signal = AbortSignal.timeout(budgetMs);
      const own = bulkhead(AT_ONCE_AN_ASSIGNMENT, WAITING_AN_ASSIGNMENT);
      const parts = partsOf(from);
      const answers = await Promise.all(
        parts.map((part) =>
          Promise.race([own.execute(() => ask(part, to, signal), signal), aborted(signal)]).catch(() =>
            part.map(() => null),
          ),
        ),
      );
      return answers.flat();
    },
    isOpen: () => circuit.state === CircuitState.Open,
    close: () => router.close(),
  };
}

/** Opens when either would. */
function eitherBreaker(): IBreaker {
  const breakers = [
    new ConsecutiveBreaker(FAILURES_IN_A_ROW),
    new CountBreaker({ threshold: FAILING_SHARE - Number.EPSILON, size: WINDOW }),
  ];
  return {
    state: undefined,
    success(state) {
      for (const breaker of breakers) {
        breaker.success(state);
      }
    },
    failure: (state) => breakers.map((breaker) => breaker.failure(state)).includes(true),
  };
}

function partsOf(from: readonly Place[]): (readonly Place[])[] {
  const count = Math.ceil(from.length / PLACES_MAX);
  return Array.from({ length: count }, (_, n) => from.slice(n * PLACES_MAX, (n + 1) * PLACES_MAX));
}

/** Rejects when the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const late = () => reject(new RouterFailedError('The router is late.'));
    if (signal.aborted) {
      late();
    }
    signal.addEventListener('abort', late, { once: true });
  });
}

function outcomeOf(error: unknown, signal: AbortSignal): RouterOutcome {
  if (error instanceof BrokenCircuitError) {
    return 'OPEN';
  }
  if (error instanceof BulkheadRejectedError) {
    return 'FULL';
  }
  return signal.aborted ? 'LATE' : 'FAILED';
}
