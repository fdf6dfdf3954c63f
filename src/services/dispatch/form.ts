import { InputInvalidError, type InputIssue } from '../access/errors.js';
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
 * again. Longitudes are taken as they are, so that no area lies on both sides of the 180th meridian.
 * @throws InputInvalidError
 */
export function checkArea(path: string, corners: readonly Place[]): readonly Place[] {
  const open = isSame(corners[0], corners.at(-1)) ? corners.slice(0, -1) : corners;
  const issues: InputIssue[] = [];
  if (open.length < 3 || open.length > 200 || !open.every(isPlace)) {
    issues.push({ path, message: 'Give 3 to 200 corners, each a place on earth.' });
  } else if (crossesItself(open)) {
    issues.push({ path, message: 'The sides of an area may not cross each other.' });
  }
  if (issues.length > 0) {
    throw new InputInvalidError(issues);
  }
  return open;
}

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
