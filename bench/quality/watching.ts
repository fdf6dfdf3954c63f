import { mostProbable, posterior } from '../../src/services/quality/redundancy/posterior.js';
import { meanAccuracy, skillPrior } from '../../src/services/quality/scores/estimate.js';
import { findTimeGap, presumedKnown } from '../../src/services/quality/watch/gold-time.js';
import { findPeerGap } from '../../src/services/quality/watch/peer-gap.js';
import { findSharedErrors } from '../../src/services/quality/watch/shared-errors.js';
import { CLASSES } from './fleet.js';
import type { Career, Season } from './season.js';

export interface Watched {
  /** Experts found to know gold, by their times or by the gap to their peers. */
  readonly knowers: ReadonlySet<string>;
  /** Gold retired because of them. */
  readonly retired: ReadonlySet<string>;
  /** Experts found to share wrong answers. */
  readonly sharers: ReadonlySet<string>;
}

/** What the watch finds in a season. */
export function watchSeason(season: Season): Watched {
  const consensus = consensusOf(season);
  const found = season.careers.map((career) => ({ career, by: findKnower(career, season, consensus) }));
  const knowers = found.filter(({ by }) => by !== null);
  return {
    knowers: new Set(knowers.map(({ career }) => career.expert.id)),
    retired: new Set(
      knowers.flatMap(({ career, by }) =>
        presumedKnown(career.gold, { ordinarySeconds: career.ordinarySeconds, isQuick: by === 'TIME' }),
      ),
    ),
    sharers: findSharers(season, consensus),
  };
}

type Votes = ReadonlyMap<string, ReadonlyMap<string, string>>;

interface ConsensusView {
  readonly votes: Votes;
  /** How often the answer of the others is right: on gold, of as many as a task has. */
  readonly accuracy: number;
}

function consensusOf({ ordinary, careers, gold }: Season): ConsensusView {
  const votes = new Map<string, Map<string, string>>();
  for (const { item, expert, label } of ordinary) {
    votes.set(item, (votes.get(item) ?? new Map()).set(expert, label));
  }
  // Gold that four have answered: right by most of them or not.
  const right = gold.flatMap(({ id }) => {
    const results = careers.flatMap((career) => career.gold.filter((shown) => shown.gold === id)).slice(0, 4);
    return results.length < 4 ? [] : [results.filter(({ credit }) => credit === 1).length >= 2 ? 1 : 0];
  });
  return { votes, accuracy: right.reduce((sum: number, one) => sum + one, 0) / Math.max(1, right.length) };
}

function findKnower(career: Career, season: Season, consensus: ConsensusView): 'TIME' | 'GAP' | null {
  if (findTimeGap(career.gold, career.ordinarySeconds) !== null) {
    return 'TIME';
  }
  const own = season.ordinary.filter(({ expert }) => expert === career.expert.id);
  const compared = own.flatMap(({ item, label }) => {
    const others = mostGiven(consensus.votes.get(item), career.expert.id);
    return others === null ? [] : [others === label];
  });
  const finding = findPeerGap(
    {
      goldRight: career.gold.filter(({ credit }) => credit === 1).length,
      goldSeen: career.gold.length,
      agreed: compared.filter(Boolean).length,
      compared: compared.length,
    },
    { accuracy: consensus.accuracy, classes: CLASSES.length },
  );
  return finding === null ? null : 'GAP';
}

/** Keys are what the answers mean, each weighed by its expert's score: a ring cannot outvote what gold says of it. */
function findSharers({ ordinary, careers }: Season, { votes }: ConsensusView): Set<string> {
  const prior = skillPrior(careers.map(({ score }) => score));
  const accuracies = new Map(careers.map(({ expert, score }) => [expert.id, meanAccuracy(score, prior)]));
  const keyed = ordinary.map((answer) => {
    const weighed = [...(votes.get(answer.item) ?? [])].map(([expert, label]) => ({
      label: CLASSES.indexOf(label as (typeof CLASSES)[number]),
      model: { accuracy: accuracies.get(expert) ?? 0.5, confusion: null },
    }));
    const even = CLASSES.map(() => 1 / CLASSES.length);
    return { ...answer, key: CLASSES[mostProbable(posterior(weighed, even)).label] ?? '' };
  });
  return new Set(findSharedErrors(keyed).flatMap(({ experts }) => experts));
}

/** What most gave, one expert left out; null on a tie. */
function mostGiven(votes: ReadonlyMap<string, string> | undefined, without: string): string | null {
  const counts = new Map<string, number>();
  for (const [expert, label] of votes ?? []) {
    if (expert !== without) {
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
  }
  const [most, second] = [...counts].sort((a, b) => b[1] - a[1]);
  return most === undefined || most[1] === second?.[1] ? null : most[0];
}
