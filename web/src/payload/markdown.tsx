import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import { useMemo } from 'react';

/** HTML in the text is shown as text; links lead away from the page, and pictures elsewhere are not fetched. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false }).disable('image');

/** Longer texts are shown as they were written: laying them out would hold up the page. */
const LONGEST = 300_000;

/** Markdown, sanitised twice: by a parser that makes no HTML of others', and by what it made being looked through. */
export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => (text.length > LONGEST ? null : sanitised(markdown.render(text))), [text]);
  return html === null ? (
    <pre className="document-text">{text}</pre>
  ) : (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised just above; the policy of the page runs no script of it
    <div className="markdown" dangerouslySetInnerHTML={{ __html: html }} />
  );
}

function sanitised(html: string): string {
  const fragment = DOMPurify.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'img', 'video', 'audio', 'iframe'],
    FORBID_ATTR: ['style', 'id', 'name', 'class'],
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll('a')) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer nofollow');
  }
  const holder = document.createElement('div');
  holder.append(fragment);
  return holder.innerHTML;
}
