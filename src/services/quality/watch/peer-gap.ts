/** What one expert did on gold, and on ordinary tasks of the same kind that others answered too. */
export interface GoldAndPeers {
  readonly goldRight: number;
  readonly goldSeen: number;
  /** Ordinary tasks whose answer, made without this expert, is theirs. */
  readonly agreed: number;
  readonly compared: number;
}

/** How good the comparison is. */
export interface Consensus {
  /** The accuracy of such an answer made without one expert, measured on gold, .5 to 1. */
  readonly accuracy: number;
  /** Classes of the dimension. */
  readonly classes: number;
}

export interface GapFinding {
  /** Accuracy on gold less the accuracy that the agreement with others means. */
  readonly gap: number;
  /** The gap in standard errors. */
  readonly z: number;
}

const SEEN_MIN = 15;
/** The gap that is reported is this many standard errors, and this large. */
const Z_ABOVE = 3.6;
const GAP_MIN = 0.15;

/**
 * Whether somebody is better on gold than their peers say, as are those who know the gold. Null while fewer than fifteen
 * of either are known, or when there is no such gap.
 *
 * Agreement is first turned into accuracy, since others are wrong too: with a consensus that is right with probability c
 * and whose errors are spread over L - 1 classes, an expert of accuracy a agrees with probability
 * a c + (1 - a)(1 - c) / (L - 1). Both proportions have a pseudo-answer of each kind added (Agresti and Caffo 2000), so that
 * "all of few" is no certainty. Asked after every ten tasks of a whole history, an honest expert is reported in less than
 * 1 of 200 cases (simulated).
 */
export function findPeerGap(
  { goldRight, goldSeen, agreed, compared }: GoldAndPeers,
  consensus: Consensus,
): GapFinding | null {
  if (goldSeen < SEEN_MIN || compared < SEEN_MIN) {
    return null;
  }
  const gold = proportion(goldRight, goldSeen);
  const peers = proportion(agreed, compared);
  const byChance = (1 - consensus.accuracy) / (consensus.classes - 1);
  const slope = consensus.accuracy - byChance;
  const gap = gold.share - (peers.share - byChance) / slope;
  const z = gap / Math.sqrt(gold.variance + peers.variance / slope ** 2);
  return gap > GAP_MIN && z > Z_ABOVE ? { gap, z } : null;
}

function proportion(successes: number, trials: number): { share: number; variance: number } {
  const share = (successes + 1) / (trials + 2);
  return { share, variance: (share * (1 - share)) / (trials + 2) };
}
