import type { Viewer } from '../services/access/viewer.js';
import type { Told } from '../services/routing/expert-sessions.js';

/** What an expert is connected by. */
export type ConnectionKind = 'sockets' | 'streams';

/** Says that a connection has ended. @param goodbye whether its client took leave; otherwise it was lost */
export type Leave = (goodbye: boolean) => void;

/** The connections of experts to this process, and what of them has not been told yet. */
export interface Connected {
  /** Somebody has connected; only of experts anything is kept. */
  opened(viewer: Viewer, kind: ConnectionKind): Leave;
  /** What has changed, at most `limit` experts. It changes nothing: see {@link Connected.wasTold}. */
  changes(limit: number): readonly Told[];
  /** These changes need not be told again; what changed meanwhile is. */
  wasTold(told: readonly Told[]): void;
  /** All have to be told again: nothing is known of this process any more. */
  forgotten(): void;
  /** Calls back when something has changed. */
  onChange(listener: () => void): void;
}

/** Losses of one expert that are told at once; further ones are not told. */
const BLIPS_MAX = 10;

interface Entry {
  readonly tenantId: bigint;
  readonly expertId: bigint;
  readonly sockets: number;
  readonly streams: number;
  /** When they came first of what has not been told; of somebody who was told to be there, since when. */
  readonly cameMs: number;
  readonly changedMs: number;
  readonly goodbye: boolean;
  readonly blips: readonly { readonly lostMs: number; readonly backMs: number }[];
}

/** Starts with nobody. @param now the process's monotonic clock, in milliseconds */
export function createConnected(now: () => number = () => performance.now()): Connected {
  const entries = new Map<string, Entry>();
  const changed = new Set<string>();
  /** What `changes` has handed out, to know what changed since. */
  const handedOut = new WeakMap<Told, Entry>();
  let listener = () => undefined as unknown;

  function put(key: string, entry: Entry): void {
    entries.set(key, entry);
    changed.add(key);
    listener();
  }

  return {
    opened({ role, tenantId, expertId }, kind) {
      if (role !== 'EXPERT' || expertId === null) {
        return () => undefined;
      }
      const key = `${tenantId}/${expertId}`;
      put(key, withOne(entries.get(key) ?? nobody(tenantId, expertId, now()), kind, now()));
      let hasLeft = false;
      return (goodbye) => {
        const entry = entries.get(key);
        if (!hasLeft && entry !== undefined) {
          hasLeft = true;
          put(key, withoutOne(entry, kind, { goodbye, nowMs: now() }));
        }
      };
    },
    changes(limit) {
      const at = now();
      return [...changed].slice(0, limit).flatMap((key) => {
        const entry = entries.get(key);
        if (entry === undefined) {
          return [];
        }
        const told = toldOf(entry, at);
        handedOut.set(told, entry);
        return [told];
      });
    },
    wasTold(told) {
      for (const one of told) {
        const key = `${one.tenantId}/${one.expertId}`;
        const entry = entries.get(key);
        const handed = handedOut.get(one);
        if (entry === undefined || handed === undefined) {
          continue;
        }
        if (entry !== handed) {
          entries.set(key, sinceThen(entry, handed));
          continue;
        }
        changed.delete(key);
        if (isThere(entry)) {
          entries.set(key, { ...entry, cameMs: entry.changedMs, blips: [] });
        } else {
          entries.delete(key);
        }
      }
    },
    forgotten() {
      for (const key of entries.keys()) {
        changed.add(key);
      }
    },
    onChange(call) {
      listener = call;
    },
  };
}

const nobody = (tenantId: bigint, expertId: bigint, nowMs: number): Entry => ({
  tenantId,
  expertId,
  sockets: 0,
  streams: 0,
  cameMs: nowMs,
  changedMs: nowMs,
  goodbye: true,
  blips: [],
});

const isThere = ({ sockets, streams }: Entry): boolean => sockets + streams > 0;

/** What has changed while `handed` was told. */
function sinceThen(entry: Entry, handed: Entry): Entry {
  const blips = entry.blips.slice(handed.blips.length);
  if (isThere(handed)) {
    return { ...entry, cameMs: handed.changedMs, blips };
  }
  // A loss that was told by itself, and is over meanwhile, is ended by what is told next.
  const over = blips.find(({ lostMs }) => lostMs === handed.changedMs);
  return {
    ...entry,
    cameMs: over?.backMs ?? entry.changedMs,
    blips: blips.filter((blip) => blip !== over),
  };
}

function withOne(entry: Entry, kind: ConnectionKind, nowMs: number): Entry {
  const isFirst = entry.sockets + entry.streams === 0;
  const wasLost = isFirst && !entry.goodbye && entry.blips.length < BLIPS_MAX;
  return {
    ...entry,
    [kind]: entry[kind] + 1,
    changedMs: isFirst ? nowMs : entry.changedMs,
    blips: wasLost ? [...entry.blips, { lostMs: entry.changedMs, backMs: nowMs }] : entry.blips,
  };
}

function withoutOne(
  entry: Entry,
  kind: ConnectionKind,
  { goodbye, nowMs }: { goodbye: boolean; nowMs: number },
): Entry {
  const isLast = entry.sockets + entry.streams === 1;
  return {
    ...entry,
    [kind]: entry[kind] - 1,
    changedMs: isLast ? nowMs : entry.changedMs,
    goodbye: isLast ? goodbye : entry.goodbye,
  };
}

function toldOf({ cameMs, changedMs, blips, ...rest }: Entry, nowMs: number): Told {
  const ago = (ms: number) => Math.max(0, (nowMs - ms) / 1_000);
  return {
    ...rest,
    cameSeconds: ago(cameMs),
    changedSeconds: ago(changedMs),
    blips: blips.map(({ lostMs, backMs }) => ({ lost: ago(lostMs), back: ago(backMs) })),
  };
}
