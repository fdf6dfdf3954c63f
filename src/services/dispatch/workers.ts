import { InputInvalidError, NotFoundError } from '../access/errors.js';
import { checkAll } from '../access/faults.js';
import type { Viewer } from '../access/viewer.js';
import { type Database, withService } from '../platform/database.js';
import { checkArea, checkPlace } from './form.js';
import { METRES_MAX, type Place } from './ports.js';
import * as sql from './workers.sql.js';

export type { DispatchSettings, Worker } from './workers.sql.js';
export { workerPage } from './workers.sql.js';

/** An expert who goes to places, as somebody wants it to be. */
export interface WorkerProfile {
  readonly expertId: bigint;
  readonly active: boolean;
  /** ISO 8601: 1 is Monday. */
  readonly shiftDays: readonly number[];
  /** Local, HH:MM. A shift that ends no later than it begins goes on past midnight. */
  readonly shiftStart: string;
  readonly shiftEnd: string;
  readonly capacity: number;
  readonly home: Place;
  /** Corners of where they work; null: wherever they are sent, which they have chosen. */
  readonly serviceArea: readonly Place[] | null;
}

/**
 * Makes an expert a worker, or changes what kind of one they are. What they have accepted stays.
 * @throws InputInvalidError, NotFoundError
 */
export async function setWorker(db: Database, viewer: Viewer, profile: WorkerProfile): Promise<void> {
  const { serviceArea } = checkAll({
    shift: () => checkShift(profile),
    capacity: () => checkRange('/capacity', profile.capacity, [1, 10]),
    home: () => checkPlace('/home', profile.home),
    serviceArea: () => (profile.serviceArea === null ? null : checkArea('/serviceArea', profile.serviceArea)),
  });
  const { tenantId, identityId: actorId } = viewer;
  await withService(db, { tenantId, actorId }, async (tx) => {
    if (!(await sql.upsertWorker(tx, { ...profile, tenantId, serviceArea }))) {
      throw new NotFoundError('expert');
    }
  });
}

/** As names of the IANA database are written. */
const TIME_ZONE = /^[\w+/-]{1,100}$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

function checkShift({ shiftDays, shiftStart, shiftEnd }: WorkerProfile): void {
  const issues = [
    ...(shiftDays.length >= 1 &&
    new Set(shiftDays).size === shiftDays.length &&
    shiftDays.every((day) => Number.isInteger(day) && day >= 1 && day <= 7)
      ? []
      : [{ path: '/shiftDays', message: 'Give days from 1 (Monday) to 7, each once.' }]),
    ...[['/shiftStart', shiftStart] as const, ['/shiftEnd', shiftEnd] as const].flatMap(([path, time]) =>
      TIME.test(time) ? [] : [{ path, message: 'Give a local time such as 08:30.' }],
    ),
  ];
  if (issues.length > 0) {
    throw new InputInvalidError(issues);
  }
}

function checkRange(path: string, value: number, [min, max]: readonly [number, number]): void {
  if (!(value >= min && value <= max)) {
    throw new InputInvalidError([{ path, message: `Give ${min} to ${max}.` }]);
  }
}

const RANGES = {
  etaWeight: [0, 1_000],
  fairnessWeight: [0, 1_000],
  slackWeight: [0, 1_000],
  offerSeconds: [5, 600],
  laterOfferSeconds: [60, 86_400],
  cooldownSeconds: [0, 86_400],
  noShowSeconds: [60, 86_400],
  searchMetres: [500, METRES_MAX],
  alertDueSoonSeconds: [60, 86_400],
  alertMissedSeconds: [60, 86_400],
  alertExpiredShare: [0.01, 1],
  alertGuessedShare: [0.01, 1],
  alertSilentShare: [0.01, 1],
  alertCalmShare: [0, 1],
  alertExpiredLeast: [1, 100_000],
  alertGuessedLeast: [1, 100_000],
  alertSilentLeast: [1, 100_000],
  // (Of each half minute a fix is written down, and of a quarter of an hour they are kept.)
  alertSilentSeconds: [90, 900],
} as const;

/**
 * Changes how a tenant dispatches; what is left out stays as it is.
 * @throws InputInvalidError
 */
export async function setDispatchSettings(
  db: Database,
  { tenantId, identityId: actorId }: Viewer,
  change: Partial<sql.DispatchSettings>,
): Promise<void> {
  await withService(db, { tenantId, actorId }, async (tx) => {
    const settings = { ...(await sql.readSettings(tx)), ...change };
    checkSettings(settings);
    if (!TIME_ZONE.test(settings.timeZone) || !(await sql.isTimeZone(tx, settings.timeZone))) {
      const message = 'Give a name of the IANA database, such as Europe/Berlin.';
      throw new InputInvalidError([{ path: '/timeZone', message }]);
    }
    await sql.upsertSettings(tx, { ...settings, tenantId });
  });
}

function checkSettings(settings: sql.DispatchSettings): void {
  const issues = Object.entries(RANGES).flatMap(([name, [min, max]]) => {
    const value = settings[name as keyof typeof RANGES];
    return value >= min && value <= max ? [] : [{ path: `/${name}`, message: `Give ${min} to ${max}.` }];
  });
  const { alertCalmShare, alertExpiredShare, alertGuessedShare, alertSilentShare } = settings;
  if (alertCalmShare > Math.min(alertExpiredShare, alertGuessedShare, alertSilentShare)) {
    const message = 'Give no more than each of the shares that raise an alert: what ends one would raise it.';
    issues.push({ path: '/alertCalmShare', message });
  }
  if (issues.length > 0) {
    throw new InputInvalidError(issues);
  }
}

/** How a tenant dispatches: as set, or the defaults. */
export const dispatchSettings = (
  db: Database,
  { tenantId, identityId: actorId }: Viewer,
): Promise<sql.DispatchSettings> => withService(db, { tenantId, actorId }, sql.readSettings);
