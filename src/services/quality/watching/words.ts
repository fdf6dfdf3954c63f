import { counted } from '../../platform/counted.js';
import type { FindingRow } from './findings.sql.js';

/** A number that a finding rests on. */
export interface Figure {
  readonly name: string;
  readonly value: number;
}

/** The numbers of a finding, by their names in its evidence. */
export const figuresOf = ({ evidence }: FindingRow): Figure[] =>
  Object.entries(evidence).flatMap(([name, value]) => (typeof value === 'number' ? [{ name, value }] : []));

/** What was found, in a sentence or two with the numbers in it. */
export function summaryOf(finding: FindingRow): string {
  const of = (name: string) => numberIn(finding.evidence, name);
  switch (finding.kind) {
    case 'LEAKED':
      return finding.evidence.sign === 'TIME_FALLS'
        ? `After ${of('showings')} showings more later answers were quick and right than the first ones let expect: by chance ${fixed(of('statistic'), 4)} of the time.`
        : `After ${of('showings')} showings later answers were right more often than the first ones let expect, by ${fixed(of('statistic'))} standard errors.`;
    case 'UNHEALTHY':
      return `Of ${of('answers')} proven experts ${of('right')} gave the answer of the key; ${percent(of('probability'))} sure that the key is wrong or the gold hopeless.`;
    case 'QUICK_ON_GOLD':
    case 'SLOW_ON_GOLD':
      return timesOf(finding.kind, of);
    case 'PEER_GAP':
      return (
        `Right on ${of('goldRight')} of ${of('goldSeen')} gold, but gave the answer of most others on ${of('agreed')} of ${of('compared')} other tasks. ` +
        `Others are right ${percent(of('consensus'))} of the time, so the gap in accuracy is ${percent(of('gap'))}, ${fixed(of('z'))} standard errors.`
      );
    case 'SHARED_ERRORS':
      return ringOf(finding, of);
  }
}

type Of = (name: string) => number;

function timesOf(kind: 'QUICK_ON_GOLD' | 'SLOW_ON_GOLD', of: Of): string {
  const meaning =
    kind === 'QUICK_ON_GOLD' ? 'as who knows the answers' : 'as who can tell gold from other work';
  return (
    `Took ${fixed(of('goldSeconds'))} s for gold (median of ${of('golds')}) and ${fixed(of('taskSeconds'))} s for other tasks ` +
    `(of ${of('tasks')}), ${meaning}: ${fixed(Math.abs(of('z')))} standard deviations by ranks.`
  );
}

function ringOf({ evidence }: FindingRow, of: Of): string {
  const [strongest] = Array.isArray(evidence.strongest) ? (evidence.strongest as object[]) : [];
  const inPair = (name: string) => numberIn({ ...strongest }, name);
  return (
    `${of('experts')} experts share wrong answers, in ${counted(of('pairs'), 'pair')}. The clearest pair gave the same wrong answer to ` +
    `${inPair('same')} of ${counted(inPair('common'), 'task')}, where ${fixed(inPair('expected'))} were to be expected: ${fixed(inPair('z'))} standard deviations.`
  );
}

function numberIn(evidence: Readonly<Record<string, unknown>>, name: string): number {
  const value = evidence[name];
  return typeof value === 'number' ? value : 0;
}

const fixed = (value: number, digits = 1) => value.toFixed(digits);

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
