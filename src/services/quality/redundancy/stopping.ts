import { regularisedBeta } from '../../platform/beta.js';
import { fitPlatt, IDENTITY, type PlattMap, type Stated } from '../confidence/platt.js';
import { mostProbable, posterior, type Vote } from './posterior.js';

/** An item whose truth is known, with its answers as they came; their models must not have learnt from this very item. */
export interface RevealedItem {
  readonly id: string;
  readonly truth: number;
  readonly votes: readonly Vote[];
}

export interface StoppingRule {
  readonly posterior: number;
  readonly min: number;
  /** Answers that a task never exceeds: what comes after them decides nothing. */
  readonly max: number;
  readonly prior: readonly number[];
}

/** How to stop so that what is promised is kept. */
export interface Stopping {
  /** The model's posterior at which to stop: the rule's own, or higher where the model was seen to claim too much. */
  readonly threshold: number;
  /** What the model's posterior at the stop means. */
  readonly map: PlattMap;
  /** The revealed items it rests on. */
  readonly items: number;
}

/** Before so many revealed items nothing is stated and no threshold is moved. */
const ITEMS_MIN = 50;
/** Items as good as seen that say the model is right: of Platt's map. */
const PRIOR_STRENGTH = 4;
const THRESHOLDS = [0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.985, 0.99, 0.995];
/** The threshold rises where the rule is missed with this probability. */
const SURE = 0.9;
const FOLDS = 10;

/** What the revealed items say of a stopping rule, and what those of them say that are not the item judged. */
export interface FittedStopping {
  /** Null before fifty items are known. */
  readonly all: Stopping | null;
  /** Fitted on the nine tenths of the items that this one is not among. */
  without(id: string): Stopping | null;
}

/**
 * Plays the stopping rule on items whose truth is known, and learns from where it stopped.
 *
 * Answers are not independent given the truth (hard items are hard for everybody), so a posterior claims too much: .97
 * stated was .81 right on one public set. Two things follow. The number that is told is Platt's map of the model's. And the
 * threshold rises to the lowest at which the stopped items are not, with probability .9, right less often than asked.
 */
export function fitStopping(items: readonly RevealedItem[], rule: StoppingRule): FittedStopping {
  const playAt = playing(items, rule);
  const folds = Array.from({ length: FOLDS }, (_, fold) => () => fitOn(playAt, { rule, without: fold }));
  const fitted = folds.map(lazily);
  return { all: fitOn(playAt, { rule, without: null }), without: (id) => fitted[foldOf(id)]?.() ?? null };
}

/** Where every item stops at a threshold, and in which fold it is. */
type PlayAt = (threshold: number) => readonly (Stated & { readonly fold: number })[];

/** Every threshold is played once, for all folds. */
function playing(items: readonly RevealedItem[], rule: StoppingRule): PlayAt {
  const played = new Map<number, ReturnType<PlayAt>>();
  return (threshold) => {
    const known =
      played.get(threshold) ??
      items.map((item) => ({ ...stopAt(item, { ...rule, posterior: threshold }), fold: foldOf(item.id) }));
    played.set(threshold, known);
    return known;
  };
}

interface Fitting {
  readonly rule: StoppingRule;
  /** The fold that is left out; null: none. */
  readonly without: number | null;
}

function fitOn(playAt: PlayAt, { rule, without }: Fitting): Stopping | null {
  const kept: PlayAt = (threshold) => playAt(threshold).filter(({ fold }) => fold !== without);
  const items = kept(rule.posterior).length;
  if (items < ITEMS_MIN) {
    return null;
  }
  const threshold = lowestKept(kept, rule.posterior);
  return { threshold, map: fitPlatt(kept(threshold), { centre: IDENTITY, strength: PRIOR_STRENGTH }), items };
}

function lowestKept(playAt: PlayAt, asked: number): number {
  const higher = THRESHOLDS.filter((threshold) => threshold > asked);
  const kept = [asked, ...higher].find((threshold) => !isMissed(playAt, { asked, threshold }));
  return kept ?? Math.max(asked, ...THRESHOLDS);
}

/** Whether the items stopped at a threshold are right less often than asked, with probability .9 from a uniform prior. */
function isMissed(playAt: PlayAt, { asked, threshold }: { asked: number; threshold: number }): boolean {
  const stopped = playAt(threshold).filter(({ probability }) => probability >= threshold);
  const right = stopped.filter(({ isRight }) => isRight).length;
  return regularisedBeta(asked, right + 1, stopped.length - right + 1) > SURE;
}

/** The item's result where the rule stops, or after as many answers as a task may have: past them it would be adjudicated. */
function stopAt({ votes, truth }: RevealedItem, rule: StoppingRule): Stated {
  const { posterior: threshold, min, max, prior } = rule;
  const most = Math.min(max, votes.length);
  for (let n = Math.min(min, most); ; n++) {
    const { label, probability } = mostProbable(posterior(votes.slice(0, n), prior));
    if (probability >= threshold || n >= most) {
      return { probability, isRight: label === truth };
    }
  }
}

/** A number that depends on the id only, so that an item stays in its fold while others come (FNV-1a). */
function foldOf(id: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(id)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0) % FOLDS;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
