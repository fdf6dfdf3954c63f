import { createTurns, type Turns } from '../platform/concurrency.js';
import type { Database } from '../platform/database.js';
import { OverloadedError } from '../platform/errors.js';
import { createMicroBatches, type MicroBatches } from '../platform/micro-batches.js';
import { inBatchSpan, presentLink } from '../platform/tracing.js';
import { type AdmissionMetrics, createAdmissionMetrics } from './admission-metrics.js';
import {
  type ClaimRequest,
  claimExact,
  isWorthAnother,
  type Reply,
  type ServeRequest,
  type SubmitRequest,
  serveAlone,
  serveTogether,
} from './serve.js';

// In front of the database: claims and submits of this node wait in one bounded, fair line (what that means is said in
// platform/micro-batches.ts) and run in batches, claims on one connection and submits on another: many claims side by side
// are slower than the same ones after each other, but claims and submits do not touch the same rows
// (docs/decisions/0019-admission.md). What a batch cannot answer goes its own way, a few at a time:
//
//   LOOK   the quick way found nothing. Before anybody is told so, app.claim_exact looks at everything, on the pool.
//   BUSY   something was in other hands: the caller of this module asks again, and so stands in line again.

export interface AdmissionLimits {
  /** Claims of this node that may wait for a batch, and as many submits (default 4,000). */
  readonly waitingMax: number;
  /** The longest wait in line (default 10 s). */
  readonly waitMs: number;
}

const LIMITS: AdmissionLimits = { waitingMax: 4_000, waitMs: 10_000 };
/**
 * A crowd goes in several batches, so that one claims while the other submits: with 64 at once 2,300 cycles a second,
 * 2,050 where a batch took them all and each line waited for the other (bench/claim, two cores).
 */
const BATCH_MAX = 32;
/** Connections of the pool that requests of failed batches may take, and that exact looks may; how many may wait. */
const ALONE_AT_ONCE = 3;
const ALONE_WAITING_MAX = 256;
const ALONE_OF_TENANT = 64;
const LOOKS_AT_ONCE = 2;
const LOOKS_WAITING_MAX = 4_000;
const DRAIN_MS = 5_000;
/** A longer answer would hold up the batch that carries it. */
const BATCHED_ANSWER_MAX = 65_536;
const LARGE_WAITING_MAX = 32;
const LARGE_RETRY_SECONDS = 2;

/** A request, and where it stands in a trace. */
interface Traced {
  readonly request: ServeRequest;
  readonly link: ReturnType<typeof presentLink>;
}

/** The line of one node. */
export interface Admission {
  claim(request: ClaimRequest, signal?: AbortSignal): Promise<Reply>;
  submit(request: SubmitRequest, signal?: AbortSignal): Promise<Reply>;
}

const lines = new WeakMap<Database, Admission>();

/** Sets up the line of a database as a server wants it; whoever does not is given one with the defaults. */
export function openAdmission(
  db: Database,
  { limits = {}, metrics }: { limits?: Partial<AdmissionLimits>; metrics: AdmissionMetrics },
): Admission {
  const lane = () => openBatches(db, { ...LIMITS, ...limits }, metrics);
  const batches = { CLAIM: lane(), SUBMIT: lane() };
  const line = createLine(db, batches, createTurns(LOOKS_AT_ONCE, LOOKS_WAITING_MAX));
  db.beforeClose(async () => void (await Promise.all([batches.CLAIM.close(), batches.SUBMIT.close()])));
  metrics.watch({
    waiting: () => batches.CLAIM.waiting() + batches.SUBMIT.waiting(),
    looksWaiting: line.looksWaiting,
  });
  lines.set(db, line);
  return line;
}

type TracedBatches = MicroBatches<Traced, Reply>;

function openBatches(db: Database, limits: AdmissionLimits, metrics: AdmissionMetrics): TracedBatches {
  return createMicroBatches<Traced, Reply>(
    {
      together: (items) =>
        inBatchSpan(
          'serve batch',
          items.map(({ link }) => link),
          () =>
            serveTogether(
              db,
              items.map(({ request }) => request),
            ),
        ),
      alone: ({ request }) => serveAlone(db, request),
      isWorthAnother,
    },
    {
      ...limits,
      batchMax: BATCH_MAX,
      aloneAtOnce: ALONE_AT_ONCE,
      aloneWaitingMax: ALONE_WAITING_MAX,
      aloneOfTenant: ALONE_OF_TENANT,
      drainMs: DRAIN_MS,
    },
    metrics,
  );
}

/** The line in front of a database. */
export function admissionOf(db: Database): Admission {
  return lines.get(db) ?? openAdmission(db, { metrics: createAdmissionMetrics() });
}

function createLine(
  db: Database,
  batches: Readonly<Record<ServeRequest['kind'], TracedBatches>>,
  looks: Turns,
): Admission & { looksWaiting: () => number } {
  const large = createTurns(1, LARGE_WAITING_MAX);
  const enter = (request: ServeRequest, key: string, signal?: AbortSignal) => {
    const { tenantId, actorId: identityId } = request.caller;
    const item = { request, link: presentLink() };
    return batches[request.kind].enter({ tenantId, identityId, key, item }, signal);
  };
  return {
    looksWaiting: looks.waiting,
    async claim(request, signal) {
      const reply = await enter(request, `claim/${request.caller.expertId}`, signal);
      if (reply.outcome.outcome !== 'LOOK') {
        return reply;
      }
      const looked = await looks.take(() => claimExact(db, request), signal);
      return looked ?? { outcome: { outcome: 'BUSY' }, token: '' };
    },
    async submit(request, signal) {
      if (request.answer.body.length <= BATCHED_ANSWER_MAX) {
        return enter(request, `submit/${request.lease.assignmentId}`, signal);
      }
      const stored = await large.take(() => serveAlone(db, request), signal);
      if (stored === null) {
        throw new OverloadedError(LARGE_RETRY_SECONDS);
      }
      return stored;
    },
  };
}
