import { memo, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../parts/button.js';
import { blocksOf, findIn, MATCHES_MAX, type Match } from './blocks.js';

/** Shorter texts are seen at a glance. */
const FIND_FROM_CHARACTERS = 1_500;

/** Plain text of any length: megabytes stay as quick as a page, for only what is seen is laid out. */
export function TextDocument({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  const container = useRef<HTMLDivElement>(null);
  return (
    <div className="document">
      {text.length >= FIND_FROM_CHARACTERS ? <Find blocks={blocks} container={container} /> : null}
      <div className={`document-text ${isCode ? 'document-code' : ''}`} ref={container}>
        {blocks.map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are told apart by their place alone
          <Block key={index} text={block} />
        ))}
      </div>
    </div>
  );
}

const Block = memo(({ text }: { text: string }) => <div className="document-block">{text}</div>);

/** Finds in the document; marks do not change it, so that selecting and copying work as before. */
function Find({
  blocks,
  container,
}: {
  blocks: readonly string[];
  container: React.RefObject<HTMLDivElement | null>;
}) {
  const [sought, setSought] = useState('');
  const [current, setCurrent] = useState(0);
  const deferred = useDeferredValue(sought);
  const matches = useMemo(() => findIn(blocks, deferred), [blocks, deferred]);
  useEffect(() => mark(container.current, matches, current), [container, matches, current]);
  useEffect(() => unmark, []);
  const step = (by: number) => setCurrent((at) => (at + by + matches.length) % Math.max(1, matches.length));
  return (
    <search className="find">
      <input
        className="react-aria-Input"
        type="search"
        aria-label="Find in the document"
        placeholder="Find ( / )"
        data-find
        value={sought}
        onChange={(event) => {
          setSought(event.target.value);
          setCurrent(0);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault();
            step(event.shiftKey ? -1 : 1);
          }
        }}
      />
      <output>{sought === '' ? '' : countOf(matches, current)}</output>
      <Button
        look="quiet"
        aria-label="Previous place"
        isDisabled={matches.length === 0}
        onPress={() => step(-1)}
      >
        ↑
      </Button>
      <Button look="quiet" aria-label="Next place" isDisabled={matches.length === 0} onPress={() => step(1)}>
        ↓
      </Button>
    </search>
  );
}

function countOf(matches: readonly Match[], current: number): string {
  if (matches.length === 0) {
    return 'not found';
  }
  const all = matches.length === MATCHES_MAX ? `${MATCHES_MAX} or more` : String(matches.length);
  return `${current + 1} of ${all}`;
}

/** Marks hold on to the text that they are in: a document that is gone is let go. */
function unmark(): void {
  if ('highlights' in CSS) {
    CSS.highlights.delete('found');
    CSS.highlights.delete('found-here');
  }
}

function mark(container: HTMLElement | null, matches: readonly Match[], current: number): void {
  if (container === null || !('highlights' in CSS)) {
    return;
  }
  const ranges = matches.flatMap((match) => rangeOf(container, match) ?? []);
  const here = ranges[current];
  CSS.highlights.set('found', new Highlight(...ranges));
  CSS.highlights.set('found-here', new Highlight(...(here ? [here] : [])));
  here?.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
  const box = here?.getBoundingClientRect();
  if (box && (box.top < 0 || box.bottom > innerHeight)) {
    container.ownerDocument.defaultView?.scrollBy({ top: box.top - innerHeight / 2 });
  }
}

function rangeOf(container: HTMLElement, { start, end }: Match): Range | null {
  const [first, last] = [textOf(container, start), textOf(container, end)];
  if (first === null || last === null) {
    return null;
  }
  const range = new Range();
  range.setStart(first, start.at);
  range.setEnd(last, end.at);
  return range;
}

/** The text of a block, where it is long enough to have that place. */
function textOf(container: HTMLElement, { block, at }: Match['start']): Node | null {
  const text = container.children[block]?.firstChild;
  return text && at <= (text.nodeValue?.length ?? 0) ? text : null;
}
