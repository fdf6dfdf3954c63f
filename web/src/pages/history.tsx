import { useQuery } from 'urql';
import { useFurtherPages } from '../api/use-pages.js';
import { type AssignmentState, HistoryDocument, type HistoryQuery } from '../generated/graphql.js';
import { shown, told } from '../parts/bidi.js';
import { instant, money, percent, zone } from '../parts/format.js';
import { More } from '../parts/more.js';
import { Scrollable } from '../parts/scrollable.js';
import { Loaded, Notice } from '../parts/states.js';
import { fromDraft, isEmpty, toldOf } from '../work/draft.js';

const PAGE = 50;
const pageAfter = (after: string) => ({ first: PAGE, after });
const assignmentsOf = (data: HistoryQuery) => data.assignments;
type Assignment = HistoryQuery['assignments']['edges'][number]['node'];

const STATES: Record<AssignmentState, { text: string; tone: string }> = {
  LEASED: { text: 'in work', tone: '' },
  SUBMITTED: { text: 'answered', tone: 'tag-good' },
  ACCEPTED: { text: 'accepted', tone: 'tag-good' },
  REJECTED: { text: 'rejected', tone: 'tag-bad' },
  EXPIRED: { text: 'lease ended', tone: 'tag-warn' },
  RELEASED: { text: 'given back', tone: '' },
  CANCELLED: { text: 'cancelled', tone: 'tag-warn' },
  FLAGGED: { text: 'flagged', tone: '' },
};

/** Every task that an expert ever had, and what became of it. */
export function History() {
  const [result, again] = useQuery({ query: HistoryDocument, variables: { first: PAGE } });
  return (
    <div className="page">
      <h1>History</h1>
      <p className="hint">Times are in your zone ({zone()}).</p>
      <Loaded what="Your history" result={result} onRetry={() => again({ requestPolicy: 'network-only' })}>
        {(data) => <Assignments data={data} />}
      </Loaded>
    </div>
  );
}

function Assignments({ data }: { data: HistoryQuery }) {
  const further = useFurtherPages(HistoryDocument, pageAfter, assignmentsOf);
  const rows = [...assignmentsOf(data).edges.map(({ node }) => node), ...further.items];
  if (rows.length === 0) {
    return (
      <Notice title="No tasks yet">
        <p>What you work on is listed here, with your answer and what became of it.</p>
      </Notice>
    );
  }
  return (
    <>
      <Scrollable className="table-scroll" label="Your tasks">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col">State</th>
              <th scope="col">Answer</th>
              <th scope="col" className="number">
                Price
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.id} row={row} />
            ))}
          </tbody>
        </table>
      </Scrollable>
      <More
        isThere={(further.page ?? assignmentsOf(data).pageInfo).hasNextPage}
        isBusy={further.fetching}
        message={further.error?.message}
        onMore={() => void further.more(assignmentsOf(data))}
      />
    </>
  );
}

function Row({ row }: { row: Assignment }) {
  const { project, task, state, price } = row;
  const { text, tone } = STATES[state];
  return (
    <tr>
      <td>
        <div className="table-name">
          {told(project?.name ?? 'A project')}
          {task.externalId ? <span className="hint"> {told(task.externalId)}</span> : null}
        </div>
      </td>
      <td>
        <span className={`tag ${tone}`}>{text}</span>
      </td>
      <td>
        <Written row={row} />
      </td>
      <td className="number">{money(price)}</td>
    </tr>
  );
}

/** The answer that was handed in; else what was typed and never was. */
function Written({ row: { answer, draft } }: { row: Assignment }) {
  const work = answer ? null : fromDraft(draft?.body);
  if (answer) {
    return (
      <details>
        <summary>{instant(answer.submittedAt)}</summary>
        <pre className="answer">{shown(JSON.stringify(answer.body, null, 2))}</pre>
        {answer.confidence == null ? null : <span className="hint">{percent(answer.confidence)} sure</span>}
      </details>
    );
  }
  return draft && work !== null && !isEmpty(work) ? (
    <details>
      <summary>not handed in, saved {instant(draft.savedAt)}</summary>
      <pre className="answer">{shown(toldOf(work))}</pre>
      <span className="hint">
        Kept while the task can still be handed in, and for 30 days from when it was saved (the latest 100).
      </span>
    </details>
  ) : (
    '–'
  );
}
