import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../platform/rows.js';
import type { Place } from './ports.js';

interface WorkerRow {
  readonly tenantId: bigint;
  readonly expertId: bigint;
  readonly active: boolean;
  readonly shiftDays: readonly number[];
  readonly shiftStart: string;
  readonly shiftEnd: string;
  readonly capacity: number;
  readonly home: Place;
  readonly serviceArea: readonly Place[] | null;
}

/** A polygon as PostgreSQL reads it: longitude first. */
const polygonOf = (corners: readonly Place[]) =>
  `(${corners.map(({ latitude, longitude }) => `(${longitude},${latitude})`).join(',')})`;

/** False: there is no such expert. */
export const upsertWorker = async (db: Queryable, w: WorkerRow): Promise<boolean> =>
  (await maybeOne(
    db,
    z.object({ ok: z.int() }),
    Prisma.sql`
      insert into workers (tenant_id, expert_id, active, shift_days, shift_start, shift_end, capacity, home_latitude, home_longitude, service_area, travels)
      select x.tenant_id, x.id, ${w.active}, ${[...w.shiftDays]}::smallint[], ${w.shiftStart}::time, ${w.shiftEnd}::time, ${w.capacity}::smallint,
        ${w.home.latitude}::float8, ${w.home.longitude}::float8, ${w.serviceArea && polygonOf(w.serviceArea)}::polygon, ${w.serviceArea === null}
      from experts x where x.tenant_id = ${w.tenantId} and x.id = ${w.expertId}
      on conflict (tenant_id, expert_id) do update set active = excluded.active, shift_days = excluded.shift_days,
        shift_start = excluded.shift_start, shift_end = excluded.shift_end, capacity = excluded.capacity,
        home_latitude = excluded.home_latitude, home_longitude = excluded.home_longitude, service_area = excluded.service_area,
        travels = excluded.travels, updated_at = app.clock_now()
      returning 1 as ok`,
  )) !== null;

const WorkerRead = z
  .object({
    /** Of the expert. */
    id: z.bigint(),
    active: z.boolean(),
    shiftDays: z.array(z.int()),
    shiftStart: z.string(),
    shiftEnd: z.string(),
    capacity: z.int(),
    homeLatitude: z.number(),
    homeLongitude: z.number(),
    travels: z.boolean(),
  })
  .transform(({ homeLatitude, homeLongitude, ...worker }) => ({
    ...worker,
    home: { latitude: homeLatitude, longitude: homeLongitude },
  }));
/** An expert who goes to places, as stored. */
export type Worker = z.infer<typeof WorkerRead>;

/** By expert; what the scope shows. */
export const workerPage = (
  db: Queryable,
  { take, afterId }: { readonly take: number; readonly afterId: bigint | null },
): Promise<Worker[]> =>
  many(
    db,
    WorkerRead,
    Prisma.sql`
      select w.expert_id as id, w.active, w.shift_days as "shiftDays", to_char(w.shift_start, 'HH24:MI') as "shiftStart",
             to_char(w.shift_end, 'HH24:MI') as "shiftEnd", w.capacity, w.home_latitude as "homeLatitude",
             w.home_longitude as "homeLongitude", w.travels
      from workers w where w.tenant_id = (select app.tenant_id()) and w.expert_id > ${afterId ?? 0n}
      order by w.expert_id limit ${take}::int`,
  );

const SettingsRow = z.object({
  timeZone: z.string(),
  etaWeight: z.number(),
  fairnessWeight: z.number(),
  slackWeight: z.number(),
  offerSeconds: z.int(),
  laterOfferSeconds: z.int(),
  cooldownSeconds: z.int(),
  noShowSeconds: z.int(),
  searchMetres: z.int(),
  alertDueSoonSeconds: z.int(),
  alertMissedSeconds: z.int(),
  alertExpiredShare: z.number(),
  alertGuessedShare: z.number(),
  alertSilentShare: z.number(),
  alertCalmShare: z.number(),
  alertExpiredLeast: z.int(),
  alertGuessedLeast: z.int(),
  alertSilentLeast: z.int(),
  alertSilentSeconds: z.int(),
});
/** How a tenant dispatches; see docs/dispatch.md. */
export type DispatchSettings = z.infer<typeof SettingsRow>;

