import type { ReplayCounts, ReplayLog } from './replay-log.js';

/** Shows how far a replay has come, until it is stopped. */
export interface Progress {
  stop(): void;
}

const LINE_EVERY_MS = 5000;
const BAR_EVERY_MS = 200;

/** A bar on a terminal; elsewhere a plain line every few seconds. */
export async function showProgress(
  total: number,
  log: ReplayLog,
  out: NodeJS.WriteStream,
): Promise<Progress> {
  return out.isTTY ? showBar(total, log, out) : showLines(total, log, out);
}

async function showBar(total: number, log: ReplayLog, out: NodeJS.WriteStream): Promise<Progress> {
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    stream: out,
    hideCursor: true,
    format: '{bar} {percentage}% | {value}/{total} answers | {rate}/s | {away} away | {retries} retries',
  });
  const startedAt = performance.now();
  const update = () => bar.update(log.counts().receipts, statusOf(log.counts(), startedAt));
  bar.start(total, 0, statusOf(log.counts(), startedAt));
  const timer = setInterval(update, BAR_EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      update();
      bar.stop();
    },
  };
}

function showLines(total: number, log: ReplayLog, out: NodeJS.WriteStream): Progress {
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const counts = log.counts();
    const { rate, away, retries } = statusOf(counts, startedAt);
    out.write(`${counts.receipts}/${total} answers, ${rate}/s, ${away} clients away, ${retries} retries\n`);
  }, LINE_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}

function statusOf({ receipts, vanished, returned, retries }: ReplayCounts, startedAt: number) {
  const seconds = Math.max(0.001, (performance.now() - startedAt) / 1000);
  return { rate: Math.round(receipts / seconds), away: vanished - returned, retries };
}
