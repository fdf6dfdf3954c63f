import { useState } from 'react';
import { Checkbox } from 'react-aria-components/Checkbox';
import { Button } from '../parts/button.js';
import { type Opened, Window } from './dialogs.js';
import { areKeysOn, switchKeys } from './keys.js';

const KEYS: readonly (readonly [string, string])[] = [
  ['1 – 9', 'choose, in the field that is marked'],
  ['Enter', 'submit, and take the next task'],
  ['Ctrl + Enter', 'the same from within a text field'],
  ['c', 'how sure you are: the next degree'],
  ['d', 'what differs between two answers'],
  ['/', 'find in what the task shows'],
  ['g', 'guidelines'],
  ['f', 'flag: cannot be answered'],
  ['b', 'give the task back'],
  ['?', 'this list'],
  ['Esc', 'close'],
];

/** All keys, and the switch for those who want none of them. */
export function KeysDialog(opened: Opened) {
  const [areOn, setOn] = useState(areKeysOn);
  const choose = (next: boolean) => {
    switchKeys(next);
    setOn(next);
  };
  return (
    <Window {...opened} title="Keys">
      <dl className="keys">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Checkbox className="choice" isSelected={areOn} onChange={choose}>
        Single keys do these things (in this browser). Ctrl + Enter always submits.
      </Checkbox>
      <div className="dialog-actions">
        <Button look="main" onPress={opened.onClose} autoFocus>
          Close
        </Button>
      </div>
    </Window>
  );
}
