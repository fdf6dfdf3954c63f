import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField } from 'react-aria-components/TextField';
import { told } from '../parts/bidi.js';
import { isJson } from './answer.js';
import { FieldLabel } from './field-label.js';
import type { FieldProps } from './field-view.js';

/** A number, shown as it was typed ("2.50"); half of one, or none, is kept as text until it is one. */
export function NumberField({ field, value, text: typed, fault, onChange }: FieldProps<'NUMBER'>) {
  const text = typed ?? (value === undefined ? '' : String(value));
  const range =
    field.min !== undefined && field.max !== undefined ? `${field.min} to ${field.max}` : undefined;
  return (
    <TextField
      value={text}
      onChange={(next) => onChange(numberFrom(next), next)}
      isInvalid={fault !== undefined || typeof value === 'string'}
      isRequired={field.isRequired}
      validationBehavior="aria"
    >
      <FieldLabel field={field} />
      <Input inputMode={field.step === 1 ? 'numeric' : 'decimal'} autoComplete="off" />
      {field.hint || range ? <Text slot="description">{told(field.hint ?? range ?? '')}</Text> : null}
      <FieldError>{fault ?? (typeof value === 'string' ? 'This is no number.' : undefined)}</FieldError>
    </TextField>
  );
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function numberFrom(typed: string): number | string | undefined {
  const trimmed = typed.trim().replace(',', '.');
  if (trimmed === '') {
    return undefined;
  }
  return DECIMAL.test(trimmed) && Number.isFinite(Number(trimmed)) ? Number(trimmed) : typed;
}

/** JSON as it is typed: the text is kept as it stands, and the answer as it was until the text is JSON. */
export function JsonField({ field, value, text: typed, fault, onChange }: FieldProps<'JSON'>) {
  const text = typed ?? (value === undefined ? '' : JSON.stringify(value, null, 2));
  const isBroken = !isJson(text);
  const change = (next: string) => {
    const parsed = () => (next.trim() === '' ? undefined : JSON.parse(next));
    onChange(isJson(next) ? parsed() : value, next);
  };
  return (
    <TextField
      value={text}
      onChange={change}
      isInvalid={isBroken || fault !== undefined}
      validationBehavior="aria"
    >
      <FieldLabel field={field} />
      <TextArea rows={6} spellCheck="false" className="react-aria-TextArea json" />
      <Text slot="description">{told(field.hint ?? 'As JSON')}</Text>
      <FieldError>{fault ?? (isBroken ? 'This is no JSON yet.' : undefined)}</FieldError>
    </TextField>
  );
}
