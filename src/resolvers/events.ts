import type { Context } from '../context.js';
import type { IdType } from '../services/platform/ids.js';

interface Resumable {
  readonly after?: string | null | undefined;
}

/** Behind which cursor a subscriber begins: over server-sent events where it was, which stands over what it asked with. */
export const beginningOf = ({ after }: Resumable, { lastEventId }: Context): string | null =>
  lastEventId ?? after ?? null;

/** The opaque id of what an event is about. */
export const idOf = ({ app }: Context, type: IdType, id: bigint | null): string | null =>
  id === null ? null : app.ids.encode(type, id);
