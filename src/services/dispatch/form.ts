import { InputInvalidError } from '../access/errors.js';
import type { Place } from './ports.js';

const isPlace = ({ latitude, longitude }: Place): boolean =>
  Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;

/** @throws InputInvalidError */
export function checkPlace(path: string, place: Place): Place {
  if (!isPlace(place)) {
    const message = 'Give a latitude of -90 to 90 and a longitude of -180 to 180 degrees.';
    throw new InputInvalidError([{ path, message }]);
  }
  return place;
}

/**
 * An area is a polygon whose sides do not cross, within half the earth: 3 to 200 corners, the last of which need not be the first
 * again. Each side goes the shorter way around the earth. Of an area that reaches over the 180th meridian longitudes go on beyond
 * 180 in what is answered, so that it is one piece of a plane.
 * @throws InputInvalidError
 */
export function checkArea(path: string, corners: readonly Place[]): readonly Place[] {
  const open = isSame(corners[0], corners.at(-1)) ? corners.slice(0, -1) : corners;
  if (open.length < 3 || open.length > 200 || !open.every(isPlace)) {
    throw fault(path, 'Give 3 to 200 corners, each a place on earth.');
  }
  const plane = inOnePlane(open);
  if (plane === 'HALF_WAY') {
    throw fault(
      path,
      'A side reaches over 180 degrees of longitude, so that either way around could be meant: put a corner between.',
    );
  }
  if (plane === 'POLE') {
    throw fault(
      path,
      'The area goes around a pole: cut it along a meridian so that it leaves the pole out, or let them go wherever they are sent.',
    );
  }
  if (crossesItself(plane)) {
    throw fault(path, 'The sides of an area may not cross each other.');
  }
  if (Math.abs(doubleArea(plane)) < 1e-12) {
    throw fault(
      path,
      'The corners of an area may not all lie on one line. Each side goes the shorter way around.',
    );
  }
  return plane;
}

const fault = (path: string, message: string) => new InputInvalidError([{ path, message }]);

/** Longitudes from -180 on, without a step at the 180th meridian. */
function inOnePlane(corners: readonly Place[]): readonly Place[] | 'HALF_WAY' | 'POLE' {
  const steps = corners.map(({ longitude }, n) =>
    shorterWay((corners[(n + 1) % corners.length]?.longitude ?? longitude) - longitude),
  );
  if (steps.some((step) => Math.abs(step) === 180)) {
    return 'HALF_WAY';
  }
  // Forth and back again: nothing is left, but where it went all the way around.
  if (Math.abs(steps.reduce((sum, step) => sum + step, 0)) > 1) {
    return 'POLE';
  }
  let reached = corners[0]?.longitude ?? 0;
  const longitudes = steps.map((step) => {
    const here = reached;
    reached += step;
    return here;
  });
  const shift = Math.min(...longitudes) < -180 ? 360 : 0;
  return corners.map(({ latitude }, n) => ({ latitude, longitude: (longitudes[n] ?? 0) + shift }));
}

const shorterWay = (degrees: number): number =>
  degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees;

const doubleArea = (corners: readonly Place[]): number =>
  corners.reduce((sum, a, n) => {
    const b = corners[(n + 1) % corners.length] ?? a;
    return sum + a.longitude * b.latitude - b.longitude * a.latitude;
  }, 0);

const isSame = (a: Place | undefined, b: Place | undefined) =>
  a !== undefined && a.latitude === b?.latitude && a.longitude === b.longitude;

function crossesItself(corners: readonly Place[]): boolean {
  const sides = corners.map((a, n) => [a, corners[(n + 1) % corners.length] ?? a] as const);
  return sides.some(([a, b], n) =>
    sides.some(([c, d], m) => {
      const areNeighbours = m <= n + 1 || (n === 0 && m === sides.length - 1);
      return !areNeighbours && turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;
    }),
  );
}

/** Above 0: from a over b to c it goes to the left. */
const turn = (a: Place, b: Place, c: Place): number =>
  (b.longitude - a.longitude) * (c.latitude - a.latitude) -
  (b.latitude - a.latitude) * (c.longitude - a.longitude);
