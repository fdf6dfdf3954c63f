import { told } from '../parts/bidi.js';
import { Named } from './named.js';
import type { Call, Fields, Part, Result, Turn } from './turns.js';
import { Value } from './value.js';

/** Who said what, in turn; tools that were called with what they were given, and what they answered. */
export function Conversation({ turns }: { turns: readonly Turn[] }) {
  const first = turns[0]?.who;
  return (
    <ol className="conversation">
      {turns.map(({ who, said, rest = [] }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns have nothing else that tells them apart
        <li key={index} className={who === first ? 'turn' : 'turn turn-other'}>
          <b>{told(who)}</b>
          {said.map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: nor have their parts
            <PartOf key={at} part={part} who={told(who)} />
          ))}
          <Named fields={rest} />
        </li>
      ))}
    </ol>
  );
}

function PartOf({ part, who }: { part: Part; who: string }) {
  if (typeof part === 'string') {
    return <Value value={part} label={`What ${who} shows`} />;
  }
  return part.kind === 'CALL' ? <CallOf call={part} /> : <ResultOf result={part} />;
}

function CallOf({ call: { name, input } }: { call: Call }) {
  const fields = fieldsOf(input);
  return (
    <section className="call" aria-label={`A call of ${told(name)}`}>
      <p>
        calls <code>{told(name)}</code>
        {fields?.length === 0 ? ' without anything' : ''}
      </p>
      {fields === null ? <Value value={input} label={told(name)} /> : <Named fields={fields} />}
    </section>
  );
}

function ResultOf({ result: { of, said } }: { result: Result }) {
  return (
    <section className="call" aria-label={`What ${told(of ?? 'a tool')} answered`}>
      <p>
        {of === null ? 'answer' : 'answer of '}
        {of === null ? null : <code>{told(of)}</code>}
        {said.length === 0 ? ': nothing' : ''}
      </p>
      {said.map((part, at) => {
        const fields = fieldsOf(part);
        // biome-ignore-start lint/suspicious/noArrayIndexKey: parts have nothing else that tells them apart
        return fields === null ? (
          <Value key={at} value={part} label={`What ${told(of ?? 'a tool')} shows`} />
        ) : (
          <Named key={at} fields={fields} />
        );
        // biome-ignore-end lint/suspicious/noArrayIndexKey: as above
      })}
    </section>
  );
}

/** An object with more is data, and shown as a tree. */
const MOST_FIELDS = 30;

/** What is given by name; nothing is none; null where it is something else. */
function fieldsOf(input: unknown): Fields | null {
  if (input === undefined || input === null) {
    return [];
  }
  const isNamed = typeof input === 'object' && !Array.isArray(input);
  const fields = isNamed ? Object.entries(input) : [];
  return isNamed && fields.length <= MOST_FIELDS ? fields : null;
}
