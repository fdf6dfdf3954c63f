import { type ReactNode, useState } from 'react';
import { Button } from '../parts/button.js';

/** Deeper and longer parts are opened on request. */
const OPEN_DEPTH = 2;
/** So many entries at a time. */
const STEP = 200;

/** JSON as it is, to be opened part by part. */
export function JsonTree({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }) {
  const label = name === undefined ? null : <span className="json-name">{name}: </span>;
  return typeof value === 'object' && value !== null ? (
    <Parts value={value} label={label} depth={depth} />
  ) : (
    <div className="json-line">
      {label}
      <span className={`json-${value === null ? 'null' : typeof value}`}>{JSON.stringify(value)}</span>
    </div>
  );
}

/** Laid out once it is opened. */
function Parts({ value, label, depth }: { value: object; label: ReactNode; depth: number }) {
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH);
  const entries = Object.entries(value);
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
  const rest = entries.length - shown;
  return (
    <div className="json-parts">
      {entries.slice(0, shown).map(([key, part]) => (
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
