import { memo, useMemo } from 'react';
import { shown } from '../parts/bidi.js';
import { blocksOf } from './blocks.js';

/** Plain text of any length: megabytes stay as quick as a page, for only what is seen is laid out. */
export function TextDocument({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <div className={`document-text ${isCode ? 'document-code' : ''}`}>
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are told apart by their place alone
        <Block key={index} text={block} />
      ))}
    </div>
  );
}

const Block = memo(({ text }: { text: string }) => <div className="document-block">{shown(text)}</div>);
