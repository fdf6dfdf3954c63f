import { type ReactNode, useMemo, useState } from 'react';
import { told } from '../parts/bidi.js';
import { Button } from '../parts/button.js';
import { LONG_TEXT } from './embedded.js';
import { isSpecial, Special } from './picture.js';
import { has, useSought } from './sought.js';
import { TextDocument } from './text-document.js';

/** Deeper and longer parts are opened on request. */
const OPEN_DEPTH = 2;
/** So many entries at a time. */
const STEP = 200;

/** JSON as it is, to be opened part by part; pictures that came in it are shown as such. */
export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }) {
  const label = name === undefined ? null : <span className="json-name">{told(name)}: </span>;
  return typeof value === 'object' && value !== null ? (
    <Parts value={value} label={label} depth={depth} />
  ) : (
    <div className="json-line">
      {label}
      {isSpecial(value) ? (
        <Special text={value} label={name ?? 'A value'} />
      ) : typeof value === 'string' && value.length > LONG_TEXT ? (
        <TextDocument text={value} />
      ) : (
        <span className={`json-${value === null ? 'null' : typeof value}`}>
          {told(JSON.stringify(value))}
        </span>
      )}
    </div>
  );
}

/** Laid out once it is opened, or something in it is sought. */
function Parts({ value, label, depth }: { value: object; label: ReactNode; depth: number }) {
  const [isOpened, setOpen] = useState(depth < OPEN_DEPTH);
  const sought = useSought();
  const isOpen = useMemo(() => has(value, sought), [value, sought]) || isOpened;
  const entries = useMemo(() => Object.entries(value), [value]);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <details
      className="json-line"
      open={isOpen}
      onToggle={(event) => {
        event.stopPropagation();
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        {label}
        <span className="hint">{size}</span>
      </summary>
      {isOpen ? <Entries entries={entries} depth={depth} /> : null}
    </details>
  );
}

function Entries({ entries, depth }: { entries: readonly [string, unknown][]; depth: number }) {
  const [shown, setShown] = useState(STEP);
  const sought = useSought();
  const listed = useMemo(
    () => entries.filter(([key, part], index) => index < shown || has(part, sought, key)),
    [entries, shown, sought],
  );
  const rest = entries.length - listed.length;
  return (
    <div className="json-parts">
      {listed.map(([key, part]) => (
        <JsonTree key={key} name={key} value={part} depth={depth + 1} />
      ))}
      {rest > 0 ? (
        <Button look="quiet" onPress={() => setShown(shown + STEP)}>
          Show {Math.min(rest, STEP)} more of {rest.toLocaleString()}
        </Button>
      ) : null}
    </div>
  );
}
