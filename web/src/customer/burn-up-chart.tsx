import { AxisBottom, AxisLeft } from '@visx/axis';
import { Group } from '@visx/group';
import { scaleLinear, scaleTime } from '@visx/scale';
import { LinePath } from '@visx/shape';
import { useId } from 'react';
import type { Band, BurnUp, Point } from './burn-up-data.js';
import { tickText } from './time-axis.js';

interface ChartProps {
  readonly burnUp: BurnUp;
  readonly deadline: number | null;
  readonly now: number;
  readonly width: number;
  /** What the picture says, for whoever does not see it. */
  readonly summary: string;
}

const MARGIN = { top: 22, right: 16, bottom: 34, left: 52 };
const PIXELS_A_TICK = 90;

/** Answers over time: what has come in, and where it may go from here. */
export function BurnUpChart({ burnUp, deadline, now, width, summary }: ChartProps) {
  const title = useId();
  const clip = useId();
  const height = Math.round(Math.max(220, Math.min(360, width * 0.45)));
  const scales = scalesOf(burnUp, { deadline, now, width, height });
  const { x, y } = scales;
  const ticks = Math.max(2, Math.floor((width - MARGIN.left) / PIXELS_A_TICK));
  const [from, to] = x.domain();
  const tickFormat = tickText(Number(to) - Number(from));
  return (
    <svg className="burn-up" width={width} height={height} role="img" aria-labelledby={title}>
      <title id={title}>{summary}</title>
      <clipPath id={clip}>
        <rect
          x={MARGIN.left}
          y={0}
          width={Math.max(0, width - MARGIN.left - MARGIN.right)}
          height={height - MARGIN.bottom}
        />
      </clipPath>
      <line
        className="burn-up-goal"
        x1={MARGIN.left}
        x2={width - MARGIN.right}
        y1={y(burnUp.wanted)}
        y2={y(burnUp.wanted)}
      />
      <g clipPath={`url(#${clip})`}>
        <Future burnUp={burnUp} now={now} scales={scales} />
      </g>
      <LinePath
        className="burn-up-past"
        data={[...burnUp.past]}
        x={({ at }) => x(at)}
        y={({ answers }) => y(answers)}
      />
      <Present past={burnUp.past} scales={scales} />
      {deadline === null ? null : <Deadline at={x(deadline)} height={height} width={width} />}
      <Group aria-hidden="true">
        <AxisBottom
          top={height - MARGIN.bottom}
          scale={x}
          numTicks={ticks}
          tickFormat={(at) => tickFormat(new Date(Number(at)))}
          axisClassName="burn-up-axis"
        />
        <AxisLeft
          left={MARGIN.left}
          scale={y}
          numTicks={Math.min(5, burnUp.wanted)}
          tickFormat={(answers) => Number(answers).toLocaleString(undefined, { notation: 'compact' })}
          axisClassName="burn-up-axis"
        />
      </Group>
    </svg>
  );
}

type Scales = ReturnType<typeof scalesOf>;

function scalesOf(
  { past, wanted, bands, median }: BurnUp,
  { deadline, now, width, height }: { deadline: number | null; now: number; width: number; height: number },
) {
  const start = past[0]?.at ?? now;
  // Nine futures in ten are in the picture, but what may take very long does not make the rest unreadable.
  const nearest = Math.max(now, deadline ?? 0, median ?? 0);
  const widest = Math.max(nearest, ...bands.map(({ to }) => to));
  const end = Math.max(start + 60_000, Math.min(widest, start + (nearest - start) * 2.2));
  return {
    x: scaleTime({ domain: [start, end + (end - start) * 0.03], range: [MARGIN.left, width - MARGIN.right] }),
    y: scaleLinear({ domain: [0, wanted * 1.04], range: [height - MARGIN.bottom, MARGIN.top] }),
  };
}

function Future({ burnUp, now, scales }: { burnUp: BurnUp; now: number; scales: Scales }) {
  const here = burnUp.past.at(-1);
  if (here === undefined || here.answers >= burnUp.wanted) {
    return null;
  }
  const begin = { ...here, at: Math.max(here.at, now) };
  const { x, y } = scales;
  return (
    <>
      {burnUp.bands.map((band) => (
        <BandShape key={band.share} band={band} begin={begin} wanted={burnUp.wanted} scales={scales} />
      ))}
      {burnUp.median === null ? null : (
        <line
          className="burn-up-median"
          x1={x(begin.at)}
          y1={y(begin.answers)}
          x2={x(burnUp.median)}
          y2={y(burnUp.wanted)}
        />
      )}
    </>
  );
}

function BandShape({
  band: { share, from, to },
  begin,
  wanted,
  scales: { x, y },
}: {
  band: Band;
  begin: Point;
  wanted: number;
  scales: Scales;
}) {
  const corner = (at: number, answers: number) => `${x(at)},${y(answers)}`;
  const points = [corner(begin.at, begin.answers), corner(from, wanted), corner(to, wanted)].join(' ');
  return <polygon className={share > 0.5 ? 'burn-up-wide' : 'burn-up-narrow'} points={points} />;
}

function Present({ past, scales: { x, y } }: { past: readonly Point[]; scales: Scales }) {
  const here = past.at(-1);
  return here === undefined ? null : (
    <circle className="burn-up-here" cx={x(here.at)} cy={y(here.answers)} r={4.5} />
  );
}

function Deadline({ at, height, width }: { at: number; height: number; width: number }) {
  const isRight = at > width - 80;
  return (
    <>
      <line className="burn-up-deadline" x1={at} x2={at} y1={MARGIN.top - 6} y2={height - MARGIN.bottom} />
      <text
        className="burn-up-word"
        x={isRight ? at - 6 : at + 6}
        y={MARGIN.top - 8}
        textAnchor={isRight ? 'end' : 'start'}
      >
        deadline
      </text>
    </>
  );
}
