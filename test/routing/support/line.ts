import { Registry } from 'prom-client';
import { expect, vi } from 'vitest';
import { type Database, openDatabase } from '../../../src/services/platform/database.js';
import { type AdmissionLimits, openAdmission } from '../../../src/services/routing/admission.js';
import { createAdmissionMetrics } from '../../../src/services/routing/admission-metrics.js';
import { claimTask } from '../../../src/services/routing/claim.js';
import type { Expert } from '../../support/factories.js';

/** A node of a test's own: its pools, its line, what was measured of it. */
export interface TestNode {
  readonly db: Database;
  /** The sum, count or value of a metric of the line; 0 where nothing was measured. */
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
  /** Takes the line's connections away, so that what comes now waits; returns what gives them back. */
  hold(): Promise<() => void>;
  /** When a batch has been made up and waits for a connection that is held. */
  running(): Promise<void>;
}

export function openNode(url: string, limits: Partial<AdmissionLimits> = {}): TestNode {
  const db = openDatabase({ url });
  const registry = new Registry();
  openAdmission(db, { limits, metrics: createAdmissionMetrics(registry) });
  return {
    db,
    async metric(name, labels = {}) {
      const metrics = await registry.getMetricsAsJSON();
      const samples = metrics.flatMap(({ values }) => values as Sample[]);
      const found = metrics.flatMap((metric) =>
        (metric.values as Sample[])
          .filter((sample) => (sample.metricName ?? metric.name) === name)
          .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value)),
      );
      return samples.length === 0 ? 0 : found.reduce((sum, { value }) => sum + value, 0);
    },
    running: () => vi.waitFor(() => expect(db.linePool.waitingCount).toBeGreaterThan(0), { timeout: 60_000 }),
    async hold() {
      const clients = [await db.linePool.connect(), await db.linePool.connect()];
      return () => {
        for (const client of clients) {
          client.release();
        }
      };
    },
  };
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Record<string, string | number | undefined>;
  readonly value: number;
}

/** Names in the order in which their claims are answered. */
export function order(db: Database) {
  const answered: string[] = [];
  const ask = (expert: Expert, name: string) => claimTask(db, expert.viewer).then(() => answered.push(name));
  return { answered, ask };
}
