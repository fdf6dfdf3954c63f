import { type Database, type Tx, withService } from '../platform/database.js';
import { languages, tags, type Words } from '../platform/words.js';
import { InputInvalidError, NotFoundError } from './errors.js';
import { checkAll } from './faults.js';
import { lockExpert } from './people.sql.js';
import * as sql from './profile.sql.js';
import type { Viewer } from './viewer.js';

/** What an expert brings beside skills; absent stays as it is, a cap of null is no cap. */
export interface ExpertProfile {
  readonly expertId: bigint;
  readonly languages?: readonly string[];
  readonly tags?: readonly string[];
  /** Claims a UTC day. */
  readonly dailyCap?: number | null;
}

const DAILY_CAP_MAX = 10_000;

/**
 * Changes what an expert brings. It holds for every claim that follows.
 * @throws NotFoundError, InputInvalidError
 */
export async function updateExpert(db: Database, viewer: Viewer, input: ExpertProfile): Promise<void> {
  const { tenantId } = viewer;
  const { expertId, dailyCap } = input;
  const brought = checkAll({
    dailyCap: () => checkedCap(dailyCap),
    languages: () => input.languages && wordsOf('/languages', languages(input.languages)),
    tags: () => input.tags && wordsOf('/tags', tags(input.tags)),
  });
  const change = {
    ...(brought.languages === undefined ? {} : { languages: brought.languages }),
    ...(brought.tags === undefined ? {} : { tags: brought.tags }),
    ...(dailyCap === undefined ? {} : { dailyCap }),
  };
  await service(db, viewer, async (tx) => {
    if ((await sql.updateProfile(tx, { tenantId, expertId }, change)) === null) {
      throw new NotFoundError('expert');
    }
    if (dailyCap !== undefined && dailyCap !== null) {
      await sql.countToday(tx, { tenantId, expertId });
    }
  });
}

export const PREFERENCES = { PREFER: 1, NEUTRAL: 0, AVOID: -1 } as const;
export type Preference = keyof typeof PREFERENCES;

/**
 * Says which of their skills an expert would rather use. It weighs when there is a choice; it never refuses work.
 * @throws NotFoundError where it is no skill of theirs
 */
export async function setSkillPreference(
  db: Database,
  viewer: Viewer,
  { skillId, preference }: { skillId: bigint; preference: Preference },
): Promise<{ expertId: bigint }> {
  const { tenantId, expertId } = viewer;
  if (expertId === null) {
    throw new Error(`A ${viewer.role} has no skills`);
  }
  const of = { tenantId, expertId, skillId };
  const found = await service(db, viewer, (tx) => sql.updatePreference(tx, of, PREFERENCES[preference]));
  if (found === null) {
    throw new NotFoundError('skill of yours');
  }
  return { expertId };
}

/**
 * Keeps an expert from all work of a customer: every claim that follows passes it over. What they hold stays theirs.
 * @throws NotFoundError, InputInvalidError
 */
export async function addConflict(
  db: Database,
  viewer: Viewer,
  { expertId, customerId, reason }: { expertId: bigint; customerId: bigint; reason: string },
): Promise<void> {
  const text = checkedReason(reason);
  await service(db, viewer, async (tx) => {
    await requireExpert(tx, viewer.tenantId, expertId);
    const conflict = { tenantId: viewer.tenantId, expertId, customerId };
    if ((await sql.upsertConflict(tx, conflict, text)) === null) {
      throw new NotFoundError('customer');
    }
  });
}

/** Takes a conflict back; where there is none, nothing is done. @throws NotFoundError */
export async function removeConflict(
  db: Database,
  viewer: Viewer,
  { expertId, customerId }: { expertId: bigint; customerId: bigint },
): Promise<void> {
  const { tenantId } = viewer;
  await service(db, viewer, async (tx) => {
    await requireExpert(tx, tenantId, expertId);
    if ((await sql.customerExists(tx, tenantId, customerId)) === null) {
      throw new NotFoundError('customer');
    }
    await sql.deleteConflict(tx, { tenantId, expertId, customerId });
  });
}

/** A reason or note is 1 to 500 characters, no control characters. @throws InputInvalidError */
export function checkedReason(reason: string, path = '/reason'): string {
  const trimmed = reason.trim();
  if (trimmed.length < 1 || trimmed.length > 500 || /\p{Cc}|\p{Cs}/u.test(trimmed)) {
    fail(path, 'Give 1 to 500 characters without control characters.');
  }
  return trimmed;
}

/** What Touchstone itself gives as a reason: LEAKED, ACCURACY_BELOW_BAR. */
const CODE = /^[A-Z]{3,}(_[A-Z]+)*$/;

/**
 * {@link checkedReason}, in words: where Touchstone gives reasons too, by codes that something follows from, a human's are none of those.
 * @throws InputInvalidError
 */
export function checkedWords(reason: string, path = '/reason'): string {
  const text = checkedReason(reason, path);
  if (CODE.test(text)) {
    fail(path, 'Say it in words: a single word in capitals is what Touchstone itself says.');
  }
  return text;
}

/** Locks the expert, so that the change is before a claim or after it. */
async function requireExpert(tx: Tx, tenantId: bigint, expertId: bigint): Promise<void> {
  if ((await lockExpert(tx, tenantId, expertId)) === null) {
    throw new NotFoundError('expert');
  }
}

function checkedCap(dailyCap: number | null | undefined): void {
  if (dailyCap !== undefined && dailyCap !== null && !(dailyCap >= 1 && dailyCap <= DAILY_CAP_MAX)) {
    fail('/dailyCap', `Give 1 to ${DAILY_CAP_MAX} claims a day, or null for no cap.`);
  }
}

function wordsOf(path: string, read: Words): string[] {
  return 'words' in read ? read.words : fail(path, read.fault);
}

function fail(path: string, message: string): never {
  throw new InputInvalidError([{ path, message }]);
}

function service<T>(db: Database, viewer: Viewer, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withService(db, { tenantId: viewer.tenantId, actorId: viewer.identityId }, work);
}
