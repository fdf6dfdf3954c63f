import type { ReactNode } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Label } from 'react-aria-components/Label';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField } from 'react-aria-components/TextField';
import type { FlagReason } from '../generated/graphql.js';
import { Button } from '../parts/button.js';
import type { Flag } from './draft.js';

const REASONS: readonly { value: FlagReason; label: string }[] = [
  { value: 'AMBIGUOUS', label: 'More than one answer is right' },
  { value: 'MISSING_CONTEXT', label: 'Something that is needed is not there' },
  { value: 'UNREADABLE', label: 'It cannot be opened or read' },
  { value: 'OFFENSIVE', label: 'It should not be shown to anybody' },
  { value: 'OTHER', label: 'Something else' },
];
const NOTE_MAX = 2_000;

export interface Opened {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function Window({
  isOpen,
  onClose,
  title,
  children,
}: Opened & { title: string; children: ReactNode }) {
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={(open) => (open ? undefined : onClose())}
      isDismissable
      className="overlay"
    >
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Says that a task cannot be answered, and why: an outcome like any other. */
export function FlagDialog({
  flag,
  onChange,
  onFlag,
  ...opened
}: Opened & {
  flag: Flag | null;
  onChange: (flag: Flag) => void;
  onFlag: (reason: FlagReason, note: string) => void;
}) {
  const { reason, note } = flag ?? { reason: null, note: '' };
  const isComplete = reason !== null && (reason !== 'OTHER' || note.trim() !== '');
  return (
    <Window {...opened} title="This task cannot be answered">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) {
            onFlag(reason, note.trim());
          }
        }}
      >
        <RadioGroup
          className="choices"
          value={reason}
          onChange={(value) =>
            onChange({ note, reason: REASONS.find((one) => one.value === value)?.value ?? null })
          }
        >
          <Label>Why?</Label>
          <div className="choices-list">
            {REASONS.map(({ value, label }) => (
              <Radio key={value} value={value} className="choice">
                {label}
              </Radio>
            ))}
          </div>
        </RadioGroup>
        <TextField value={note} onChange={(typed) => onChange({ reason, note: typed })} maxLength={NOTE_MAX}>
          <Label>In your words {reason === 'OTHER' ? '' : '(optional)'}</Label>
          <TextArea rows={3} />
        </TextField>
        <p className="hint">Nothing is booked for a flag; the next task comes at once.</p>
        <div className="dialog-actions">
          <Button onPress={opened.onClose}>Back to the task</Button>
          <Button look="main" type="submit" isDisabled={!isComplete}>
            Flag it
          </Button>
        </div>
      </form>
    </Window>
  );
}

export function GiveBackDialog({ onGiveBack, ...opened }: Opened & { onGiveBack: () => void }) {
  return (
    <Window {...opened} title="Give this task back?">
      <p>Somebody else gets it. What you wrote for it is not sent, and nothing is booked.</p>
      <div className="dialog-actions">
        <Button onPress={opened.onClose} autoFocus>
          Keep it
        </Button>
        <Button look="danger" onPress={onGiveBack}>
          Give it back
        </Button>
      </div>
    </Window>
  );
}
