import { told } from '../parts/bidi.js';
import type { Fields } from './turns.js';
import { spoken, Value } from './value.js';

/** Values under their names, each as what it is. */
export function Named({ fields }: { fields: Fields }) {
  return fields.length === 0 ? null : (
    <dl className="named">
      {fields.map(([name, value]) => (
        <div key={name}>
          {name === '' ? null : <dt>{told(spoken(name))}</dt>}
          <dd>
            <Value value={value} label={name === '' ? 'What this task shows' : told(spoken(name))} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
