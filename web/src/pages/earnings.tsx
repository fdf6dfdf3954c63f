import { useEffect, useRef, useState } from 'react';
import { useQuery } from 'urql';
import { useKnown } from '../api/use-known.js';
import { useLive } from '../api/use-live.js';
import { useFurtherPages } from '../api/use-pages.js';
import { useRefresh } from '../api/use-refresh.js';
import { BookedDocument, EarningsDocument, type EarningsQuery } from '../generated/graphql.js';
import { told } from '../parts/bidi.js';
import { instant, money, zone } from '../parts/format.js';
import { LiveTag } from '../parts/live-tag.js';
import { More } from '../parts/more.js';
import { Scrollable } from '../parts/scrollable.js';
import { Loaded, Notice } from '../parts/states.js';

const PAGE = 50;
const linesOf = (data: EarningsQuery) => data.statement.lines;
type Line = EarningsQuery['statement']['lines']['edges'][number]['node'];

/** What an expert has earned, and where each amount comes from. Grows by itself. */
export function Earnings() {
  const since = useMidnight();
  const [result, again] = useQuery({ query: EarningsDocument, variables: { first: PAGE, since } });
  const ask = () => again({ requestPolicy: 'network-only' });
  const { refresh, asLive } = useRefresh(result, ask);
  const known = useKnown(result, since);
  const { liveness } = useLive('booked', {
    document: BookedDocument,
    variables: {},
    itemOf: ({ payoutEvents }) => payoutEvents,
    onItem: refresh,
  });
  return (
    <div className="page">
      <h1>
        Earnings <LiveTag liveness={asLive(liveness)} />
      </h1>
      <p className="hint">
        Times are in your zone ({zone()}). An amount is booked the moment its answer is stored.
      </p>
      <Loaded what="Your earnings" result={{ ...result, data: known }} onRetry={ask}>
        {(data) => <Statement data={data} since={since} />}
      </Loaded>
    </div>
  );
}

/** When the viewer's day began; the next one's beginning once it has come. */
function useMidnight(): string {
  const [day, setDay] = useState(() => new Date());
  useEffect(() => {
    const next = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1);
    const timer = setTimeout(() => setDay(new Date()), next.getTime() - Date.now() + 1_000);
    return () => clearTimeout(timer);
  }, [day]);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate()).toISOString();
}

function Statement({ data, since }: { data: EarningsQuery; since: string }) {
  const pageAfter = (after: string) => ({ first: PAGE, after, since });
  const further = useFurtherPages(EarningsDocument, pageAfter, linesOf);
  const lines = useSeen([...linesOf(data).edges.map(({ node }) => node), ...further.items]);
  const { hasNextPage } = further.page ?? linesOf(data).pageInfo;
  if (lines.length === 0) {
    return (
      <Notice title="Nothing earned yet">
        <p>Each answer that you submit is booked here at once, with the task that it is for.</p>
      </Notice>
    );
  }
  return (
    <>
      <Sums statement={data.statement} />
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

function Sums({ statement: { balances, booked } }: Pick<EarningsQuery, 'statement'>) {
  return (
    <dl className="figures">
      {balances.map((balance) => (
        <div className="figure" key={balance.currency}>
          <dt>Owed to you, in {balance.currency}</dt>
          <dd>{money(balance)}</dd>
        </div>
      ))}
      {booked.map(({ amount, answers }) => (
        <div className="figure" key={`today ${amount.currency}`}>
          <dt>Booked today</dt>
          <dd>{money(amount)}</dd>
          <dd className="figure-note">
            for {answers.toLocaleString()} {answers === 1 ? 'answer' : 'answers'}
          </dd>
        </div>
      ))}
    </dl>
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
                <div className="table-name">
                  {told(assignment?.project?.name ?? 'A project')}
                  {assignment?.task.externalId ? (
                    <span className="hint"> {told(assignment.task.externalId)}</span>
                  ) : null}
                  {kind === 'REVERSAL' ? <span className="tag tag-warn">taken back</span> : null}
                </div>
              </td>
              <td className="number">{money(amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

/** Every line that was read, the newest first: what is booked later moves the pages, and takes none away. */
function useSeen(lines: readonly Line[]): readonly Line[] {
  const seen = useRef(new Map<string, Line>());
  for (const line of lines) {
    seen.current.set(line.id, line);
  }
  return [...seen.current.values()].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}
