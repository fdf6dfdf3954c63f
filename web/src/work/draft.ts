import type { FlagReason } from '../generated/graphql.js';

/** What somebody has done so far for one assignment. */
export interface Work {
  /** In the form of the task type, as far as it goes. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** 0 to 1; null: not said. */
  readonly confidence: number | null;
}

/** How a piece of work ends. */
export type Ending =
  | { readonly kind: 'ANSWER' }
  | { readonly kind: 'FLAG'; readonly reason: FlagReason; readonly note: string }
  | { readonly kind: 'RELEASE' };

/** What this device keeps of one assignment. */
export interface KeptWork extends Work {
  /** Milliseconds since 1970, this machine's clock: only for people. */
  readonly changedAt: number;
  /** Whether the server has it, as far as is known here. */
  readonly isSaved: boolean;
}

export const NO_WORK: Work = { answer: {}, confidence: null };

/** Marks a draft as this page's; a late answer that the server kept is the bare answer. */
const MARK = 'touchstoneDraft';

/** As it is sent to the server. */
export const toDraft = ({ answer, confidence }: Work): unknown => ({ [MARK]: 1, answer, confidence });

/** What a draft on the server holds, whoever saved it; null where it is nothing of use. */
export function fromDraft(body: unknown): Work | null {
  if (!isRecord(body)) {
    return null;
  }
  if (body[MARK] !== 1) {
    return { answer: body, confidence: null };
  }
  const { answer, confidence } = body;
  return isRecord(answer) ? { answer, confidence: typeof confidence === 'number' ? confidence : null } : null;
}

export const isEmpty = ({ answer, confidence }: Work): boolean =>
  confidence === null && Object.values(answer).every(isNothing);

export const isSame = (a: Work, b: Work): boolean =>
  a.confidence === b.confidence && JSON.stringify(a.answer) === JSON.stringify(b.answer);

function isNothing(value: unknown): boolean {
  return value === undefined || value === '' || (isRecord(value) && Object.values(value).every(isNothing));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
