import { z } from 'zod';
import type { Viewer } from '../services/access/viewer.js';
import type { StreamEvent } from '../services/events/stream.js';
import { projectRisk } from '../services/events/streams.js';
import { fixesForCustomers } from '../services/forecast/capacity/customers.js';
import { type StoredFixes, StoredFixesJson } from '../services/forecast/capacity/stored.js';
import { risksOfProject } from '../services/forecast/risk.js';
import { requireProject, requireRole } from './authorisation.js';
import { createCursorCodec } from './cursor.js';
import type { LiveParts } from './parts.js';
import { sharedValue } from './shared-values.js';
import { type LiveItem, subscription } from './subscription.js';

/** Whether a batch will make its deadline. Of a project without any forecast, one item with nothing but `atRisk: false`. */
export interface DeadlineRisk {
  readonly batchId: bigint | null;
  readonly atRisk: boolean;
  readonly probabilityOnTime: number | null;
  readonly expectedDoneAt: Date | null;
  readonly deadline: Date | null;
  readonly computedAt: Date | null;
  /** What would make the deadline, as it was known then; null where nothing is to be made, or nothing known. */
  readonly fixes: StoredFixes | null;
}

export interface DeadlineRiskArgs {
  readonly projectId: bigint;
  readonly after?: string | null | undefined;
}

/** The risk of the batches of a project that are open or at risk, and of the latest, as it is; then each change. Changes that wait shrink to the newest of a batch. */
export async function deadlineRisk(
  parts: LiveParts,
  viewer: Viewer,
  { projectId, after = null }: DeadlineRiskArgs,
): Promise<AsyncIterableIterator<LiveItem<DeadlineRisk>>> {
  requireRole(viewer, ['CUSTOMER', 'OPERATOR', 'ANALYST']);
  await requireProject(parts, viewer, projectId);
  const source = { tenantId: viewer.tenantId, stream: projectRisk(projectId) };
  const seen = viewer.role === 'CUSTOMER' ? toCustomers : toStaff;
  return subscription({
    reader: parts.hub.open(source, (event) => String(riskOf(event).batchId)),
    cursors: createCursorCodec(parts.cursorSecret, source),
    after,
    expiresAtMs: viewer.expiresAtMs,
    async *state(signal) {
      const batches = await parts.beginnings.inTurn(viewer, () =>
        risksOfProject(parts.db, { ...viewer, signal }, projectId),
      );
      yield* batches.length === 0 ? [NOTHING] : batches.map(seen);
    },
    change: sharedValue(`deadlineRisk ${seen.name}`, (event) => seen(riskOf(event))),
  });
}

const toStaff = (risk: DeadlineRisk): DeadlineRisk => risk;

/** Whoever gets the same item gets the same bytes: so what a customer may not know is not in it. */
const toCustomers = (risk: DeadlineRisk): DeadlineRisk => ({
  ...risk,
  fixes: risk.fixes === null ? null : fixesForCustomers(risk.fixes),
});

const NOTHING: DeadlineRisk = {
  batchId: null,
  atRisk: false,
  probabilityOnTime: null,
  expectedDoneAt: null,
  deadline: null,
  computedAt: null,
  fixes: null,
};

const When = z.iso.datetime().transform((text) => new Date(text));
const RiskBody = z.object({
  batchId: z.string().pipe(z.coerce.bigint()),
  atRisk: z.boolean(),
  probabilityOnTime: z.number().nullable(),
  expectedDoneAt: When.nullable(),
  deadline: When.nullable(),
  computedAt: When,
  // Events of before do not say.
  fixes: StoredFixesJson.nullable().default(null),
});

function riskOf({ body }: StreamEvent): DeadlineRisk {
  return RiskBody.parse(JSON.parse(body));
}
