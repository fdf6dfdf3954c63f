import { useState } from 'react';
import { Checkbox } from 'react-aria-components/Checkbox';
import { CheckboxGroup } from 'react-aria-components/CheckboxGroup';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField } from 'react-aria-components/TextField';
import { told } from '../parts/bidi.js';
import { FieldLabel } from './field-label.js';
import type { Field, Option } from './fields.js';
import { TakeBack } from './take-back.js';
import { JsonField, NumberField } from './typed-fields.js';

export interface FieldProps<Kind extends Field['kind'] = Field['kind']> {
  readonly field: Extract<Field, { kind: Kind }>;
  readonly value: unknown;
  readonly fault: string | undefined;
  /** As it was typed, where that is more than the value. */
  readonly text?: string | undefined;
  readonly onChange: (value: unknown, text?: string) => void;
}

/** From so many options on, one types to find one. */
const SEARCHED_FROM = 13;

export function FieldView({ field, ...rest }: FieldProps) {
  switch (field.kind) {
    case 'ONE_OF':
      return <OneOf field={field} {...rest} />;
    case 'SOME_OF':
      return <SomeOf field={field} {...rest} />;
    case 'TEXT':
      return <TextOf field={field} {...rest} />;
    case 'NUMBER':
      return <NumberField field={field} {...rest} />;
    case 'JSON':
      return <JsonField field={field} {...rest} />;
    default:
      return field satisfies never;
  }
}

const keyOf = (value: unknown): string => JSON.stringify(value) ?? '';

function OneOf({ field, value, fault, onChange }: FieldProps<'ONE_OF'>) {
  const [sought, setSought] = useState('');
  const isLong = field.options.length >= SEARCHED_FROM;
  const shown = field.options.filter(({ label }) => label.toLowerCase().includes(sought.toLowerCase()));
  return (
    <RadioGroup
      className={`choices ${field.isScale ? 'choices-scale' : ''} ${isLong ? 'choices-long' : ''}`}
      value={value === undefined ? null : keyOf(value)}
      onChange={(chosen) => onChange(field.options.find((option) => keyOf(option.value) === chosen)?.value)}
      isInvalid={fault !== undefined}
      isRequired={field.isRequired}
      validationBehavior="aria"
    >
      <FieldLabel field={field} />
      {field.hint ? <Text slot="description">{told(field.hint)}</Text> : null}
      {isLong ? (
        <input
          className="react-aria-Input"
          type="search"
          placeholder="Find an option"
          aria-label={`Find an option of ${told(field.label)}`}
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
      ) : null}
      <div className="choices-list">
        {shown.map((option) => (
          <Radio key={keyOf(option.value)} value={keyOf(option.value)} className="choice">
            <Hint option={option} isScale={field.isScale} />
            <span>{told(option.label)}</span>
          </Radio>
        ))}
      </div>
      <TakeBack
        isThere={!field.isRequired && value !== undefined}
        what={told(field.label)}
        onPress={() => onChange(undefined)}
      />
      <FieldError>{told(fault ?? '')}</FieldError>
    </RadioGroup>
  );
}

/** A score that is its own key needs no second one. */
function Hint({ option: { key, label }, isScale }: { option: Option; isScale: boolean }) {
  return key === null || (isScale && key === label) ? null : (
    <span className="key" aria-hidden="true">
      {key}
    </span>
  );
}

function SomeOf({ field, value, fault, onChange }: FieldProps<'SOME_OF'>) {
  const chosen = Array.isArray(value) ? value.map(keyOf) : [];
  return (
    <CheckboxGroup
      className="choices"
      value={chosen}
      onChange={(keys) =>
        onChange(
          field.options.filter((option) => keys.includes(keyOf(option.value))).map((option) => option.value),
        )
      }
      isInvalid={fault !== undefined}
      validationBehavior="aria"
    >
      <FieldLabel field={field} />
      {field.hint ? <Text slot="description">{told(field.hint)}</Text> : null}
      <div className="choices-list">
        {field.options.map((option) => (
          <Checkbox key={keyOf(option.value)} value={keyOf(option.value)} className="choice">
            <Hint option={option} isScale={false} />
            <span>{told(option.label)}</span>
          </Checkbox>
        ))}
      </div>
      <FieldError>{told(fault ?? '')}</FieldError>
    </CheckboxGroup>
  );
}

function TextOf({ field, value, fault, onChange }: FieldProps<'TEXT'>) {
  const text = typeof value === 'string' ? value : '';
  const isShort = field.maxLength !== undefined && field.maxLength <= 80;
  return (
    <TextField
      value={text}
      onChange={(typed) => onChange(typed === '' ? undefined : typed)}
      isInvalid={fault !== undefined}
      isRequired={field.isRequired}
      validationBehavior="aria"
    >
      <FieldLabel field={field} />
      {isShort ? <Input /> : <TextArea rows={4} />}
      {field.hint ? <Text slot="description">{told(field.hint)}</Text> : null}
      {field.maxLength !== undefined && text.length > field.maxLength * 0.8 ? (
        <span className="hint">
          {text.length} of {field.maxLength} characters
        </span>
      ) : null}
      <FieldError>{told(fault ?? '')}</FieldError>
    </TextField>
  );
}
