import { lazy, memo, Suspense, useDeferredValue, useMemo, useRef, useState } from 'react';
import { bytes } from '../parts/format.js';
import { Loading, Notice } from '../parts/states.js';
import { Conversation } from './conversation.js';
import { isDeeper } from './depth.js';
import { readableLength, treeLength } from './embedded.js';
import { Find } from './find.js';
import { JsonTree } from './json-tree.js';
import type { Payload } from './load.js';
import { Named } from './named.js';
import { Pair } from './pair.js';
import { Picture } from './picture.js';
import { Sandboxed } from './sandboxed.js';
import { type Shape, shapeOf } from './shape.js';
import { Sought } from './sought.js';
import { TextDocument } from './text-document.js';
import { useUrl } from './use-url.js';

const Markdown = lazy(() => import('./markdown.js').then((module) => ({ default: module.Markdown })));
const Code = lazy(() => import('./code.js').then((module) => ({ default: module.Code })));

/** A tree of more than this, its long texts apart, would be too much for a page: it is shown as text. */
const TREE_CHARACTERS = 200_000;
/** So is what is nested deeper: nobody reads it as a tree, and a page that lays it out may break. */
const TREE_DEPTH = 50;

/** Shorter texts are seen at a glance. */
const FIND_FROM_CHARACTERS = 1_500;

/** What a task shows. Nothing of it runs, is fetched from elsewhere, or reaches the page around it. */
export function PayloadView({ payload }: { payload: Payload }) {
  const content = useRef<HTMLDivElement>(null);
  const [sought, setSought] = useState('');
  const shown = useDeferredValue(sought);
  const length = useMemo(() => lengthOf(payload), [payload]);
  return (
    <div className="payload">
      {length === 0 ? null : (
        <Find
          container={content}
          isOffered={length >= FIND_FROM_CHARACTERS}
          sought={sought}
          onSought={setSought}
          shown={shown}
        />
      )}
      <Sought value={shown}>
        <div className="payload-content" ref={content} tabIndex={-1}>
          <Suspense fallback={<Loading what="the task" />}>
            <Content payload={payload} />
          </Suspense>
        </div>
      </Sought>
      {'text' in payload ? <AsItCame text={payload.text} /> : null}
    </div>
  );
}

/** How much there is to read. */
function lengthOf(payload: Payload): number {
  if (!('text' in payload)) {
    return 0;
  }
  return payload.kind === 'JSON' ? readableLength(payload.text) : payload.text.length;
}

/** (What is typed into the search does not change it: it would be laid out anew for each letter.) */
const Content = memo(({ payload }: { payload: Payload }) => {
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
      return isTooMuch(payload.text) ? (
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
});

const isTooMuch = (json: string): boolean => treeLength(json) > TREE_CHARACTERS || isDeeper(json, TREE_DEPTH);

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
