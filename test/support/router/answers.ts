import type { Place } from '../../../src/services/dispatch/ports.js';
import { type Network, type Snapped, snap } from './graph.js';
import { waysFrom } from './search.js';

/** An answer of OSRM's HTTP API: its status and its body. */
export interface RouterAnswer {
  readonly status: number;
  readonly body: object;
}

const PLACES_MAX = 100;
const OVERVIEWS = [null, 'false', 'simplified', 'full'];

/** Answers `route`, `table` and `nearest` of OSRM's HTTP API (version 1) by the roads of a network. */
export function answerTo(network: Network, url: URL): RouterAnswer {
  const [, service = '', version = '', , text = '', ...rest] = decodeURIComponent(url.pathname).split('/');
  if (version === '' || text === '' || rest.length > 0) {
    return refusal('InvalidUrl', 'URL string malformed close to position 1');
  }
  if (version !== 'v1') {
    return refusal('InvalidVersion', 'Service route not found!');
  }
  const places = placesOf(text);
  if (places === null || !OVERVIEWS.includes(url.searchParams.get('overview'))) {
    return refusal('InvalidQuery', 'Query string malformed close to position 1');
  }
  const answers = { route, table, nearest };
  if (!(service in answers)) {
    return refusal('InvalidService', `Service ${service} not found!`);
  }
  if (places.length < (service === 'nearest' ? 1 : 2)) {
    return refusal('InvalidOptions', 'Number of coordinates needs to be at least two.');
  }
  if (places.length > PLACES_MAX) {
    return refusal('TooBig', 'Too many trip coordinates');
  }
  return onRoads(network, { places, url }, answers[service as keyof typeof answers]);
}

interface Asked {
  readonly network: Network;
  readonly url: URL;
  readonly snapped: readonly Snapped[];
  readonly waypoints: readonly object[];
}

function onRoads(
  network: Network,
  { places, url }: { places: readonly Place[]; url: URL },
  answer: (asked: Asked) => RouterAnswer,
): RouterAnswer {
  const radiuses = (url.searchParams.get('radiuses') ?? '').split(';').map(Number);
  const snapped = places.map((place) => snap(network, place));
  const off = snapped.findIndex(
    ({ metres }, index) => metres > (radiuses[index] || Number.POSITIVE_INFINITY),
  );
  if (off >= 0) {
    return refusal('NoSegment', `Could not find a matching segment for coordinate ${off}`);
  }
  const waypoints = snapped.map(({ junction, metres }) => {
    const { latitude = 0, longitude = 0 } = network.places[junction] ?? {};
    return { name: '', location: [longitude, latitude], distance: metres };
  });
  return answer({ network, url, snapped, waypoints });
}

function route({ network, snapped, waypoints }: Asked): RouterAnswer {
  const legs = snapped
    .slice(1)
    .map(({ junction }, index) => waysFrom(network, snapped[index]?.junction ?? 0, [junction])[0] ?? null);
  const found = legs.filter((leg) => leg !== null);
  if (found.length < legs.length) {
    return refusal('NoRoute', 'Impossible route between points');
  }
  const told = found.map(({ seconds, metres }) => ({
    steps: [],
    summary: '',
    weight: tenth(seconds),
    duration: tenth(seconds),
    distance: tenth(metres),
  }));
  const sum = (of: 'duration' | 'distance') => tenth(told.reduce((total, leg) => total + leg[of], 0));
  const whole = { weight: sum('duration'), duration: sum('duration'), distance: sum('distance') };
  return ok({ routes: [{ legs: told, weight_name: 'routability', ...whole }], waypoints });
}

function table({ network, url, snapped, waypoints }: Asked): RouterAnswer {
  const sources = chosen(url, 'sources', snapped.length);
  const destinations = chosen(url, 'destinations', snapped.length);
  if (sources === null || destinations === null) {
    return refusal('InvalidOptions', '');
  }
  const junctions = destinations.map((index) => snapped[index]?.junction ?? 0);
  const ways = sources.map((index) => waysFrom(network, snapped[index]?.junction ?? 0, junctions));
  const wanted = (url.searchParams.get('annotations') ?? 'duration').split(',');
  return ok({
    sources: sources.map((index) => waypoints[index]),
    destinations: destinations.map((index) => waypoints[index]),
    ...(wanted.includes('duration')
      ? { durations: ways.map((row) => row.map((way) => way && tenth(way.seconds))) }
      : {}),
    ...(wanted.includes('distance')
      ? { distances: ways.map((row) => row.map((way) => way && tenth(way.metres))) }
      : {}),
  });
}

const nearest = ({ waypoints }: Asked): RouterAnswer => ok({ waypoints: waypoints.slice(0, 1) });

function placesOf(text: string): Place[] | null {
  const pairs = text
    .replace(/\.json$/, '')
    .split(';')
    .map((pair) => pair.split(',').map(Number));
  const areGood = pairs.every((pair) => pair.length === 2 && pair.every(Number.isFinite));
  return areGood ? pairs.map(([longitude = 0, latitude = 0]) => ({ latitude, longitude })) : null;
}

function chosen(url: URL, name: string, count: number): number[] | null {
  const text = url.searchParams.get(name) ?? 'all';
  const all = text === 'all' ? Array.from({ length: count }, (_, at) => at) : text.split(';').map(Number);
  return all.every((index) => Number.isInteger(index) && index >= 0 && index < count) ? all : null;
}

const ok = (body: object): RouterAnswer => ({ status: 200, body: { code: 'Ok', ...body } });
const refusal = (code: string, message: string): RouterAnswer => ({ status: 400, body: { message, code } });
const tenth = (value: number): number => Math.round(value * 10) / 10;
