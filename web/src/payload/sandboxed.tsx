import { useMemo, useState } from 'react';
import { Button } from '../parts/button.js';
import { useSought } from './sought.js';
import { TextDocument } from './text-document.js';

/** HTML of somebody else's: no scripts, no forms, no reach beyond its frame; what it would fetch, the page's policy refuses. */
export function Sandboxed({ html }: { html: string }) {
  const [shown, setShown] = useState(0);
  const [isText, setText] = useState(false);
  const sought = useSought();
  if (isText || sought !== '') {
    return <AsText html={html} onBack={sought === '' ? () => setText(false) : null} />;
  }
  return (
    <>
      <iframe
        key={shown}
        className="sandboxed"
        title="The task’s document"
        sandbox=""
        srcDoc={`${NO_WAY_OUT}${html}`}
      />
      <p className="hint">
        While you are in the document its own keys work, and none of this page: click beside it to go on here.{' '}
        <Button look="quiet" onPress={() => setShown(shown + 1)}>
          Show it anew
        </Button>
        <Button look="quiet" onPress={() => setText(true)}>
          Show its text alone
        </Button>
      </p>
    </>
  );
}

/** Links lead to windows that the sandbox does not open, instead of putting something else in the document's place. */
const NO_WAY_OUT = '<base target="_blank">';

/** What it says without how it looks: into its frame nobody sees, nor can anything be found there. */
function AsText({ html, onBack }: { html: string; onBack: (() => void) | null }) {
  const text = useMemo(() => textOf(html), [html]);
  return (
    <>
      <p className="hint">
        The document’s text alone{onBack === null ? ', for as long as something is sought in it.' : '.'}{' '}
        {onBack === null ? null : (
          <Button look="quiet" onPress={onBack}>
            Show the document
          </Button>
        )}
      </p>
      <TextDocument text={text} />
    </>
  );
}

/** What ends a line where it ends. */
const LINES = 'p, div, li, tr, h1, h2, h3, h4, h5, h6, pre, blockquote, section, article, dt, dd, br';

/** Read by a parser that runs and fetches nothing of it. */
function textOf(html: string): string {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const unseen of body.querySelectorAll('script, style, template, noscript')) {
    unseen.remove();
  }
  for (const line of body.querySelectorAll(LINES)) {
    line.after('\n');
  }
  return (body.textContent ?? '').replace(/[ \t]*\n\s*\n\s*/g, '\n\n').trim();
}
