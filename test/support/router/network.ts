import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { metresBetween } from '../../../src/services/dispatch/eta/distance.js';
import { type Arc, buildNetwork, type Network } from './graph.js';

/** Kilometres an hour that a car makes on roads of each class, where no sign says otherwise. */
const SPEEDS: Readonly<Record<string, number>> = {
  motorway: 90,
  motorway_link: 45,
  trunk: 85,
  trunk_link: 40,
  primary: 65,
  primary_link: 30,
  secondary: 55,
  secondary_link: 25,
  tertiary: 40,
  tertiary_link: 20,
  unclassified: 25,
  residential: 25,
  living_street: 10,
  service: 15,
};
/** Of a speed limit, what is driven. */
const LIMIT_SHARE = 0.8;
const TRAFFIC_LIGHT_SECONDS = 2;

interface Node {
  readonly latitude: number;
  readonly longitude: number;
  readonly hasLight: boolean;
}

type Tags = Readonly<Record<string, string>>;

/** The roads that cars may use, of an OpenStreetMap extract in XML (gzipped or not). */
export function networkOfMap(file: string): Network {
  const bytes = readFileSync(file);
  const xml = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const nodes = nodesOf(xml);
  const arcs: Arc<string>[] = [];
  for (const [, body = ''] of xml.matchAll(/<way\b[^>]*>([\s\S]*?)<\/way>/g)) {
    const tags = tagsOf(body);
    if (isForCars(tags)) {
      const refs = [...body.matchAll(/<nd ref="(-?\d+)"/g)].map(([, ref = '']) => ref);
      arcs.push(...arcsOf(refs, tags, nodes));
    }
  }
  return buildNetwork(arcs, (id) => nodes.get(id) ?? { latitude: 0, longitude: 0 }, { core: true });
}

function nodesOf(xml: string): Map<string, Node> {
  const nodes = new Map<string, Node>();
  for (const [, head = '', , body = ''] of xml.matchAll(/<node\b([^>]*?)(\/>|>([\s\S]*?)<\/node>)/g)) {
    const value = (name: string) => new RegExp(`\\b${name}="([^"]+)"`).exec(head)?.[1] ?? '';
    nodes.set(value('id'), {
      latitude: Number(value('lat')),
      longitude: Number(value('lon')),
      hasLight: body.includes('traffic_signals'),
    });
  }
  return nodes;
}

function tagsOf(body: string): Tags {
  return Object.fromEntries(
    [...body.matchAll(/<tag k="([^"]+)" v="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
  );
}

const isForCars = ({ highway = '', access = '', motor_vehicle: motor, area }: Tags): boolean =>
  highway in SPEEDS && !['no', 'private'].includes(access) && motor !== 'no' && area !== 'yes';

function arcsOf(refs: readonly string[], tags: Tags, nodes: Map<string, Node>): Arc<string>[] {
  const limit = Number.parseInt(tags.maxspeed ?? '', 10);
  const kmh = limit > 0 ? limit * LIMIT_SHARE : (SPEEDS[tags.highway ?? ''] ?? 0);
  const { forward, back } = directionsOf(tags);
  return refs.slice(1).flatMap((to, index) => {
    const from = refs[index] ?? '';
    const [a, b] = [nodes.get(from), nodes.get(to)];
    if (a === undefined || b === undefined) {
      return []; // cut off at the edge of the extract
    }
    const metres = metresBetween(a, b);
    const seconds = metres / (kmh / 3.6);
    const lights = (at: Node) => (at.hasLight ? TRAFFIC_LIGHT_SECONDS : 0);
    return [
      ...(forward ? [{ from, to, metres, seconds: seconds + lights(b) }] : []),
      ...(back ? [{ from: to, to: from, metres, seconds: seconds + lights(a) }] : []),
    ];
  });
}

function directionsOf({ oneway = '', junction, highway }: Tags): { forward: boolean; back: boolean } {
  if (oneway === '-1') {
    return { forward: false, back: true };
  }
  const isOneWay = ['yes', '1'].includes(oneway) || junction === 'roundabout' || highway === 'motorway';
  return { forward: true, back: !isOneWay };
}
