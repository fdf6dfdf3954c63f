import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { brokenIn, missingIn, pointerOf, valueAt, withValue } from '../form/answer.js';
import { CONFIDENCES } from '../form/answer-form.js';
import { type Field, fieldsOf } from '../form/fields.js';
import { told } from '../parts/bidi.js';
import { Boundary } from '../parts/boundary.js';
import { money } from '../parts/format.js';
import { Failed, Loading, Notice } from '../parts/states.js';
import { FIND_EVENT } from '../payload/find.js';
import { DIFF_EVENT } from '../payload/pair.js';
import { PayloadView } from '../payload/payload-view.js';
import { AnswerPane } from './answer-pane.js';
import type { Desk } from './desk.js';
import type { TaskType } from './desk-client.js';
import { type Done, type OnDesk, titleOf } from './desk-state.js';
import { FlagDialog, GiveBackDialog } from './dialogs.js';
import { useKeys } from './keys.js';
import { KeysDialog } from './keys-dialog.js';
import { LeaseLine, SavedLine } from './lease-line.js';
import { usePayload, useTaskType } from './use-desk.js';

const Markdown = lazy(() =>
  import('../payload/markdown.js').then((module) => ({ default: module.Markdown })),
);

type Opened = 'FLAG' | 'KEYS' | 'GIVE_BACK' | null;

interface WorkingProps {
  readonly desk: Desk;
  readonly onDesk: OnDesk;
  readonly isConnected: boolean;
  readonly isKeptHere: boolean;
  readonly trouble: string | null;
  readonly done: readonly Done[];
}

/** One task: what it shows, the guidelines, and the form. */
export function Working({ desk, onDesk, done, ...kept }: WorkingProps) {
  const type = useTaskType(desk, onDesk.details?.taskType?.id);
  const { payload, again } = usePayload(onDesk);
  const heading = useRef<HTMLHeadingElement>(null);
  const [opened, setOpened] = useState<Opened>(null);
  const [isGuided, setGuided] = useState(() => matchMedia('(min-width: 64rem)').matches);
  const fields = useMemo(() => (type.kind === 'READ' ? fieldsOf(type.value) : []), [type]);
  const notYet = useNotYet(onDesk, payload.kind === 'READ');
  const { active, setActive, missing, submit } = useAnswering({ desk, onDesk, fields, notYet });
  useEffect(() => {
    scrollTo({ top: 0 });
    heading.current?.focus({ preventScroll: true });
  }, []);
  useKeys({
    submit,
    digit: (digit) => chooseByDigit({ desk, onDesk, fields, active, setActive }, digit),
    letter: {
      '?': () => setOpened('KEYS'),
      f: () => setOpened('FLAG'),
      b: () => setOpened('GIVE_BACK'),
      g: () => setGuided((before) => !before),
      d: () => dispatchEvent(new Event(DIFF_EVENT)),
      c: () => desk.change({ ...onDesk.work, confidence: nextConfidence(onDesk.work.confidence) }),
      '/': () => dispatchEvent(new Event(FIND_EVENT)),
    },
  });
  const close = () => setOpened(null);
  return (
    <div className="work">
      <div className="work-head">
        <h1 ref={heading} tabIndex={-1}>
          {titleOf(onDesk.held, onDesk.details)}
        </h1>
        <span className="price">{money(onDesk.held.price)}</span>
        <LeaseLine desk={onDesk} isConnected={kept.isConnected} />
        <SavedLine desk={onDesk} {...kept} />
      </div>
      <section className="work-payload" aria-label="The task">
        {payload.kind === 'READ' ? (
          <Boundary instead={<Unshowable />}>
            <PayloadView payload={payload.value} />
          </Boundary>
        ) : null}
        {payload.kind === 'READING' ? <Loading what="the task" /> : null}
        {payload.kind === 'REFUSED' ? (
          <Failed what="The task" message={payload.message} onRetry={again} />
        ) : null}
      </section>
      <aside className="work-side" aria-label="Your answer">
        {type.kind === 'READ' ? (
          <Boundary instead={<p className="fault">The guidelines cannot be shown. Load the page again.</p>}>
            <Guidelines type={type.value} isOpen={isGuided} onToggle={setGuided} />
          </Boundary>
        ) : null}
        {type.kind === 'REFUSED' ? (
          <Failed what="The form" message={type.message} onRetry={() => desk.retry()} />
        ) : null}
        <AnswerPane
          desk={desk}
          onDesk={onDesk}
          fields={fields}
          active={active}
          onActive={setActive}
          issues={[...onDesk.issues, ...missing]}
          onSubmit={submit}
          onOpen={setOpened}
          done={done}
        />
      </aside>
      <FlagDialog
        isOpen={opened === 'FLAG'}
        onClose={close}
        flag={onDesk.work.flag}
        onChange={(flag) => desk.change({ ...onDesk.work, flag })}
        onFlag={(reason, note) => void desk.end({ kind: 'FLAG', reason, note })}
      />
      <GiveBackDialog
        isOpen={opened === 'GIVE_BACK'}
        onClose={close}
        onGiveBack={() => void desk.end({ kind: 'RELEASE' })}
      />
      <KeysDialog isOpen={opened === 'KEYS'} onClose={close} />
    </div>
  );
}

