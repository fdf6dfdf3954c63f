/** What a replay has seen so far. */
export interface ReplayCounts {
  readonly receipts: number;
  readonly vanished: number;
  readonly returned: number;
  readonly doubled: number;
  readonly retries: number;
  /** Assignments that ended otherwise than by a receipt, by the API's code. */
  readonly lost: Readonly<Record<string, number>>;
  /** What must never happen, in words. */
  readonly broken: readonly string[];
}

/** Counts what happens in a replay, and says when it happened last. */
export interface ReplayLog {
  received(): void;
  vanished(): void;
  returned(): void;
  doubled(): void;
  retried(): void;
  lost(code: string): void;
  broke(what: string): void;
  counts(): ReplayCounts;
  /** Milliseconds since the last receipt, or since the start. */
  idleMs(): number;
}

/** Enough to see what is wrong. */
const MOST_BROKEN_KEPT = 20;

/** A log of nothing yet. `onReceipt` is called after each receipt with how many there are. */
export function createReplayLog(onReceipt: (receipts: number) => void = () => undefined): ReplayLog {
  const counts = { receipts: 0, vanished: 0, returned: 0, doubled: 0, retries: 0 };
  const lost: Record<string, number> = {};
  const broken: string[] = [];
  let lastReceiptAt = performance.now();
  return {
    received() {
      counts.receipts += 1;
      lastReceiptAt = performance.now();
      onReceipt(counts.receipts);
    },
    vanished: () => void counts.vanished++,
    returned: () => void counts.returned++,
    doubled: () => void counts.doubled++,
    retried: () => void counts.retries++,
    lost(code) {
      lost[code] = (lost[code] ?? 0) + 1;
    },
    broke(what) {
      if (broken.length < MOST_BROKEN_KEPT) {
        broken.push(what);
      }
    },
    counts: () => ({ ...counts, lost: { ...lost }, broken: [...broken] }),
    idleMs: () => performance.now() - lastReceiptAt,
  };
}
