import { useEffect, useRef, useState } from 'react';
import { shown, told } from '../parts/bidi.js';
import { Button } from '../parts/button.js';
import { duration } from '../parts/format.js';
import { Scrollable } from '../parts/scrollable.js';
import { Loading, Notice } from '../parts/states.js';
import type { Desk } from './desk.js';
import type { DeskState } from './desk-state.js';
import { toldOf } from './draft.js';

/** Asking sooner than this would only be hammering. */
const ASK_AFTER_MS = 5_000;

type Between = Exclude<DeskState, { kind: 'WORKING' }>;

interface BetweenProps {
  readonly desk: Desk;
  readonly state: Between;
  readonly isConnected: boolean;
  readonly isKeptHere: boolean;
}

/** What is shown when there is no task on the desk, and why. It is said, and has the focus that the task had. */
export function BetweenTasks(props: BetweenProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { kind } = props.state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each state that is come to
  useEffect(() => {
    if (!frame.current?.contains(document.activeElement)) {
      frame.current?.focus({ preventScroll: true });
    }
  }, [kind]);
  return (
    <div ref={frame} className="between" tabIndex={-1} role={ALARMING.has(kind) ? 'alert' : 'status'}>
      <Shown {...props} />
    </div>
  );
}

const ALARMING: ReadonlySet<Between['kind']> = new Set(['LOST', 'FAILED', 'OTHER_TAB']);

function Shown({ desk, state, isConnected, isKeptHere }: BetweenProps) {
  switch (state.kind) {
    case 'OPENING':
    case 'CLAIMING':
      return isConnected ? <Loading what="the next task" /> : <Offline />;
    case 'READY':
      return (
        <Notice
          title="Ready when you are"
          action={
            <Button look="main" hint="Enter" onPress={() => void desk.claim()} autoFocus>
              Take a task
            </Button>
          }
        >
          <p>
            A task is yours for a limited time, which grows while you work on it. You can always give it back.
          </p>
        </Notice>
      );
    case 'OTHER_TAB':
      return (
        <Notice
          title="You are working in another tab"
          tone="warn"
          action={
            <Button look="main" onPress={() => desk.takeOver()} autoFocus>
              Work here instead
            </Button>
          }
        >
          <p>Nothing is lost: what you typed there is here as well when you go on.</p>
        </Notice>
      );
    case 'SENDING':
      return <Sending title={state.title} isConnected={isConnected} isKeptHere={isKeptHere} />;
    case 'EMPTY':
      return <Empty desk={desk} state={state} />;
    case 'LOST':
      return <Lost desk={desk} state={state} />;
    case 'FAILED':
      return (
        <Notice
          title="Something went wrong"
          tone="bad"
          action={<Button onPress={() => desk.retry()}>Try again</Button>}
        >
          <p>{told(state.message)}</p>
          <p>{isKeptHere ? 'What you typed is kept on this device.' : UNKEPT}</p>
        </Notice>
      );
    default:
      return state satisfies never;
  }
}

function Offline() {
  return (
    <Notice title="No connection" tone="warn">
      <p>The server cannot be reached. This goes on by itself when it can.</p>
    </Notice>
  );
}

const UNKEPT = 'This browser’s storage takes nothing: what you typed is on this page alone. Do not close it.';

function Sending({
  title,
  isConnected,
  isKeptHere,
}: {
  title: string;
  isConnected: boolean;
  isKeptHere: boolean;
}) {
  return isConnected ? (
    <Loading what="the next task" />
  ) : (
    <Notice title="Your answer is waiting to be sent" tone="warn">
      <p>
        {title}: it is sent by itself as soon as the server can be reached.{' '}
        {isKeptHere
          ? 'It is kept on this device, and you may close the page: it is sent when you come back.'
          : UNKEPT}
      </p>
    </Notice>
  );
}

function Empty({
  desk,
  state: { empty, againAt },
}: {
  desk: Desk;
  state: Extract<Between, { kind: 'EMPTY' }>;
}) {
  const now = useNow();
  const [shownAt] = useState(() => performance.now());
  return (
    <Notice
      title="Nothing to do just now"
      action={
        <Button isDisabled={now - shownAt < ASK_AFTER_MS} onPress={() => void desk.claim()}>
          Ask now
        </Button>
      }
    >
      <p>{told(empty.message)}</p>
      <p className="hint">
        Asked again by itself in {duration((againAt - now) / 1000)}. You can leave this open, or do something
        else.
      </p>
    </Notice>
  );
}

function useNow(): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** The truth of what became of it, and the work to be copied. */
function Lost({
  desk,
  state: { lost, work, title },
}: {
  desk: Desk;
  state: Extract<Between, { kind: 'LOST' }>;
}) {
  const text = toldOf(work);
  const [copied, setCopied] = useState<'NOT_YET' | 'YES' | 'REFUSED'>('NOT_YET');
  const copy = async () => setCopied((await copiedText(text)) ? 'YES' : 'REFUSED');
  return (
    <Notice
      title={TITLES[lost.code] ?? 'This task is no longer yours'}
      tone="warn"
      action={
        <>
          <Button look="main" onPress={() => void desk.leaveLost()}>
            Next task
          </Button>
          <Button onPress={() => void copy()}>{copied === 'YES' ? 'Copied' : 'Copy what I wrote'}</Button>
        </>
      }
    >
      <p>
        <b>{title}</b>: {told(lost.message)}
      </p>
      <p>
        {DONE.has(lost.code) ? '' : 'Nothing was booked for it. '}What you wrote stays on this device, until
        you throw it away:
      </p>
      {copied === 'REFUSED' ? (
        <p className="fault" role="alert">
          This browser lets no page copy. Mark the text below, and copy it by hand.
        </p>
      ) : null}
      <Scrollable className="lost-work" label="What you wrote">
        <pre>{shown(text)}</pre>
      </Scrollable>
    </Notice>
  );
}

/** Pages that came over plain http from elsewhere have no clipboard, and it may be refused. */
async function copiedText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const TITLES: Readonly<Record<string, string>> = {
  SLOT_TAKEN: 'The time was over, and this task can no longer be taken back',
  LEASE_EXPIRED: 'The time was over, and this task can no longer be taken back',
  LEASE_WITHDRAWN: 'This task was taken back by an operator',
  PROJECT_CANCELLED: 'The project was cancelled',
  HOLDS_ANOTHER: 'The time was over, and you hold another task now',
  NOT_QUALIFIED: 'You may not take this task any more',
  ALREADY_SUBMITTED: 'This task was answered already',
  ALREADY_FLAGGED: 'This task was flagged already',
};

/** It was given before, and counts. */
const DONE: ReadonlySet<string> = new Set(['ALREADY_SUBMITTED', 'ALREADY_FLAGGED']);
