import { useState } from 'react';
import { useQuery } from 'urql';
import { useFurtherPages } from '../api/use-pages.js';
import { BatchErrorsDocument, type BatchErrorsQuery } from '../generated/graphql.js';
import { told } from '../parts/bidi.js';
import { More } from '../parts/more.js';
import { Loaded } from '../parts/states.js';

const PAGE = 50;
const NONE = { edges: [], pageInfo: { hasNextPage: false, endCursor: null } };

const errorsOf = ({ node }: BatchErrorsQuery) => (node?.__typename === 'Batch' ? node.errors : NONE);

/** Rows that are no tasks, each with why; asked for when they are opened. */
export function FaultyRows({ batchId, count }: { batchId: string; count: string }) {
  const [isOpen, setOpen] = useState(false);
  const rows =
    Number(count) === 1 ? '1 row is no task' : `${Number(count).toLocaleString()} rows are no tasks`;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="fault">{rows}</summary>
      {isOpen ? <Faults batchId={batchId} /> : null}
    </details>
  );
}

function Faults({ batchId }: { batchId: string }) {
  const [result, again] = useQuery({ query: BatchErrorsDocument, variables: { batchId, first: PAGE } });
  return (
    <Loaded what="Faulty rows" result={result} onRetry={() => again({ requestPolicy: 'network-only' })}>
      {(data) => <Rows batchId={batchId} first={errorsOf(data)} />}
    </Loaded>
  );
}

function Rows({ batchId, first }: { batchId: string; first: ReturnType<typeof errorsOf> }) {
  const pageAfter = (after: string) => ({ batchId, first: PAGE, after });
  const further = useFurtherPages(BatchErrorsDocument, pageAfter, errorsOf);
  const rows = [...first.edges.map(({ node }) => node), ...further.items];
  return (
    <>
      <ol className="faults">
        {rows.map(({ line, reason }) => (
          <li key={line}>
            Line {line}: {told(reason)}
          </li>
        ))}
      </ol>
      <More
        isThere={(further.page ?? first.pageInfo).hasNextPage}
        isBusy={further.fetching}
        message={further.error?.message}
        onMore={() => void further.more(first)}
      />
    </>
  );
}
