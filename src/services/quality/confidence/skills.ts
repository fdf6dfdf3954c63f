import { type Grading, statedOnGold } from '../scores/facts-of.js';
import { type ConfidenceMap, calibrateWithin } from './calibration.js';

/** A dimension has a map of its own from so many pairs on. */
const DIMENSION_PAIRS_MIN = 30;

/** What stated confidence means in a skill; dimension '': of whole answers. */
export interface SkillCalibration extends ConfidenceMap {
  readonly skillId: bigint;
  readonly dimension: string;
  readonly pairs: number;
}

/** A grading of gold of somebody who said how sure they were, with its skill. */
export interface StatedGrading extends Grading {
  readonly skillId: bigint;
}

/**
 * What an expert's stated confidence means in each skill, and in each of its dimensions that has thirty pairs, where answers have several:
 * `general` is of all skills, to which each skill is shrunk, as its dimensions are to it.
 */
export function skillCalibrations(
  gradings: readonly StatedGrading[],
  general: ConfidenceMap,
): SkillCalibration[] {
  const skills = [...new Set(gradings.map(({ skillId }) => skillId))].sort((a, b) => Number(a - b));
  return skills.flatMap((skillId) => {
    const own = gradings.filter((grading) => grading.skillId === skillId);
    const pairs = statedOnGold(own);
    const whole = calibrateWithin(pairs, general);
    const of = { skillId, dimension: '', pairs: pairs.length, ...whole };
    return [of, ...dimensionsOf(own, whole).map((one) => ({ skillId, ...one }))];
  });
}

function dimensionsOf(
  gradings: readonly StatedGrading[],
  skill: ConfidenceMap,
): Omit<SkillCalibration, 'skillId'>[] {
  const names = [...new Set(gradings.map(({ dimension }) => dimension))].sort();
  return (names.length < 2 ? [] : names).flatMap((dimension) => {
    const pairs = statedOnGold(gradings.filter((grading) => grading.dimension === dimension));
    return pairs.length < DIMENSION_PAIRS_MIN
      ? []
      : [{ dimension, pairs: pairs.length, ...calibrateWithin(pairs, skill) }];
  });
}
