import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { Button } from '../parts/button.js';
import { MATCHES_MAX } from './blocks.js';
import { findableIn, rangesOf } from './findable.js';

/** The page's key for finding (work/keys.ts). */
export const FIND_EVENT = 'touchstone:find';

interface FindProps {
  /** What is found in. */
  readonly container: RefObject<HTMLElement | null>;
  /** Shown before it is asked for: what is short is seen at a glance. */
  readonly isOffered: boolean;
  readonly sought: string;
  readonly onSought: (sought: string) => void;
  /** What the container shows already; follows `sought`, so that typing never waits. */
  readonly shown: string;
}

/** Finds in whatever a task shows; marks do not change it, so that selecting and copying work as before. */
export function Find({ container, isOffered, sought, onSought, shown }: FindProps) {
  const field = useRef<HTMLInputElement>(null);
  const [asked, setAsked] = useState(0);
  const { ranges, at, step } = useFound(container, shown);
  useEffect(() => {
    const ask = () => setAsked((before) => before + 1);
    addEventListener(FIND_EVENT, ask);
    return () => removeEventListener(FIND_EVENT, ask);
  }, []);
  useEffect(() => {
    if (asked > 0) {
      field.current?.focus();
    }
  }, [asked]);
  if (!isOffered && asked === 0) {
    return null;
  }
  const leave = () => {
    onSought('');
    setAsked(0);
    container.current?.focus({ preventScroll: true });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      step(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') {
      leave();
    } else {
      return;
    }
    event.preventDefault();
  };
  return (
    <search className="find">
      <input
        ref={field}
        className="react-aria-Input"
        type="search"
        aria-label="Find in the document"
        placeholder="Find ( / )"
        data-find
        value={sought}
        onChange={(event) => onSought(event.target.value)}
        onKeyDown={press}
      />
      <output>{sought === '' ? '' : countOf(ranges.length, at)}</output>
      <Button
        look="quiet"
        aria-label="Previous place"
        isDisabled={ranges.length === 0}
        onPress={() => step(-1)}
      >
        ↑
      </Button>
      <Button look="quiet" aria-label="Next place" isDisabled={ranges.length === 0} onPress={() => step(1)}>
        ↓
      </Button>
    </search>
  );
}

const NOWHERE: readonly Range[] = [];

/** Where it stands, sought again whenever something unfolds or comes later. */
function useFound(container: RefObject<HTMLElement | null>, sought: string) {
  const [ranges, setRanges] = useState(NOWHERE);
  const [at, setAt] = useState(0);
  useEffect(() => {
    const content = container.current;
    setAt(0);
    if (sought === '' || content === null) {
      setRanges(NOWHERE);
      return;
    }
    const look = () => setRanges(rangesOf(findableIn(content), sought));
    look();
    const changes = new MutationObserver(look);
    changes.observe(content, { childList: true, subtree: true });
    return () => changes.disconnect();
  }, [container, sought]);
  useEffect(() => mark(ranges, at), [ranges, at]);
  useEffect(() => unmark, []);
  const step = (by: number) => setAt((before) => (before + by + ranges.length) % Math.max(1, ranges.length));
  return { ranges, at: Math.min(at, Math.max(0, ranges.length - 1)), step };
}

function countOf(found: number, at: number): string {
  if (found === 0) {
    return 'not found';
  }
  return `${at + 1} of ${found === MATCHES_MAX ? `${MATCHES_MAX} or more` : found}`;
}

/** Marks hold on to the text that they are in: a document that is gone is let go. */
function unmark(): void {
  if ('highlights' in CSS) {
    CSS.highlights.delete('found');
    CSS.highlights.delete('found-here');
  }
}

function mark(ranges: readonly Range[], at: number): void {
  if (!('highlights' in CSS)) {
    return;
  }
  const here = ranges[at];
  CSS.highlights.set('found', new Highlight(...ranges));
  CSS.highlights.set('found-here', new Highlight(...(here ? [here] : [])));
  here?.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
  const box = here?.getBoundingClientRect();
  if (box && (box.top < 0 || box.bottom > innerHeight)) {
    scrollBy({ top: box.top - innerHeight / 2 });
  }
}
