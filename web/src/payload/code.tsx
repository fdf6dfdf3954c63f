import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { useMemo } from 'react';
import { shown } from '../parts/bidi.js';
import { TextDocument } from './text-document.js';

const LANGUAGES = {
  bash,
  c,
  cpp,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES)) {
  hljs.registerLanguage(name, language);
}

/** Names of media types that the highlighter calls otherwise. */
const ALIASES = new Map([
  ['csrc', 'c'],
  ['c++', 'cpp'],
  ['sh', 'bash'],
  ['toml', 'ini'],
  ['html', 'xml'],
]);
/** Longer programs are shown without colours, and stay quick. */
const LONGEST = 100_000;

/** A program. The highlighter escapes all of it, and adds nothing but spans with names of its own. */
export function Code({ text, language }: { text: string; language: string }) {
  const name = ALIASES.get(language.toLowerCase()) ?? language.toLowerCase();
  const html = useMemo(
    () =>
      text.length <= LONGEST && hljs.getLanguage(name)
        ? shown(hljs.highlight(text, { language: name, ignoreIllegals: true }).value)
        : null,
    [text, name],
  );
  return html === null ? (
    <TextDocument text={text} isCode />
  ) : (
    <pre className="code">
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: escaped by the highlighter */}
      <code dangerouslySetInnerHTML={{ __html: html }} />
    </pre>
  );
}
