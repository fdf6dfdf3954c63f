import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import {
  type DeliveryParts,
  sendDelivery,
  type Taken,
  takeDeliveries,
} from '../services/events/webhooks/deliver.js';
import { jitter } from '../services/platform/retry.js';
import { createLoop, type Job } from './loop.js';

export interface WebhooksOptions extends DeliveryParts {
  readonly log: Logger;
  readonly registry: Registry;
}

const EVERY_MS = 1_000;
/** Attempts of this node at once: most of them wait for somebody else's server. */
const AT_ONCE = 32;

/** Sends what webhooks are to be told. Any number of nodes may run it: each takes what nobody else has. */
export function createWebhooks({ log, registry, ...parts }: WebhooksOptions): Job {
  const outcomes = new Counter({
    name: 'touchstone_webhook_attempts_total',
    help: 'Attempts to deliver to webhooks, by what came of them: delivered, retry, dead (given up), lost (taken over by another node), given_back.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const sending = new Set<Promise<void>>();
  let stopping = new AbortController();

  async function send(taken: Taken): Promise<void> {
    const subject = { tenantId: String(taken.tenantId), deliveryId: String(taken.id) };
    try {
      const outcome = await sendDelivery(parts, taken, stopping.signal);
      outcomes.inc({ outcome: outcome.toLowerCase() });
      log.debug({ ...subject, outcome }, 'webhook.attempted');
    } catch (error) {
      // Its lease ends by itself, and it is taken again.
      log.error({ ...subject, err: error }, 'webhook.not_recorded');
    }
  }

  const loop = createLoop({
    name: 'webhooks',
    log,
    async step() {
      const free = AT_ONCE - sending.size;
      const taken = free > 0 ? await takeDeliveries(parts, free) : [];
      for (const one of taken) {
        const sent = send(one).finally(() => {
          sending.delete(sent);
          loop.poke(); // the next of its subject may be due
        });
        sending.add(sent);
      }
      return jitter(EVERY_MS);
    },
  });
  return {
    start() {
      stopping = new AbortController();
      loop.start();
    },
    async stop() {
      stopping.abort();
      await loop.stop();
      await Promise.all(sending);
    },
  };
}
