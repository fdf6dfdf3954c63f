import { useEffect, useRef } from 'react';
import { useQuery } from 'urql';
import { useLive } from '../api/use-live.js';
import { useFurtherPages } from '../api/use-pages.js';
import { BookedDocument, EarningsDocument, type EarningsQuery } from '../generated/graphql.js';
import { instant, money, zone } from '../parts/format.js';
import { LiveTag } from '../parts/live-tag.js';
import { More } from '../parts/more.js';
import { Scrollable } from '../parts/scrollable.js';
import { Loaded, Notice } from '../parts/states.js';

const PAGE = 50;
/** So many lines are read by themselves, to know what was booked today. */
const TODAY_MAX = 1_000;
const pageAfter = (after: string) => ({ first: PAGE, after });
const linesOf = (data: EarningsQuery) => data.statement.lines;
type Line = EarningsQuery['statement']['lines']['edges'][number]['node'];

/** What an expert has earned, and where each amount comes from. Grows by itself. */
export function Earnings() {
  const [result, again] = useQuery({ query: EarningsDocument, variables: { first: PAGE } });
  const refresh = () => again({ requestPolicy: 'network-only' });
  const { liveness } = useLive('booked', {
    document: BookedDocument,
    variables: {},
    itemOf: ({ payoutEvents }) => payoutEvents,
    onItem: ({ kind }) => (kind === 'POSTED' ? refresh() : undefined),
  });
  return (
    <div className="page">
      <h1>
        Earnings <LiveTag liveness={liveness} />
      </h1>
      <p className="hint">
        Times are in your zone ({zone()}). An amount is booked the moment its answer is stored.
      </p>
      <Loaded what="Your earnings" result={result} onRetry={refresh}>
        {(data) => <Statement data={data} />}
      </Loaded>
    </div>
  );
}

function Statement({ data }: { data: EarningsQuery }) {
  const further = useFurtherPages(EarningsDocument, pageAfter, linesOf);
  const lines = useSeen([...linesOf(data).edges.map(({ node }) => node), ...further.items]);
  const { hasNextPage } = further.page ?? linesOf(data).pageInfo;
  const last = lines.at(-1);
  const isTodayCut = hasNextPage && last !== undefined && isToday(last.at);
  const isReading = isTodayCut && lines.length < TODAY_MAX && !further.error;
  const more = useRef(() => {});
  more.current = () => void further.more(linesOf(data));
  // Once for each page that came.
  const came = further.items.length;
  useEffect(() => {
    if (isReading && !further.fetching && came < TODAY_MAX) {
      more.current();
    }
  }, [isReading, further.fetching, came]);
  if (lines.length === 0) {
    return (
      <Notice title="Nothing earned yet">
        <p>Each answer that you submit is booked here at once, with the task that it is for.</p>
      </Notice>
    );
  }
  return (
    <>
      <dl className="figures">
        {data.statement.balances.map((balance) => (
          <div className="figure" key={balance.currency}>
            <dt>Owed to you, in {balance.currency}</dt>
            <dd>{money(balance)}</dd>
          </div>
        ))}
        {todays(lines).map((sum) => (
          <div className="figure" key={`today ${sum.currency}`}>
            <dt>
              Booked today ({isTodayCut ? 'the last ' : ''}
              {sum.count})
            </dt>
            <dd>{money(sum)}</dd>
          </div>
        ))}
      </dl>
      <Lines lines={lines} />
      <More
        isThere={hasNextPage}
        isBusy={further.fetching}
        message={further.error?.message}
        onMore={() => void further.more(linesOf(data))}
      />
    </>
  );
}

function Lines({ lines }: { lines: readonly Line[] }) {
  return (
    <Scrollable className="table-scroll" label="Each amount">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">For</th>
            <th scope="col" className="number">
              Amount
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ id, at, kind, amount, assignment }) => (
            <tr key={id}>
              <td>{instant(at)}</td>
              <td>
                {assignment?.project?.name ?? 'A project'}
                {assignment?.task.externalId ? (
                  <span className="hint"> {assignment.task.externalId}</span>
                ) : null}
                {kind === 'REVERSAL' ? <span className="tag tag-warn">taken back</span> : null}
              </td>
              <td className="number">{money(amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

const isToday = (at: string): boolean => new Date(at).toDateString() === new Date().toDateString();

/** Every line that was read, the newest first: what is booked later moves the pages, and takes none away. */
function useSeen(lines: readonly Line[]): readonly Line[] {
  const seen = useRef(new Map<string, Line>());
  for (const line of lines) {
    seen.current.set(line.id, line);
  }
  return [...seen.current.values()].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** Of the lines that are read, which are all of the day or are said to be the last; the day is the viewer's. */
function todays(lines: readonly Line[]): { currency: string; minorUnits: string; count: number }[] {
  const sums = new Map<string, { minorUnits: bigint; count: number }>();
  for (const { at, amount } of lines) {
    if (isToday(at)) {
      const sum = sums.get(amount.currency) ?? { minorUnits: 0n, count: 0 };
      sums.set(amount.currency, {
        minorUnits: sum.minorUnits + BigInt(amount.minorUnits),
        count: sum.count + 1,
      });
    }
  }
  return [...sums].map(([currency, { minorUnits, count }]) => ({
    currency,
    minorUnits: String(minorUnits),
    count,
  }));
}