/** Of the tenant in scope: as set, or the defaults. */
export const readSettings = (db: Queryable): Promise<DispatchSettings> =>
  one(
    db,
    SettingsRow,
    Prisma.sql`
      select s.time_zone as "timeZone", s.eta_weight as "etaWeight", s.fairness_weight as "fairnessWeight", s.slack_weight as "slackWeight",
             s.offer_seconds as "offerSeconds", s.later_offer_seconds as "laterOfferSeconds", s.cooldown_seconds as "cooldownSeconds",
             s.no_show_seconds as "noShowSeconds", s.search_metres as "searchMetres", s.alert_due_soon_seconds as "alertDueSoonSeconds",
             s.alert_missed_seconds as "alertMissedSeconds", s.alert_expired_share as "alertExpiredShare",
             s.alert_guessed_share as "alertGuessedShare", s.alert_silent_share as "alertSilentShare", s.alert_calm_share as "alertCalmShare",
             s.alert_expired_least as "alertExpiredLeast", s.alert_guessed_least as "alertGuessedLeast",
             s.alert_silent_least as "alertSilentLeast", s.alert_silent_seconds as "alertSilentSeconds"
      from app.dispatch_settings_of((select app.tenant_id())) s`,
  );

export const isTimeZone = async (db: Queryable, name: string): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ known: z.boolean() }),
      Prisma.sql`select exists (select from pg_timezone_names z where z.name = ${name}) as known`,
    )
  ).known;

export const upsertSettings = (db: Queryable, s: DispatchSettings & { readonly tenantId: bigint }) =>
  run(
    db,
    Prisma.sql`
      insert into dispatch_settings (tenant_id, time_zone, eta_weight, fairness_weight, slack_weight, offer_seconds, later_offer_seconds,
        cooldown_seconds, no_show_seconds, search_metres, alert_due_soon_seconds, alert_missed_seconds, alert_expired_share,
        alert_guessed_share, alert_silent_share, alert_calm_share, alert_expired_least, alert_guessed_least, alert_silent_least,
        alert_silent_seconds)
      values (${s.tenantId}, ${s.timeZone}, ${s.etaWeight}::float8, ${s.fairnessWeight}::float8, ${s.slackWeight}::float8, ${s.offerSeconds},
        ${s.laterOfferSeconds}, ${s.cooldownSeconds}, ${s.noShowSeconds}, ${s.searchMetres}, ${s.alertDueSoonSeconds}, ${s.alertMissedSeconds},
        ${s.alertExpiredShare}::float8, ${s.alertGuessedShare}::float8, ${s.alertSilentShare}::float8, ${s.alertCalmShare}::float8,
        ${s.alertExpiredLeast}, ${s.alertGuessedLeast}, ${s.alertSilentLeast}, ${s.alertSilentSeconds})
      on conflict (tenant_id) do update set time_zone = excluded.time_zone, eta_weight = excluded.eta_weight,
        fairness_weight = excluded.fairness_weight, slack_weight = excluded.slack_weight, offer_seconds = excluded.offer_seconds,
        later_offer_seconds = excluded.later_offer_seconds, cooldown_seconds = excluded.cooldown_seconds,
        no_show_seconds = excluded.no_show_seconds, search_metres = excluded.search_metres,
        alert_due_soon_seconds = excluded.alert_due_soon_seconds, alert_missed_seconds = excluded.alert_missed_seconds,
        alert_expired_share = excluded.alert_expired_share, alert_guessed_share = excluded.alert_guessed_share,
        alert_silent_share = excluded.alert_silent_share, alert_calm_share = excluded.alert_calm_share,
        alert_expired_least = excluded.alert_expired_least, alert_guessed_least = excluded.alert_guessed_least,
        alert_silent_least = excluded.alert_silent_least, alert_silent_seconds = excluded.alert_silent_seconds
      returning 1 as ok`,
  );
