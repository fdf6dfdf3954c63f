import { Pool } from 'undici';
import { z } from 'zod';
import type { Place } from '../ports.js';
import { RouterFailedError } from './errors.js';

/** What a router says of one way: how long it takes by free roads, in seconds; or that there is none, or that an end lies off its map. */
export type Way = { readonly seconds: number } | 'NO_ROUTE' | 'OFF_MAP';

/** A server of OSRM's HTTP API. */
export interface Router {
  /**
   * From each of up to {@link PLACES_MAX} places to one, in their order.
   * @throws RouterFailedError where it does not answer by the contract, or not before `signal` aborts
   */
  ways(from: readonly Place[], to: Place, signal: AbortSignal): Promise<readonly Way[]>;
  close(): Promise<void>;
}

/** Places of one request: OSRM's own limit for tables is a hundred. */
export const PLACES_MAX = 25;
/**
 * Without it OSRM answers `Ok` for places off its map: (0, 0) to a town in the Pyrenees came back as 1,521 s, two places off the
 * map as 0 s.
 */
const SNAP_METRES_MAX = 500;
/**
 * OSRM ends a connection after 512 requests, and after five seconds of silence. A client that goes on to the end of either sees
 * that as failures, 8-17 of 10-20 thousand calls.
 */
const REQUESTS_A_CONNECTION = 500;
const IDLE_MS = 4_000;
const CONNECTIONS_MAX = 64;
/** Sure to be less than any budget, so that a host which takes no connections is told from one that is slow. */
const CONNECT_MS = 1_000;

const Waypoint = z.object({ distance: z.number() }).nullable();
const Answer = z.object({
  code: z.string(),
  message: z.string().optional(),
  routes: z.array(z.object({ duration: z.number() })).optional(),
  waypoints: z.array(Waypoint).optional(),
  durations: z.array(z.array(z.number().nullable())).optional(),
  sources: z.array(Waypoint).optional(),
  destinations: z.array(Waypoint).optional(),
});
type Answer = z.infer<typeof Answer>;

/** Connects on first use. @param url of the server, without a path; @param profile such as driving */
export function createRouter(url: string, profile = 'driving'): Router {
  const pool = new Pool(url, {
    connections: CONNECTIONS_MAX,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxRequestsPerClient: REQUESTS_A_CONNECTION,
    connect: { timeout: CONNECT_MS },
  });
  const get = (path: string, signal: AbortSignal) => ask(pool, path, signal);
  const route = async (from: Place, to: Place, signal: AbortSignal): Promise<Way> => {
    const places = `${textOf(from)};${textOf(to)}`;
    const path = `/route/v1/${profile}/${places}?overview=false&generate_hints=false&radiuses=${snaps(2)}`;
    return wayOfRoute(await get(path, signal));
  };
  const table = async (from: readonly Place[], to: Place, signal: AbortSignal): Promise<readonly Way[]> => {
    const places = [...from, to].map(textOf).join(';');
    const sources = from.map((_, index) => index).join(';');
    const path =
      `/table/v1/${profile}/${places}?sources=${sources}&destinations=${from.length}` +
      `&annotations=duration&generate_hints=false&radiuses=${snaps(from.length + 1)}`;
    const answer = await get(path, signal);
    if (answer.code !== 'NoSegment') {
      return waysOfTable(answer, from.length);
    }
    const off = Number(/\d+/.exec(answer.message ?? '')?.[0] ?? Number.NaN);
    if (!(off >= 0 && off <= from.length)) {
      throw new RouterFailedError('NoSegment does not say which place is meant.');
    }
    if (off === from.length) {
      return from.map(() => 'OFF_MAP');
    }
    const rest = await ways(
      from.filter((_, index) => index !== off),
      to,
      signal,
    );
    return rest.toSpliced(off, 0, 'OFF_MAP');
  };
  const ways = async (from: readonly Place[], to: Place, signal: AbortSignal): Promise<readonly Way[]> => {
    const [first] = from;
    if (first === undefined) {
      return [];
    }
    return from.length === 1 ? [await route(first, to, signal)] : table(from, to, signal);
  };
  return { ways, close: () => pool.destroy() };
}

/** One request; once more where a connection that had been idle was ended under it. */
async function ask(pool: Pool, path: string, signal: AbortSignal): Promise<Answer> {
  const once = async () => {
    const { statusCode, body } = await pool.request({ path, method: 'GET', signal });
    const text = await body.text();
    // Refusals come with 400 and a body of the same form.
    if (statusCode !== 200 && statusCode !== 400) {
      throw new RouterFailedError(`The router answered ${statusCode}.`);
    }
    return Answer.parse(JSON.parse(text));
  };
  try {
    return await once().catch((error: unknown) => (isEndedUnderUs(error) ? once() : Promise.reject(error)));
  } catch (error) {
    throw error instanceof RouterFailedError
      ? error
      : new RouterFailedError('The router did not answer.', { cause: error });
  }
}

const isEndedUnderUs = (error: unknown): boolean =>
  ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String((error as { code?: unknown }).code));

function wayOfRoute({ code, routes, waypoints = [] }: Answer): Way {
  if (code === 'NoSegment') {
    return 'OFF_MAP';
  }
  if (code === 'NoRoute') {
    return 'NO_ROUTE';
  }
  const seconds = routes?.[0]?.duration;
  if (code !== 'Ok' || seconds === undefined) {
    throw new RouterFailedError(`The router answered ${code}.`);
  }
  return waypoints.every(isNear) ? { seconds } : 'OFF_MAP';
}

function waysOfTable({ code, durations, sources = [], destinations = [] }: Answer, count: number): Way[] {
  if (code === 'NoTable' || code === 'NoRoute') {
    return Array.from({ length: count }, () => 'NO_ROUTE');
  }
  if (code !== 'Ok' || durations?.length !== count) {
    throw new RouterFailedError(`The router answered ${code}.`);
  }
  return durations.map(([seconds = null], index) => {
    if (!isNear(sources[index] ?? null) || !isNear(destinations[0] ?? null)) {
      return 'OFF_MAP';
    }
    return seconds === null ? 'NO_ROUTE' : { seconds };
  });
}

const isNear = (waypoint: z.infer<typeof Waypoint>): boolean =>
  waypoint !== null && waypoint.distance <= SNAP_METRES_MAX;

const textOf = ({ longitude, latitude }: Place): string => `${longitude.toFixed(6)},${latitude.toFixed(6)}`;

const snaps = (places: number): string => Array.from({ length: places }, () => SNAP_METRES_MAX).join(';');
