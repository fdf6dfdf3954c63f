import type { FlagReason } from '../generated/graphql.js';
import { thisDevice } from './device.js';

/** What somebody has done so far for one assignment. */
export interface Work {
  /** In the form of the task type, as far as it goes. */
  readonly answer: Readonly<Record<string, unknown>>;
  /** 0 to 1; null: not said. */
  readonly confidence: number | null;
  /** As they were typed, by pointer: fields whose text is more than its value, or no value yet. */
  readonly texts: Readonly<Record<string, string>>;
  /** A flag that is being written. */
  readonly flag: Flag | null;
}

export interface Flag {
  readonly reason: FlagReason | null;
  readonly note: string;
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
  /** Which draft of another device this goes on from: when the server took that (its own words); null: none. */
  readonly builtOn: string | null;
  /** When the person was told that this is not on their desk any more; null: not yet. */
  readonly toldAt: number | null;
  /** How the project and the task are called. */
  readonly title: string;
}

export const NO_WORK: Work = { answer: {}, confidence: null, texts: {}, flag: null };

/** Marks a draft as this page's; a late answer that the server kept is the bare answer. */
const MARK = 'touchstoneDraft';

/** As it is sent to the server. */
export const toDraft = ({ answer, confidence, texts, flag }: Work): unknown => ({
  [MARK]: 1,
  by: thisDevice(),
  answer,
  confidence,
  texts,
  flag,
});

/** Whether this browser saved a draft: what it has typed since goes on from that. */
export const isOfThisDevice = (body: unknown): boolean => isRecord(body) && body.by === thisDevice();

/** What a draft on the server holds, whoever saved it; null where it is nothing of use. */
export function fromDraft(body: unknown): Work | null {
  if (!isRecord(body)) {
    return null;
  }
  if (body[MARK] !== 1) {
    return { ...NO_WORK, answer: body };
  }
  const { answer, confidence, texts, flag } = body;
  return isRecord(answer)
    ? {
        answer,
        confidence: typeof confidence === 'number' ? confidence : null,
        texts: isRecord(texts) ? (texts as Work['texts']) : {},
        flag: isRecord(flag) && typeof flag.note === 'string' ? (flag as unknown as Flag) : null,
      }
    : null;
}

/** The work alone, of whatever holds it. */
export const workOf = ({ answer, confidence, texts, flag }: Work): Work => ({
  answer,
  confidence,
  texts,
  flag,
});

export const isEmpty = ({ answer, confidence, texts, flag }: Work): boolean =>
  confidence === null && flag === null && [answer, texts].flatMap(Object.values).every(isNothing);

export const isSame = (a: Work, b: Work): boolean =>
  JSON.stringify(toDraft(workOf(a))) === JSON.stringify(toDraft(workOf(b)));

/** For people: the answer as it stands, with whatever else was written. */
export function toldOf({ answer, confidence, texts, flag }: Work): string {
  const rest = {
    ...(confidence === null ? {} : { confidence }),
    ...(Object.keys(texts).length === 0 ? {} : { texts }),
    ...(flag === null ? {} : { flag }),
  };
  return JSON.stringify(Object.keys(rest).length === 0 ? answer : { answer, ...rest }, null, 2);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === '' || (isRecord(value) && Object.values(value).every(isNothing));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
