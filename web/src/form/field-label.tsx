import { Label } from 'react-aria-components/Label';
import { told } from '../parts/bidi.js';
import type { Field } from './fields.js';

/** What a field is called, and whether one may leave it out. */
export function FieldLabel({ field: { label, isRequired } }: { field: Field }) {
  return (
    <Label>
      {told(label)}
      {isRequired ? null : <span className="hint"> optional</span>}
    </Label>
  );
}
