// @once: looks at no database
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { answerTo } from '../support/router/answers.js';
import { geoFile, testWithGeo } from '../support/router/geo.js';
import { networkOfMap } from '../support/router/network.js';

// The router that tests and benchmarks stand on, against what a real OSRM answered over the same map.

const MAP = 'andorra.osm.gz';
const GOLDEN = 'osrm-andorra-golden.json';

interface Recorded {
  readonly path: string;
  readonly status: number;
  readonly body: {
    readonly code: string;
    readonly routes?: readonly { duration: number; distance: number }[];
    readonly durations?: readonly (readonly number[])[];
    readonly sources?: readonly object[];
    readonly destinations?: readonly object[];
    readonly waypoints?: readonly { distance: number }[];
  };
}

testWithGeo(MAP, GOLDEN)(
  'the test router answers as a real OSRM did: codes alike, durations near',
  async () => {
    const network = networkOfMap(geoFile(MAP));
    const { records } = JSON.parse(readFileSync(geoFile(GOLDEN), 'utf8')) as { records: Recorded[] };
    const ours = records.map(({ path }) => answerTo(network, new URL(`http://router.invalid${path}`)));
    const bodies = ours.map(({ body }) => body as Recorded['body']);

    expect(ours.map(({ status }) => status)).toEqual(records.map(({ status }) => status));
    expect(bodies.map(({ code }) => code)).toEqual(records.map(({ body }) => body.code));

    const routes = records.flatMap(({ body }, index) => {
      const [real, our] = [body.routes?.[0], bodies[index]?.routes?.[0]];
      const isOnMap = body.waypoints?.every(({ distance }) => distance < 500) === true;
      return real === undefined || our === undefined || !isOnMap ? [] : [{ real, our }];
    });
    expect(routes.length).toBeGreaterThan(140);
    const durations = median(routes.map(({ real, our }) => our.duration / real.duration));
    const distances = median(routes.map(({ real, our }) => our.distance / real.distance));
    console.log(
      `durations ${durations.toFixed(3)}, distances ${distances.toFixed(3)} of the real ones (medians)`,
    );
    expect(durations).toBeGreaterThan(0.93);
    expect(durations).toBeLessThan(1.07);
    expect(distances).toBeGreaterThan(0.97);
    expect(distances).toBeLessThan(1.03);

    const table = records.findIndex(({ path, status }) => path.startsWith('/table/') && status === 200);
    expect(bodies[table]).toMatchObject({
      sources: [{}, {}],
      destinations: [{}],
      durations: [[expect.any(Number)], [expect.any(Number)]],
    });
  },
);

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
