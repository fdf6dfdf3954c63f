import type { Context } from '../context.js';
import type { AcknowledgeAlertInput } from '../schema/events/alerts.js';
import * as alerts from '../services/events/alerts/alerts.js';
import { isAlsoExpert } from '../services/quality/gold/access.js';
import { badInput } from './api-errors.js';
import type { Page } from './paging.js';

/** Whoever may act as an expert is not told of gold. */
const withoutGold = ({ read, viewer }: Context): Promise<boolean> => read((tx) => isAlsoExpert(tx, viewer));

export async function alertsOf(
  filter: Omit<alerts.AlertFilter, 'withoutGold'>,
  page: Page,
  ctx: Context,
): Promise<alerts.Alert[]> {
  const asked = { ...filter, withoutGold: await withoutGold(ctx) };
  return ctx.read((tx) => alerts.alertPage(tx, asked, page));
}

export async function alert(id: bigint, ctx: Context): Promise<alerts.Alert | null> {
  const asked = { id, withoutGold: await withoutGold(ctx) };
  return ctx.read((tx) => alerts.alertById(tx, asked));
}

export async function acknowledgeAlert(
  { alertId, note }: typeof AcknowledgeAlertInput.$inferInput,
  ctx: Context,
): Promise<{ alertId: bigint }> {
  const decoded = ctx.app.ids.decode(alertId);
  if (decoded === null || decoded.type !== 'Alert') {
    throw badInput('`alertId` is not the id of an alert.');
  }
  const asked = { alertId: decoded.id, note: note ?? null, withoutGold: await withoutGold(ctx) };
  await alerts.acknowledgeAlert(ctx.app.db, ctx.viewer, asked);
  return { alertId: decoded.id };
}

/** In which state an alert is. */
export const stateOf = ({ resolvedAt, acknowledgedAt }: alerts.Alert): alerts.AlertState =>
  resolvedAt !== null ? 'RESOLVED' : acknowledgedAt !== null ? 'ACKNOWLEDGED' : 'OPEN';
