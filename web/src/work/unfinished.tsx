import { useState } from 'react';
import { Button } from '../parts/button.js';
import { instant } from '../parts/format.js';
import { Scrollable } from '../parts/scrollable.js';
import type { Desk } from './desk.js';
import { toldOf } from './draft.js';

/** Texts of tasks that are not on the desk and were not handed in: to be read and copied, until they are thrown away. */
export function Unfinished({ desk }: { desk: Desk }) {
  const [texts, setTexts] = useState(() => desk.store.unfinished());
  if (texts.length === 0) {
    return null;
  }
  return (
    <details className="done done-alone">
      <summary>Unfinished on this device: {texts.length}</summary>
      <ul>
        {texts.map(({ assignmentId, work }) => (
          <li key={assignmentId}>
            {work.title}, {instant(new Date(work.changedAt).toISOString())}
            <Scrollable className="lost-work" label="What you wrote">
              <pre>{toldOf(work)}</pre>
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
