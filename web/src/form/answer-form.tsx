import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField } from 'react-aria-components/TextField';
import { told } from '../parts/bidi.js';
import type { Work } from '../work/draft.js';
import { pointerOf, valueAt, withValue } from './answer.js';
import { FieldView } from './field-view.js';
import type { Field } from './fields.js';
import { TakeBack } from './take-back.js';

/** How sure one is: words, and what they stand for. */
export const CONFIDENCES = [
  { value: 0.5, label: 'Guessing' },
  { value: 0.7, label: 'Leaning' },
  { value: 0.85, label: 'Sure' },
  { value: 0.97, label: 'Certain' },
] as const;

interface AnswerFormProps {
  readonly fields: readonly Field[];
  readonly work: Work;
  readonly issues: readonly { readonly path: string; readonly message: string }[];
  /** The field that digits go to; its place in `fields`. */
  readonly active: number;
  readonly onActive: (index: number) => void;
  readonly onChange: (work: Work) => void;
}

/** The form of the task type, with a note for each criterion and how sure one is. */
export function AnswerForm({ fields, work, issues, active, onActive, onChange }: AnswerFormProps) {
  const change = (path: Field['path'], value: unknown, text?: string) =>
    onChange({
      ...work,
      answer: withValue(work.answer, path, value),
      texts: text === undefined ? work.texts : { ...work.texts, [pointerOf(path)]: text },
    });
  return (
    <div className="form">
      {fields.map((field, index) => {
        const pointer = pointerOf(field.path);
        const { notePath } = field;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: only looks where the focus is
          <div
            key={pointer}
            data-field={pointer}
            className={`field ${index === active && fields.length > 1 ? 'field-active' : ''}`}
            onFocus={() => onActive(index)}
          >
            <FieldView
              field={field}
              value={valueAt(work.answer, field.path)}
              text={work.texts[pointer]}
              fault={issues.find(({ path }) => path === pointer)?.message}
              onChange={(value, text) => change(field.path, value, text)}
            />
            {notePath ? (
              <Note
                label={field.label}
                text={valueAt(work.answer, notePath)}
                onChange={(text) => change(notePath, text === '' ? undefined : text)}
              />
            ) : null}
          </div>
        );
      })}
      <Confidence value={work.confidence} onChange={(confidence) => onChange({ ...work, confidence })} />
    </div>
  );
}

function Note({ label, text, onChange }: { label: string; text: unknown; onChange: (text: string) => void }) {
  return (
    <TextField
      className="note react-aria-TextField"
      aria-label={`Note on ${told(label)}`}
      value={typeof text === 'string' ? text : ''}
      onChange={onChange}
    >
      <TextArea rows={1} placeholder="Note (optional)" />
    </TextField>
  );
}

function Confidence({ value, onChange }: { value: number | null; onChange: (value: number | null) => void }) {
  return (
    <RadioGroup
      className="choices choices-scale confidence"
      value={value === null ? null : String(value)}
      onChange={(chosen) => onChange(Number(chosen))}
    >
      <Label>
        How sure are you? <span className="hint">optional</span>
      </Label>
      <div className="choices-list">
        {CONFIDENCES.map((one) => (
          <Radio key={one.value} value={String(one.value)} className="choice">
            {one.label}
          </Radio>
        ))}
      </div>
      <TakeBack isThere={value !== null} what="how sure you are" onPress={() => onChange(null)} />
    </RadioGroup>
  );
}
