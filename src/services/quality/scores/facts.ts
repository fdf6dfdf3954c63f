/** One class of one dimension: what the key says, and what was answered. */
export interface Outcome {
  readonly dimension: string;
  readonly truth: string;
  readonly answer: string;
}

/** How one dimension of an answer was graded. */
export interface DimensionResult {
  readonly dimension: string;
  readonly isRight: boolean;
  /** How sure its key is, above 0 to 1. */
  readonly weight: number;
}

/**
 * A permanent fact about one answer of an expert. Only these move a score: a gold whose key is known, or an adjudication.
 * Agreement alone never does, because experts who collude agree.
 */
export interface ScoreFact {
  /** Names the grading it comes from; a score's evidence is a list of these. */
  readonly id: string;
  readonly source: 'GOLD' | 'ADJUDICATION';
  /** When the fact was recorded, by the database's clock. An adjudication counts from when it was decided. */
  readonly atMs: number;
  /** How right the answer was, 0 to 1: 1 or 0 for a class, the share of a rubric, closeness on an ordered scale. */
  readonly credit: number;
  /** How sure the key is, above 0 to 1: 1 for gold, the adjudicated answer's probability for an adjudication. */
  readonly weight: number;
  /** How often such a key takes a wrong answer for right; not given: as with two classes. */
  readonly chance?: number;
  /** The nominal dimensions with declared classes that were answered; empty where there is none. */
  readonly outcomes: readonly Outcome[];
  /** The dimensions that were graded: credit is the share of them that is right. */
  readonly dimensions: readonly DimensionResult[];
}

/** The order in which facts count: by time, and by id where two have the same millisecond. */
export function inOrder(facts: readonly ScoreFact[]): ScoreFact[] {
  return [...facts].sort((a, b) => a.atMs - b.atMs || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}
