import { randomOf, shuffled } from '../../services/platform/random.js';
import type { CrowdSet } from '../../services/projects/crowd-set.js';

/** What one recorded worker still has to do. */
export interface PersonPlan {
  readonly worker: string;
  /** Their answers that are not stored yet: item → label. */
  readonly labels: ReadonlyMap<string, string>;
  /** How many answers they give before they vanish; null for those who stay. */
  readonly vanishAfter: number | null;
}

export interface PlanOptions {
  /** Share of clients that vanish once. */
  readonly vanish: number;
  readonly seed: number;
}

/** Whether an answer is stored already, from an earlier replay that was stopped. */
export type IsStored = (worker: string, item: string) => boolean;

/** Who has to do what. The same file, seed and state give the same plan. */
export function planReplay(set: CrowdSet, isStored: IsStored, options: PlanOptions): PersonPlan[] {
  const open = labelsByWorker(set, isStored);
  const random = randomOf(options.seed, 'who vanishes');
  const vanishing = new Set(
    shuffled([...open.keys()], random).slice(0, Math.round(options.vanish * open.size)),
  );
  return [...open].map(([worker, labels]) => ({
    worker,
    labels,
    vanishAfter: vanishing.has(worker) ? Math.floor(random() * labels.size) : null,
  }));
}

function labelsByWorker(set: CrowdSet, isStored: IsStored): Map<string, Map<string, string>> {
  const byWorker = new Map<string, Map<string, string>>();
  for (const [item, answers] of set.items) {
    for (const [worker, label] of answers) {
      if (!isStored(worker, item)) {
        const labels = byWorker.get(worker) ?? new Map<string, string>();
        byWorker.set(worker, labels.set(item, label));
      }
    }
  }
  return byWorker;
}