function Unshowable() {
  return (
    <Notice title="This task cannot be shown here" tone="bad">
      <p>
        Load the page again. If that does not help, flag the task, or give it back: nobody can answer unseen.
      </p>
    </Notice>
  );
}

interface Answering {
  readonly desk: Desk;
  readonly onDesk: OnDesk;
  readonly fields: readonly Field[];
  /** Why nothing can be submitted just now: a sentence, or nothing to be said of it; null: it can. */
  readonly notYet: () => string | null;
}

/** Within this time nobody has seen a task: the key was meant for the one before. */
const UNSEEN_MS = 300;

/** Nothing is said of what nobody could see: a second Enter goes nowhere. Who has changed something has seen it. */
function useNotYet({ elsewhere, version }: OnDesk, isShown: boolean): () => string | null {
  const shown = useRef({ at: 0, version: 0 });
  const latest = useRef(version);
  latest.current = version;
  useEffect(() => {
    if (isShown) {
      shown.current = { at: performance.now(), version: latest.current };
    }
  }, [isShown]);
  return () => {
    if (elsewhere !== null) {
      return 'There are two versions: choose the one to go on with.';
    }
    if (!isShown) {
      return 'The task is not shown yet: nothing was submitted.';
    }
    const isUntouched = version === shown.current.version;
    return isUntouched && performance.now() - shown.current.at < UNSEEN_MS ? '' : null;
  };
}

/** Which field digits go to, and what is missing once somebody has tried to submit. */
function useAnswering({ desk, onDesk, fields, notYet }: Answering) {
  const [active, setActive] = useState(0);
  const [isTried, setTried] = useState(false);
  const [held, setHeld] = useState<string | null>(null);
  const faults = [...missingIn(fields, onDesk.work.answer), ...brokenIn(fields, onDesk.work.texts)];
  const missing = [...(isTried ? faults : []), ...(held ? [{ path: '', message: held }] : [])];
  const submit = () => {
    if (fields.length === 0) {
      return;
    }
    const [first] = faults;
    const why = first === undefined ? notYet() : null;
    setHeld(why);
    if (why !== null) {
      return;
    }
    if (first === undefined) {
      void desk.end({ kind: 'ANSWER' });
      return;
    }
    setTried(true);
    setActive(
      Math.max(
        0,
        fields.findIndex(({ path }) => pointerOf(path) === first.path),
      ),
    );
    focusField(first.path);
  };
  return { active, setActive, missing, submit };
}

/** What is missing is where one goes on; a choice keeps the keys that choose. */
function focusField(pointer: string): void {
  const field = document.querySelector(`[data-field="${CSS.escape(pointer)}"]`);
  field?.querySelector<HTMLElement>('input:not([type=search]), textarea')?.focus();
}

interface Choosing {
  readonly desk: Desk;
  readonly onDesk: OnDesk;
  readonly fields: readonly Field[];
  readonly active: number;
  readonly setActive: (index: number) => void;
}

/** Chooses in the marked field, and goes on to the next one that has nothing yet. */
function chooseByDigit({ desk, onDesk: { work }, fields, active, setActive }: Choosing, digit: string): void {
  const field = fields[active];
  if (field === undefined || (field.kind !== 'ONE_OF' && field.kind !== 'SOME_OF')) {
    return;
  }
  const option = field.options.find(({ key }) => key === digit);
  if (option === undefined) {
    return;
  }
  const before = valueAt(work.answer, field.path);
  const list = Array.isArray(before) ? before : [];
  // In the order of the options, as by mouse: the same choice is the same answer.
  const some = field.options
    .map(({ value }) => value)
    .filter((value) => list.includes(value) !== (value === option.value));
  const answer = withValue(work.answer, field.path, field.kind === 'ONE_OF' ? option.value : some);
  desk.change({ ...work, answer });
  if (field.kind === 'ONE_OF') {
    const next = fields.findIndex((one, index) => index > active && valueAt(answer, one.path) === undefined);
    setActive(next === -1 ? active : next);
  }
}

function nextConfidence(before: number | null): number | null {
  const at = CONFIDENCES.findIndex(({ value }) => value === before);
  return CONFIDENCES[at + 1]?.value ?? null;
}

function Guidelines({
  type,
  isOpen,
  onToggle,
}: {
  type: TaskType;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
}) {
  return type.instructions.trim() === '' ? (
    <h2>{told(type.name)}</h2>
  ) : (
    <details
      className="guidelines"
      open={isOpen}
      onToggle={(event) => onToggle((event.target as HTMLDetailsElement).open)}
    >
      <summary>
        <h2>{told(type.name)}</h2>{' '}
        <span className="key" aria-hidden="true">
          g
        </span>
      </summary>
      <Suspense fallback={<p className="hint">Loading the guidelines …</p>}>
        <Markdown text={type.instructions} />
      </Suspense>
    </details>
  );
}
