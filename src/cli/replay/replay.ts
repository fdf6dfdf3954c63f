import { createClient } from '../../client/client.js';
import { StartupError } from '../../runtime/startup-error.js';
import {
  DEVELOPMENT_ISSUER,
  loadDevelopmentKey,
  mintDevelopmentToken,
} from '../../services/access/development-key.js';
import { importTagOf, workerHandle } from '../../services/projects/import-key.js';
import { IMPORT_OPERATOR, importViewer } from '../../services/projects/import-operator.js';
import { findCommandProject } from '../find-project.js';
import { type StoreContext, withStore } from '../with-store.js';
import { replayCrowd } from './crowd.js';
import { type PersonPlan, planReplay } from './plan.js';
import { showProgress } from './progress.js';
import { type Comparison, compareStored, pairOf, recordedSet } from './recorded.js';
import { createReplayLog, type ReplayLog } from './replay-log.js';
import { type ReplayResult, reportResult } from './report.js';
import { findServer } from './server.js';

export interface ReplayFlags {
  readonly vanish: number;
  readonly double: number;
  readonly leaseSeconds?: number;
  readonly url?: string;
  readonly seed: number;
  readonly concurrency: number;
  readonly patience: number;
  readonly json?: boolean;
}

/**
 * Replays an imported project through the API and holds what is then stored against the file. Sets the exit code 1
 * where an answer is missing or wrong.
 */
export async function replay(project: string, flags: ReplayFlags): Promise<void> {
  const prepared = await withStore((context) => prepare(context, project, flags));
  const server = await findServer(flags.url);
  const log = createReplayLog();
  const startedAt = performance.now();
  const failure = await replayAgainst(server.url, { project, flags, prepared, log });
  const seconds = (performance.now() - startedAt) / 1000;
  await server.release();
  const after = await withStore((context) => compare(context, project));
  const result: ReplayResult = {
    total: after.total,
    ...after.comparison,
    counts: log.counts(),
    seconds,
    failure,
  };
  if (!reportResult(result, flags)) {
    process.exitCode = 1;
  }
}

interface Prepared {
  readonly plans: readonly PersonPlan[];
  readonly open: number;
  readonly tokenOf: (worker: string) => Promise<string>;
  readonly operatorToken: () => Promise<string>;
}

async function prepare(context: StoreContext, project: string, flags: ReplayFlags): Promise<Prepared> {
  const { config } = context;
  if (config.jwt !== undefined || config.mode === 'production') {
    throw new StartupError(
      'A replay signs in with the development key, which this installation does not accept.',
      'Replay on an installation in development mode (without JWKS_URL).',
    );
  }
  const { found, set, comparison } = await compare(context, project);
  const plans = planReplay(set, (worker, item) => comparison.stored.has(pairOf(worker, item)), flags);
  const key = await loadDevelopmentKey(config.dataDir);
  const tag = importTagOf(found.idempotencyKey) ?? '';
  const { tenantSlug } = found;
  return {
    plans,
    open: plans.reduce((sum, { labels }) => sum + labels.size, 0),
    tokenOf: (worker) =>
      mintDevelopmentToken(key, { subject: workerHandle(tag, worker), tenantSlug, role: 'EXPERT' }),
    operatorToken: () =>
      mintDevelopmentToken(key, { subject: IMPORT_OPERATOR, tenantSlug, role: 'OPERATOR' }),
  };
}

async function compare({ parts }: StoreContext, project: string) {
  const found = await findCommandProject(parts, project);
  const set = await recordedSet(parts, found);
  const { identityId: actorId } = await importViewer(parts.db, { ...found, issuer: DEVELOPMENT_ISSUER });
  const comparison: Comparison = await compareStored(parts, { project: found, set, actorId });
  return { found, set, total: set.answers, comparison };
}

interface Run {
  readonly project: string;
  readonly flags: ReplayFlags;
  readonly prepared: Prepared;
  readonly log: ReplayLog;
}

/** Null when everybody is done; else what stopped the replay. Ctrl-C stops it as well. */
async function replayAgainst(url: string, { project, flags, prepared, log }: Run): Promise<Error | null> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('The replay was interrupted.'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const progress = await showProgress(prepared.open, log, process.stderr);
  try {
    if (flags.leaseSeconds !== undefined) {
      await setLease(url, { project, leaseSeconds: flags.leaseSeconds, token: prepared.operatorToken });
    }
    await replayCrowd({
      world: { url, tokenOf: prepared.tokenOf, double: flags.double, seed: flags.seed, log },
      plans: prepared.plans,
      concurrency: flags.concurrency,
      patienceMs: flags.patience * 1000,
      signal: interrupted.signal,
    });
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    progress.stop();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

interface LeaseChange {
  readonly project: string;
  readonly leaseSeconds: number;
  readonly token: () => Promise<string>;
}

async function setLease(url: string, { project, leaseSeconds, token }: LeaseChange): Promise<void> {
  const result = await createClient({ url, token }).setLease({ projectId: project, leaseSeconds });
  if ('code' in result) {
    throw new StartupError(`The lease cannot be set: ${result.message}`, 'Choose another --lease-seconds.');
  }
}
