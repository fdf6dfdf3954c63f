import { cellToParent, latLngToCell } from 'h3-js';
import { Recent } from '../../platform/recent.js';

/** What a phone says: where it was, by its own clock. */
export interface Report {
  readonly lat: number;
  readonly lng: number;
  /** Milliseconds of the epoch, by the clock of the device. */
  readonly deviceMs: number;
  /** Radius within which the device believes to be; null where it does not say. */
  readonly accuracyMetres: number | null;
}

/** A report that was taken. */
export interface Fix extends Report {
  readonly tenantId: bigint;
  readonly expertId: bigint;
  readonly receivedMs: number;
  /** H3, {@link CELL_RESOLUTION}. */
  readonly cell: string;
}

/** Why a report was not taken, by the part of it that is wrong; part of the API. */
export type FixFault = 'MALFORMED' | 'OFF_MAP' | 'AHEAD_OF_TIME' | 'TOO_OLD';

/** Cells of ETAs and of the in-process index: edges of 531 m. */
export const CELL_RESOLUTION = 8;
/** Cells that a tenant's workers are kept apart by in Redis: edges of 69 km, so that what lies within 50 km is in a cell or next to it. */
const REGION_RESOLUTION = 3;

/** A phone's clock may be ahead of ours by that; a fix from further in the future would keep all later ones out. */
export const AHEAD_MS_MAX = 5_000;
/** What is older says nothing of where somebody is, and is no trace of a job any more. */
export const DEVICE_AGE_MS_MAX = 600_000;
/** Both clocks' ages of a fix that an on-demand offer may stand on. */
export const FRESH_MS = 30_000;
/** After that long without a fix a worker is not in the index any more. */
export const GONE_MS = 300_000;

/** What Web Mercator maps, and so every router's extract, can show, and what Redis takes: a little less than 85.0512. */
const LATITUDE_MAX = 85.05;
/** Devices that know nothing say 0, 0; it is 570 km from any road. */
const NULL_ISLAND_DEGREES = 0.01;

/** The part of the world that the router's map has, in degrees. */
export interface MapBounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** A report as it came over the wire, or what is wrong with it. `bounds` null: the whole world. */
export function parseReport(
  value: unknown,
  bounds: MapBounds | null,
): Report | Extract<FixFault, 'MALFORMED' | 'OFF_MAP'> {
  if (typeof value !== 'object' || value === null) {
    return 'MALFORMED';
  }
  // By hand: this runs for each of twenty thousand fixes a second, and a schema costs twice what the rest of a fix does.
  const { lat, lng, deviceMs, accuracyMetres = null } = value as Record<string, unknown>;
  if (!isNumber(lat) || !isNumber(lng) || !isInstant(deviceMs) || !isRadius(accuracyMetres)) {
    return 'MALFORMED';
  }
  return isOnMap(lat, lng, bounds) ? { lat, lng, deviceMs, accuracyMetres } : 'OFF_MAP';
}

/** Whether the clock of the device can be believed, at the time of the server. */
export function clockFault(
  { deviceMs }: Pick<Report, 'deviceMs'>,
  nowMs: number,
): Extract<FixFault, 'AHEAD_OF_TIME' | 'TOO_OLD'> | null {
  if (deviceMs > nowMs + AHEAD_MS_MAX) {
    return 'AHEAD_OF_TIME';
  }
  return deviceMs < nowMs - DEVICE_AGE_MS_MAX ? 'TOO_OLD' : null;
}

/** The cell of a place. */
export const cellOf = (lat: number, lng: number): string => latLngToCell(lat, lng, CELL_RESOLUTION);

/** Regions of cells of late: asked with every fix, and all of a town's are a few. */
const regions = new Recent<string, string>(20_000);

/** The region of a cell. */
export const regionOf = (cell: string): string =>
  regions.get(cell) ?? regions.keep(cell, cellToParent(cell, REGION_RESOLUTION));

function isOnMap(lat: number, lng: number, bounds: MapBounds | null): boolean {
  if (Math.abs(lat) > LATITUDE_MAX || Math.abs(lng) > 180) {
    return false;
  }
  if (Math.abs(lat) < NULL_ISLAND_DEGREES && Math.abs(lng) < NULL_ISLAND_DEGREES) {
    return false;
  }
  return (
    bounds === null ||
    (lat >= bounds.south && lat <= bounds.north && lng >= bounds.west && lng <= bounds.east)
  );
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Thirteen digits, as instants from 2001 to 2286 have: they compare as texts, too. */
const isInstant = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1e12 && (value as number) < 1e13;

const isRadius = (value: unknown): value is number | null =>
  value === null || (isNumber(value) && value >= 0 && value <= 1e6);
