import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { Button } from '../parts/button.js';
import { bytes } from '../parts/format.js';
import { Scrollable } from '../parts/scrollable.js';
import { Loading, Notice } from '../parts/states.js';
import { isDeeper } from './depth.js';
import { JsonTree } from './json-tree.js';
import type { Payload } from './load.js';
import { Pair } from './pair.js';
import { type Fields, type Shape, shapeOf, type Turn } from './shape.js';
import { TextDocument } from './text-document.js';

const Markdown = lazy(() => import('./markdown.js').then((module) => ({ default: module.Markdown })));
const Code = lazy(() => import('./code.js').then((module) => ({ default: module.Code })));

/** A tree of more text than this would be too much for a page: it is shown as text. */
const TREE_CHARACTERS = 200_000;
/** So is what is nested deeper: nobody reads it as a tree, and a page that lays it out may break. */
const TREE_DEPTH = 50;

/** What a task shows. Nothing of it runs, is fetched from elsewhere, or reaches the page around it. */
export function PayloadView({ payload }: { payload: Payload }) {
  return (
    <div className="payload">
      <Suspense fallback={<Loading what="the task" />}>
        <Content payload={payload} />
      </Suspense>
      {'text' in payload ? <AsItCame text={payload.text} /> : null}
    </div>
  );
}

function Content({ payload }: { payload: Payload }) {
  switch (payload.kind) {
    case 'TEXT':
      return <TextDocument text={payload.text} />;
    case 'MARKDOWN':
      return <Markdown text={payload.text} />;
    case 'CODE':
      return <Code text={payload.text} language={payload.language} />;
    case 'HTML':
      return <Sandboxed html={payload.text} />;
    case 'JSON':
      return payload.text.length > TREE_CHARACTERS || isDeeper(payload.text, TREE_DEPTH) ? (
        <TextDocument text={payload.text} isCode />
      ) : (
        <Shaped shape={shapeOf(payload.value)} />
      );
    case 'IMAGE':
      return <Picture blob={payload.blob} />;
    case 'FILE':
      return <Download blob={payload.blob} type={payload.type} />;
    default:
      return payload satisfies never;
  }
}

/** Text that is shown in some way is to be had without it, too. */
function AsItCame({ text }: { text: string }) {
  const blob = useMemo(() => new Blob([text], { type: 'text/plain' }), [text]);
  const url = useUrl(blob);
  return url === null ? null : (
    <p className="as-it-came hint">
      <a href={url} download="payload.txt">
        Download it as it came
      </a>{' '}
      ({bytes(blob.size)})
    </p>
  );
}

function Shaped({ shape }: { shape: Shape }) {
  switch (shape.kind) {
    case 'PAIR':
      return (
        <>
          <Named fields={shape.rest} />
          <Pair left={shape.left} right={shape.right} />
        </>
      );
    case 'CONVERSATION':
      return (
        <>
          <Named fields={shape.rest} />
          <Conversation turns={shape.turns} />
        </>
      );
    case 'CODE':
      return (
        <>
          <Named fields={shape.rest} />
          <Code text={shape.text} language={shape.language} />
        </>
      );
    case 'FIELDS':
      return <Named fields={shape.fields} />;
    case 'TREE':
      return <JsonTree value={shape.value} />;
    default:
      return shape satisfies never;
  }
}

/** Values under their names, each as what it is. */
function Named({ fields }: { fields: Fields }) {
  return fields.length === 0 ? null : (
    <dl className="named">
      {fields.map(([name, value]) => (
        <div key={name}>
          {name === '' ? null : <dt>{spoken(name)}</dt>}
          <dd>{typeof value === 'string' ? <TextDocument text={value} /> : <JsonTree value={value} />}</dd>
        </div>
      ))}
    </dl>
  );
}

const spoken = (name: string): string =>
  name
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

function Conversation({ turns }: { turns: readonly Turn[] }) {
  const first = turns[0]?.who;
  return (
    <ol className="conversation">
      {turns.map(({ who, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns have nothing else that tells them apart
        <li key={index} className={who === first ? 'turn' : 'turn turn-other'}>
          <b>{who}</b>
          <TextDocument text={text} />
        </li>
      ))}
    </ol>
  );
}

/** HTML of somebody else's: no scripts, no forms, no reach beyond its frame; what it would fetch, the page's policy refuses. */
function Sandboxed({ html }: { html: string }) {
  const [shown, setShown] = useState(0);
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
      </p>
    </>
  );
}

/** Links lead to windows that the sandbox does not open, instead of putting something else in the document's place. */
const NO_WAY_OUT = '<base target="_blank">';

function Picture({ blob }: { blob: Blob }) {
  const url = useUrl(blob);
  const [isWhole, setWhole] = useState(true);
  return url === null ? null : (
    <figure className="picture">
      <Button look="quiet" onPress={() => setWhole(!isWhole)}>
        {isWhole ? 'Show at full size' : 'Fit to the page'}
      </Button>
      <Scrollable className={isWhole ? 'picture-whole' : 'picture-full'} label="The picture">
        <img src={url} alt="What this task shows" />
      </Scrollable>
    </figure>
  );
}

function Download({ blob, type }: { blob: Blob; type: string }) {
  const url = useUrl(blob);
  return (
    <Notice title="This kind of file cannot be shown here">
      <p>
        {type || 'Unknown type'}, {bytes(blob.size)}.{' '}
        {url === null ? null : (
          <a href={url} download="payload">
            Download it
          </a>
        )}{' '}
        and open it with a program that you trust with a stranger’s file.
      </p>
    </Notice>
  );
}

/** An address of our own for what was read, given back when it is shown no more. */
function useUrl(blob: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
