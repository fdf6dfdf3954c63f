import { NotFoundError } from '../../access/errors.js';
import { checkedReason } from '../../access/profile.js';
import type { Viewer } from '../../access/viewer.js';
import { type Database, withService, withSystem } from '../../platform/database.js';
import * as sql from './alerts.sql.js';
import { AlertAcknowledgedError } from './errors.js';

export type { Alert, AlertFilter, AlertKind, AlertSeverity, AlertState } from './alerts.sql.js';
export {
  ALERT_KINDS,
  ALERT_SEVERITIES,
  ALERT_STATES,
  alertById,
  alertPage,
  unresolvedAlerts,
} from './alerts.sql.js';

/** What somebody says who takes an alert upon themselves. */
export interface Acknowledgement {
  readonly alertId: bigint;
  readonly note: string | null;
  /** For who may not hear of gold: such alerts are then not there. */
  readonly withoutGold: boolean;
}

/**
 * Says that somebody has seen to an alert: a dispatcher, to one of dispatch. The first one stands: again by the same person changes nothing.
 * @throws NotFoundError, InputInvalidError; AlertAcknowledgedError where it was somebody else
 */
export async function acknowledgeAlert(
  db: Database,
  { tenantId, identityId, role }: Viewer,
  { alertId, note, withoutGold }: Acknowledgement,
): Promise<void> {
  const kinds = role === 'DISPATCHER' ? sql.DISPATCH_ALERT_KINDS : null;
  const text = note === null ? null : checkedReason(note, '/note');
  await withService(db, { tenantId, actorId: identityId }, async (tx) => {
    const acknowledged = { id: alertId, by: identityId, note: text, withoutGold, kinds };
    if ((await sql.acknowledge(tx, acknowledged)) !== null) {
      return;
    }
    const alert = await sql.alertById(tx, { id: alertId, withoutGold, kinds });
    if (alert === null) {
      throw new NotFoundError('alert');
    }
    if (alert.acknowledgedBy !== identityId) {
      throw new AlertAcknowledgedError(alert.acknowledgedAt);
    }
  });
}

/** Raises and ends the alerts that time alone brings about. Busy: another node looks just now. */
export function watchAlerts(db: Database): Promise<'done' | 'busy'> {
  return withSystem(db, async (tx) => {
    if (!(await sql.tryAlertTurn(tx))) {
      return 'busy';
    }
    await sql.watchAlerts(tx);
    return 'done';
  });
}

const ALERTS_A_STEP = 1_000;

/** Takes away some of the alerts that ended more than a year ago. Returns how many. */
export const clearAlerts = (db: Database): Promise<number> =>
  withSystem(db, (tx) => sql.dropAlerts(tx, ALERTS_A_STEP));
