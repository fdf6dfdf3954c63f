import { useMemo, useState } from 'react';
import type { OutlookFragment } from '../generated/graphql.js';
import { told } from '../parts/bidi.js';
import { zone } from '../parts/format.js';
import { Scrollable } from '../parts/scrollable.js';
import { BurnUpChart } from './burn-up-chart.js';
import { type BurnUp as BurnUpData, bandsOf, medianOf, thinned, type Way, wayOfAll } from './burn-up-data.js';
import { NothingToDraw } from './nothing-to-draw.js';
import { fromNow, when } from './outlook.js';
import type { LiveBatch } from './use-project.js';
import { useWidth } from './use-width.js';

const POINTS_MAX = 200;
const WHOLE = '';
/** Where nothing comes it is drawn anew so often: the way of fifty batches is much to work out. */
const DRAWN_EVERY_MS = 10_000;

interface BurnUpProps {
  readonly batches: readonly LiveBatch[];
  /** Of the open batches together; null where nothing is known. */
  readonly forecast: OutlookFragment | null;
  /** Whether there are more batches than these. */
  readonly isPart: boolean;
  readonly now: number;
}

/** The burn-up of a project or of one of its batches, as a picture and as a table. */
export function BurnUp({ batches, forecast, isPart, now }: BurnUpProps) {
  const [chosen, setChosen] = useState(WHOLE);
  const batch = batches.find(({ id }) => id === chosen);
  const outlook = batch === undefined ? (isPart ? null : forecast) : (batch.forecast ?? null);
  const deadline = batch === undefined ? nearestOf(batches, now) : timeOf(batch.deadline);
  const tick = Math.floor(now / DRAWN_EVERY_MS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as something comes, and at each tick
  const burnUp = useMemo(
    () => burnUpOf(batch === undefined ? batches : [batch], outlook, now),
    [batches, batch, outlook, tick],
  );
  const summary = `${isPart && batch === undefined ? `Of the ${batches.length} batches below: ` : ''}${summaryOf(burnUp, deadline, now)}`;
  return (
    <figure className="card burn-up-figure">
      <div className="burn-up-head">
        <h2>Burn-up</h2>
        <label>
          <span className="hint">Show</span>{' '}
          <select
            className="select"
            value={batch === undefined ? WHOLE : chosen}
            onChange={(event) => setChosen(event.target.value)}
          >
            <option value={WHOLE}>{isPart ? `these ${batches.length} batches` : 'all batches'}</option>
            {batches.map(({ id, name }) => (
              <option key={id} value={id}>
                {told(name)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {burnUp.wanted === 0 ? (
        <NothingToDraw batches={batch === undefined ? batches : [batch]} />
      ) : (
        <Drawn burnUp={burnUp} deadline={deadline} now={now} summary={summary} />
      )}
    </figure>
  );
}

interface DrawnProps {
  readonly burnUp: BurnUpData;
  readonly deadline: number | null;
  readonly now: number;
  readonly summary: string;
}

function Drawn({ burnUp, deadline, now, summary }: DrawnProps) {
  const [frame, width] = useWidth();
  return (
    <>
      <div ref={frame} className="burn-up-frame">
        {width > 0 ? (
          <BurnUpChart burnUp={burnUp} deadline={deadline} now={now} width={width} summary={summary} />
        ) : null}
      </div>
      <figcaption>
        <Legend hasForecast={burnUp.bands.length > 0} />
        <p>{summary}</p>
        <details>
          <summary>The same as a table</summary>
          <BurnUpTable burnUp={burnUp} deadline={deadline} now={now} />
        </details>
      </figcaption>
    </>
  );
}

function Legend({ hasForecast }: { hasForecast: boolean }) {
  return (
    <ul className="legend">
      <li className="legend-past">answers that are in</li>
      {hasForecast ? (
        <>
          <li className="legend-median">as likely before as after</li>
          <li className="legend-narrow">half of all futures</li>
          <li className="legend-wide">nine in ten</li>
        </>
      ) : null}
    </ul>
  );
}

function BurnUpTable({
  burnUp: { past, wanted, median, bands },
  deadline,
  now,
}: {
  burnUp: BurnUpData;
  deadline: number | null;
  now: number;
}) {
  const rows = [
    ...thinned(past, 12).map(({ at, answers }) => [at, `${answers.toLocaleString()} answers in`] as const),
    ...bands.flatMap(({ share, from, to }) => [
      [from, `all ${wanted.toLocaleString()} in, at the earliest of ${share * 100} % of futures`] as const,
      [to, `all ${wanted.toLocaleString()} in, at the latest of ${share * 100} % of futures`] as const,
    ]),
    ...(median === null
      ? []
      : [[median, `all ${wanted.toLocaleString()} in, as likely before as after`] as const]),
    ...(deadline === null ? [] : [[deadline, 'deadline'] as const]),
  ].toSorted(([a], [b]) => a - b);
  return (
    <Scrollable className="table-scroll" label="Burn-up as a table">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">When ({zone()})</th>
            <th scope="col">What</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([at, what]) => (
            <tr key={`${at} ${what}`}>
              <td>{when(new Date(at).toISOString(), now)}</td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

function burnUpOf(batches: readonly LiveBatch[], outlook: OutlookFragment | null, now: number): BurnUpData {
  const quantiles = (outlook?.quantiles ?? []).map(({ probability, at }) => ({
    probability,
    at: timeOf(at),
  }));
  return {
    past: thinned(wayOfAll(batches.map(wayOf), now), POINTS_MAX),
    wanted: batches.reduce((sum, { progress }) => sum + progress.answersWanted, 0),
    median: medianOf(quantiles),
    bands: bandsOf(quantiles),
  };
}

/** Counted as the forecast knows it where it is newer: it is told by subscription. */
function wayOf({ createdAt, state, progress, burnUp, forecast }: LiveBatch): Way {
  const wanted = progress.answersWanted;
  const isDone =
    state === 'COMPLETED' || (forecast?.remainingAnswers === 0 && progress.answersCounted >= wanted);
  const points = burnUp.map(({ at, answers }) => ({ at: Date.parse(at), answers }));
  const told = forecast ? wanted - forecast.remainingAnswers : progress.answersCounted;
  return {
    startedAt: Date.parse(createdAt),
    wanted,
    counted: isDone ? wanted : Math.max(progress.answersCounted, Math.min(wanted, told)),
    doneAt: isDone ? (points.at(-1)?.at ?? Date.parse(createdAt)) : null,
    points,
  };
}

const timeOf = (iso: string | null | undefined): number | null => (iso ? Date.parse(iso) : null);

/** The next deadline of what is open; else the last one. */
function nearestOf(batches: readonly LiveBatch[], now: number): number | null {
  const open = batches.filter(({ state }) => state === 'OPEN' || state === 'STORING');
  const times = open.flatMap(({ deadline }) => timeOf(deadline) ?? []).toSorted((a, b) => a - b);
  return times.find((at) => at >= now) ?? times.at(-1) ?? null;
}

function summaryOf(
  { past, wanted, median, bands }: BurnUpData,
  deadline: number | null,
  now: number,
): string {
  const here = past.at(-1)?.answers ?? 0;
  const said = [`${here.toLocaleString()} of ${wanted.toLocaleString()} answers are in.`];
  if (here >= wanted) {
    return `${said.join(' ')} Nothing is open.`;
  }
  const iso = (at: number) => new Date(at).toISOString();
  if (median === null) {
    said.push('When the rest will be is not known yet.');
  } else {
    said.push(`The last is expected ${when(iso(median), now)}, ${fromNow(iso(median), now)}`);
    const wide = bands.find(({ share }) => share > 0.5);
    said.push(
      wide ? `(nine futures in ten: ${when(iso(wide.from), now)} to ${when(iso(wide.to), now)}).` : '.',
    );
  }
  if (deadline !== null) {
    said.push(`The next deadline is ${when(iso(deadline), now)}, ${fromNow(iso(deadline), now)}.`);
  }
  return said.join(' ').replace(' .', '.');
}
