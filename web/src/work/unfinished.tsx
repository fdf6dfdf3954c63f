import { useEffect, useState } from 'react';
import { shown } from '../parts/bidi.js';
import { Button } from '../parts/button.js';
import { instant } from '../parts/format.js';
import { Scrollable } from '../parts/scrollable.js';
import type { Desk } from './desk.js';
import { toldOf } from './draft.js';
import { KEPT_DAYS, KEPT_MOST, letOrphansGo } from './orphans.js';

/** Texts of tasks that are not on the desk and were not handed in: to be read and copied, until they are thrown away. */
export function Unfinished({ desk }: { desk: Desk }) {
  const [texts, setTexts] = useState(() => desk.store.unfinished());
  useEffect(() => {
    let isShown = true;
    void letOrphansGo(desk.client, desk.store).then(() => isShown && setTexts(desk.store.unfinished()));
    return () => {
      isShown = false;
    };
  }, [desk]);
  if (texts.length === 0) {
    return null;
  }
  const told = () => desk.store.tellWork(texts.map(({ assignmentId }) => assignmentId));
  return (
    <details
      className="done done-alone"
      onToggle={(event) => {
        if (event.currentTarget.open) {
          told();
        }
      }}
    >
      <summary>Unfinished on this device: {texts.length}</summary>
      <p className="hint">
        Kept until you throw them away. Where a task is over, or the server has the text too (see History),
        for {KEPT_DAYS} days after you were shown it here, and the latest {KEPT_MOST} at most.
      </p>
      <ul>
        {texts.map(({ assignmentId, work }) => (
          <li key={assignmentId}>
            {work.title}, {instant(new Date(work.changedAt).toISOString())}
            <Scrollable className="lost-work" label="What you wrote">
              <pre>{shown(toldOf(work))}</pre>
            </Scrollable>
            <Button
              look="danger"
              onPress={() => {
                desk.store.dropWork(assignmentId);
                setTexts(desk.store.unfinished());
              }}
            >
              Throw it away
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}
