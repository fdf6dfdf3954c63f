import { z } from 'zod';
import { scopeOf, type Viewer } from '../services/access/viewer.js';
import type { StreamEvent } from '../services/events/stream.js';
import { expertQualityStream, projectQualityStream, STAFF_QUALITY } from '../services/events/streams.js';
import { withScope } from '../services/platform/database.js';
import { isAlsoExpert } from '../services/quality/gold/access.js';
import { skillsBelowBars, standingsOf } from '../services/quality/reads/expert-quality.js';
import { FINDING_KINDS } from '../services/quality/watching/findings.js';
import { hearsOfGold, requireProject, requireRole, untilExpert } from './authorisation.js';
import { createCursorCodec } from './cursor.js';
import type { LiveParts } from './parts.js';
import { sharedValue } from './shared-values.js';
import { type LiveItem, subscription } from './subscription.js';

/** What can be heard of quality; CURRENT is not a change: it says that the present state has been told. */
export const QUALITY_EVENT_KINDS = [
  'CURRENT',
  'STANDING',
  'BELOW_BAR',
  'BAR_REACHED',
  'FINDING',
  'GOLD_ENDED',
  'GOLD_SET_ASIDE',
  'ADJUDICATION',
  'ADJUDICATIONS_WAIT',
  'ADJUDICATIONS_GO_ON',
] as const;
export type QualityEventKind = (typeof QUALITY_EVENT_KINDS)[number];

const PHASES = ['CLEAR', 'WARNED', 'PAUSED', 'RETEST'] as const;

/** What became of quality. What a kind has nothing to say of is null. */
export interface QualityEvent {
  readonly kind: QualityEventKind;
  readonly expertId: bigint | null;
  readonly skillId: bigint | null;
  readonly projectId: bigint | null;
  readonly taskId: bigint | null;
  /** Of STANDING: what it became. */
  readonly phase: (typeof PHASES)[number] | null;
  /** Of FINDING: its kind. */
  readonly finding: (typeof FINDING_KINDS)[number] | null;
  readonly reason: string | null;
  readonly at: Date | null;
}

export interface QualityEventArgs {
  /** Customers must say which; without it staff hear of the whole tenant. */
  readonly projectId?: bigint | null | undefined;
  readonly after?: string | null | undefined;
}

/**
 * What becomes of quality: to experts, how they stand in their skills and what of it changes; to customers, what of a project
 * goes to adjudication; to staff, that of a project, or of the tenant all of it, unless they may act as an expert: they would hear
 * of gold, and of decisions about themselves before these are in effect.
 */
export async function qualityEvents(
  parts: LiveParts,
  viewer: Viewer,
  { projectId = null, after = null }: QualityEventArgs,
): Promise<AsyncIterableIterator<LiveItem<QualityEvent>>> {
  requireRole(viewer, ['EXPERT', 'CUSTOMER', 'ANALYST', 'OPERATOR']);
  await refuseExperts(parts, viewer);
  const source = { tenantId: viewer.tenantId, stream: await streamOf(parts, viewer, projectId) };
  return subscription({
    reader: parts.hub.open(source, null),
    cursors: createCursorCodec(parts.cursorSecret, source),
    after,
    expiresAtMs: viewer.expiresAtMs,
    async *state() {
      const { expertId } = viewer;
      if (expertId !== null) {
        const { standings, below } = await parts.beginnings.inTurn(viewer, () =>
          withScope(parts.db, scopeOf(viewer), async (tx) => ({
            standings: await standingsOf(tx, expertId),
            below: await skillsBelowBars(tx, expertId),
          })),
        );
        for (const { skillId, phase, reason, since } of standings) {
          yield { ...NOTHING, kind: 'STANDING', expertId, skillId, phase, reason, at: since };
        }
        for (const { skillId } of below) {
          yield { ...NOTHING, kind: 'BELOW_BAR', expertId, skillId };
        }
      }
      yield NOTHING;
    },
    change: sharedValue('qualityEvents', eventOf),
    until: isStaff(viewer) ? untilExpert(parts, viewer) : undefined,
  });
}

async function refuseExperts({ db, beginnings }: LiveParts, viewer: Viewer): Promise<void> {
  const look = () => withScope(db, scopeOf(viewer), (tx) => isAlsoExpert(tx, viewer));
  if (isStaff(viewer) && (await beginnings.inTurn(viewer, look))) {
    throw hearsOfGold();
  }
}

const isStaff = ({ role }: Viewer): boolean => role === 'ANALYST' || role === 'OPERATOR';

async function streamOf(parts: LiveParts, viewer: Viewer, projectId: bigint | null): Promise<string> {
  if (projectId === null && viewer.role !== 'CUSTOMER') {
    return viewer.expertId === null ? STAFF_QUALITY : expertQualityStream(viewer.expertId);
  }
  const seen = await requireProject(parts, viewer, projectId);
  return viewer.expertId === null ? projectQualityStream(seen) : expertQualityStream(viewer.expertId);
}

const NOTHING: QualityEvent = {
  kind: 'CURRENT',
  expertId: null,
  skillId: null,
  projectId: null,
  taskId: null,
  phase: null,
  finding: null,
  reason: null,
  at: null,
};

const Id = z
  .int()
  .pipe(z.coerce.bigint())
  .nullish()
  .transform((id) => id ?? null);
const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? null);
const Kind = z.enum(QUALITY_EVENT_KINDS);
const Body = z.object({
  expertId: Id,
  skillId: Id,
  projectId: Id,
  taskId: Id,
  phase: z
    .enum(PHASES)
    .nullish()
    .transform((phase) => phase ?? null),
  finding: z
    .enum(FINDING_KINDS)
    .nullish()
    .transform((finding) => finding ?? null),
  reason: Text,
});

/** Null for a kind that this version does not know: a newer node wrote it, for subscribers of its own. */
function eventOf({ kind, body, at }: StreamEvent): QualityEvent | null {
  const known = Kind.safeParse(kind);
  return known.success ? { kind: known.data, ...Body.parse(JSON.parse(body)), at } : null;
}
