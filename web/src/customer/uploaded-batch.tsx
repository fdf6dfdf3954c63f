import { useEffect, useRef } from 'react';
import { useQuery } from 'urql';
import { BatchErrorsDocument } from '../generated/graphql.js';
import { told } from '../parts/bidi.js';
import { Loaded } from '../parts/states.js';
import { FaultyRows } from './faulty-rows.js';

const LOOK_MS = 1_000;

/** What becomes of an upload: its rows are stored one after another, and the faulty ones said. */
export function UploadedBatch({ batchId, onStored }: { batchId: string; onStored: () => void }) {
  const [result, again] = useQuery({ query: BatchErrorsDocument, variables: { batchId, first: 1 } });
  const node = result.data?.node;
  const batch = node?.__typename === 'Batch' ? node : null;
  const isStoring = batch === null || batch.state === 'STORING';
  const told = useRef(onStored);
  told.current = onStored;
  useEffect(() => {
    if (!isStoring) {
      told.current();
      return;
    }
    const timer = setInterval(() => again({ requestPolicy: 'network-only' }), LOOK_MS);
    return () => clearInterval(timer);
  }, [isStoring, again]);
  return (
    <div role="status" className="uploaded">
      <Loaded what="The upload" result={result} onRetry={() => again({ requestPolicy: 'network-only' })}>
        {() =>
          batch === null ? (
            <p className="fault">The batch is not there.</p>
          ) : (
            <Became batchId={batchId} batch={batch} />
          )
        }
      </Loaded>
    </div>
  );
}

interface BecameProps {
  readonly batchId: string;
  readonly batch: {
    state: string;
    failure?: string | null;
    taskCount: string;
    rowsDone: string;
    errorCount: string;
  };
}

function Became({ batchId, batch: { state, failure, taskCount, rowsDone, errorCount } }: BecameProps) {
  if (state === 'FAILED') {
    return <p className="fault">It could not be read: {told(failure ?? '')}</p>;
  }
  return (
    <>
      <p>
        {state === 'STORING'
          ? `Received; ${Number(rowsDone).toLocaleString()} rows are stored so far …`
          : `Stored: ${Number(taskCount).toLocaleString()} ${taskCount === '1' ? 'task' : 'tasks'} can be claimed.`}
      </p>
      {Number(errorCount) > 0 ? <FaultyRows batchId={batchId} count={errorCount} /> : null}
    </>
  );
}
