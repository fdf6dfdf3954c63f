import type { InputIssue } from '../access/errors.js';
import { languages, tags, type Words } from '../platform/words.js';

/** What a project asks of an expert beside its own skill and that one's minimum. */
export interface Requirement {
  /** Further skills, all of which the expert has. */
  readonly allOf: readonly bigint[];
  /** Further skills, at least one of which the expert has. */
  readonly anyOf: readonly bigint[];
  /** Least lower bound of measured quality in the further skills. */
  readonly minQuality: number;
  /** All of which the expert speaks. */
  readonly languages: readonly string[];
  /** All of which the expert carries. */
  readonly tags: readonly string[];
}

export const NO_REQUIREMENT: Requirement = { allOf: [], anyOf: [], minQuality: 0, languages: [], tags: [] };

const SKILLS_MAX = 10;

/**
 * The one form of a requirement: sorted, each thing once, without a minimum where there is no skill that it is of. The
 * same requirement is then the same lane, in whatever order it was said.
 */
export function canonicalRequirement(
  given: Requirement,
  skillId: bigint,
): { requirement: Requirement } | { issues: InputIssue[] } {
  const spoken = languages(given.languages);
  const carried = tags(given.tags);
  const issues = [
    ...skillIssues(given, skillId),
    ...wordIssues('/languages', spoken),
    ...wordIssues('/tags', carried),
  ];
  if (issues.length > 0 || 'fault' in spoken || 'fault' in carried) {
    return { issues };
  }
  const allOf = sortedIds(given.allOf);
  const anyOf = sortedIds(given.anyOf);
  const minQuality = allOf.length + anyOf.length === 0 ? 0 : given.minQuality;
  return { requirement: { allOf, anyOf, minQuality, languages: spoken.words, tags: carried.words } };
}

/**
 * The greatest bar of a project. Who is never wrong is known to be above .92 with probability .95, and above .88 after one
 * miss; adjudications of the project wait .05 above its bar.
 */
export const BAR_MAX = 0.85;

/** Two decimals at most: each distinct minimum is a range of the queue of its own. */
export function isQuality(q: number): boolean {
  return q >= 0 && q <= 1 && Math.abs(q * 100 - Math.round(q * 100)) < 1e-9;
}

function skillIssues({ allOf, anyOf, minQuality }: Requirement, skillId: bigint): InputIssue[] {
  const rules: [ok: boolean, path: string, message: string][] = [
    [allOf.length <= SKILLS_MAX, '/furtherSkills/allOf', `Name at most ${SKILLS_MAX} skills.`],
    [anyOf.length <= SKILLS_MAX, '/furtherSkills/anyOf', `Name at most ${SKILLS_MAX} skills.`],
    [
      ![...allOf, ...anyOf].includes(skillId),
      '/furtherSkills',
      'The skill of the project itself is no further one.',
    ],
    [
      !anyOf.some((id) => allOf.includes(id)),
      '/furtherSkills/anyOf',
      'What all must have need not be one of several.',
    ],
    [
      isQuality(minQuality),
      '/furtherSkills/minQuality',
      'Give a number from 0 to 1 with at most two decimals.',
    ],
  ];
  return rules.filter(([ok]) => !ok).map(([, path, message]) => ({ path, message }));
}

function wordIssues(path: string, read: Words): InputIssue[] {
  return 'fault' in read ? [{ path, message: read.fault }] : [];
}

function sortedIds(ids: readonly bigint[]): bigint[] {
  return [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
}
