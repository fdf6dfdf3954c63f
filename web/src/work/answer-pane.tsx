import { pointerOf } from '../form/answer.js';
import { AnswerForm } from '../form/answer-form.js';
import type { Field } from '../form/fields.js';
import { told } from '../parts/bidi.js';
import { Button } from '../parts/button.js';
import { money } from '../parts/format.js';
import { Loading } from '../parts/states.js';
import type { Desk } from './desk.js';
import type { Done, OnDesk } from './desk-state.js';

interface AnswerPaneProps {
  readonly desk: Desk;
  readonly onDesk: OnDesk;
  readonly fields: readonly Field[];
  readonly active: number;
  readonly onActive: (index: number) => void;
  readonly issues: OnDesk['issues'];
  readonly onSubmit: () => void;
  readonly onOpen: (what: 'FLAG' | 'KEYS' | 'GIVE_BACK') => void;
  readonly done: readonly Done[];
}

/** The form, and what one can do with the task. */
export function AnswerPane({
  desk,
  onDesk,
  fields,
  active,
  onActive,
  issues,
  onSubmit,
  onOpen,
  done,
}: AnswerPaneProps) {
  const places = new Set(fields.map(({ path }) => pointerOf(path)));
  const elsewhere = issues.filter(({ path }) => !places.has(path));
  const [fault] = issues.filter(({ path }) => places.has(path));
  return (
    <div className="answer-pane">
      {onDesk.elsewhere ? <Versions desk={desk} /> : null}
      {fields.length === 0 ? (
        <Loading what="the form" />
      ) : (
        <AnswerForm
          fields={fields}
          work={onDesk.work}
          issues={issues}
          active={active}
          onActive={onActive}
          onChange={(work) => desk.change(work)}
        />
      )}
      <p className="visually-hidden" role="alert">
        {told(fault?.message ?? '')}
      </p>
      {elsewhere.length > 0 ? (
        <ul className="fault" role="alert">
          {elsewhere.map(({ path, message }) => (
            <li key={path + message}>
              {told(path)} {told(message)}
            </li>
          ))}
        </ul>
      ) : null}
      <div className="actions">
        <Button look="main" hint="Enter" onPress={onSubmit}>
          Submit
        </Button>
        <Button look="quiet" hint="f" onPress={() => onOpen('FLAG')}>
          Flag
        </Button>
        <Button look="quiet" hint="b" onPress={() => onOpen('GIVE_BACK')}>
          Give back
        </Button>
        <Button look="quiet" aria-label="Keys" onPress={() => onOpen('KEYS')}>
          ?
        </Button>
      </div>
      <p className="hint">{told(onDesk.details?.routing?.explanation ?? '')}</p>
      {done.length > 0 ? <DoneList done={done} /> : null}
    </div>
  );
}

function Versions({ desk }: { desk: Desk }) {
  return (
    <section className="card versions" aria-label="Two versions">
      <p>This task was also worked on elsewhere. Which version do you go on with?</p>
      <div className="dialog-actions">
        <Button onPress={() => desk.settle('HERE')}>The one shown here</Button>
        <Button onPress={() => desk.settle('ELSEWHERE')}>The one from elsewhere</Button>
      </div>
    </section>
  );
}

const OUTCOMES = { ANSWERED: 'answered', FLAGGED: 'flagged', RELEASED: 'given back' } as const;

function DoneList({ done }: { done: readonly Done[] }) {
  return (
    <details className="done">
      <summary>Since you opened this page: {done.length === 20 ? 'the last 20' : done.length}</summary>
      <ul>
        {done.map(({ assignmentId, title, outcome, price }) => (
          <li key={assignmentId}>
            {title}: {OUTCOMES[outcome]}
            {price ? `, ${money(price)}` : ''}
          </li>
        ))}
      </ul>
    </details>
  );
}
