import { DomainError } from '../platform/errors.js';

/** Most that a draft may hold, in bytes of UTF-8; the same for an answer, so that a late answer fits its draft. */
export const DRAFT_BYTES_MAX = 65_536;

/** The draft is larger than what is kept; the one before it stays. */
export class DraftTooLargeError extends DomainError {
  readonly code = 'DRAFT_TOO_LARGE';
  readonly maxBytes = DRAFT_BYTES_MAX;
  constructor() {
    super(
      `A draft may hold at most ${DRAFT_BYTES_MAX} bytes. Shorten it; the draft before this one is kept.`,
    );
  }
}

/** A draft as it is stored: any JSON value, as text. @throws DraftTooLargeError */
export function encodeDraft(draft: unknown): string {
  const text = JSON.stringify(draft);
  if (Buffer.byteLength(text) > DRAFT_BYTES_MAX) {
    throw new DraftTooLargeError();
  }
  return text;
}
