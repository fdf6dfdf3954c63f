import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import { useEffect, useMemo, useRef } from 'react';
import { shown } from '../parts/bidi.js';
import { isAddress, isPicture, pictureIn, withoutPictures } from './embedded.js';

/** HTML in the text is shown as text; links lead away from the page, and pictures elsewhere are links. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
const isHarmless = markdown.validateLink;
markdown.validateLink = (url) => isPicture(url) || isHarmless(url);
markdown.renderer.rules.image = (...[tokens, at, options, env, renderer]) => {
  const url = String(tokens[at]?.attrGet('src') ?? '');
  const words = renderer.renderInlineAsText(tokens[at]?.children ?? [], options, env);
  return pictureHtml(url, { words, isLinked: isInLink(tokens, at) });
};

/** Of what came with the text the address is kept aside until the picture has its place ({@link usePictures}). */
function pictureHtml(url: string, { words, isLinked }: { words: string; isLinked: boolean }): string {
  const alt = escaped(words);
  if (isPicture(url)) {
    return `<img alt="${alt}" data-picture="${escaped(url)}">`;
  }
  const note = '(a picture elsewhere; not fetched by this page)';
  return isLinked || !isAddress(url)
    ? `${alt} ${note}`
    : `<a href="${escaped(url)}">${alt || escaped(url)}</a> ${note}`;
}

type Token = ReturnType<typeof markdown.parse>[number];

const escaped = (text: string): string => markdown.utils.escapeHtml(text);

/** Whether a link is open where a token stands: there is none in another. */
function isInLink(tokens: readonly Token[], at: number): boolean {
  const links = tokens.slice(0, at).filter(({ type }) => type === 'link_open' || type === 'link_close');
  return links.at(-1)?.type === 'link_open';
}

/** Longer texts are shown as they were written: laying them out would hold up the page. */
const LONGEST = 300_000;

/** Markdown, sanitised twice: by a parser that makes no HTML of others', and by what it made being looked through. */
export function Markdown({ text }: { text: string }) {
  const isLong = withoutPictures(text).length > LONGEST;
  const html = useMemo(() => (isLong ? null : sanitised(markdown.render(text))), [text, isLong]);
  const frame = usePictures(html);
  return html === null ? (
    <pre className="document-text">{shown(text)}</pre>
  ) : (
    // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised just above; the policy of the page runs no script of it
    <div ref={frame} className="markdown" dangerouslySetInnerHTML={{ __html: html }} />
  );
}

/** Shows the pictures that came with a text, each as a file of just its type; what is broken says so. */
function usePictures(html: string | null) {
  const frame = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pictures are those of this HTML
  useEffect(() => {
    const urls = [...(frame.current?.querySelectorAll<HTMLImageElement>('img[data-picture]') ?? [])].map(
      filled,
    );
    return () => {
      for (const url of urls) {
        URL.revokeObjectURL(url);
      }
    };
  }, [html]);
  return frame;
}

function filled(image: HTMLImageElement): string {
  const picture = pictureIn(image.dataset.picture ?? '');
  const url = picture === null ? '' : URL.createObjectURL(new Blob([picture.bytes], { type: picture.type }));
  const say = () => image.replaceWith(broken(image.alt));
  image.addEventListener('error', say, { once: true });
  if (picture === null) {
    say();
  } else {
    image.src = url;
  }
  return url;
}

function broken(alt: string): HTMLElement {
  const said = document.createElement('span');
  said.className = 'fault';
  said.textContent = `${alt || 'A picture'}: the picture is broken, and cannot be shown.`;
  return said;
}

function sanitised(html: string): string {
  const fragment = DOMPurify.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'video', 'audio', 'iframe'],
    FORBID_ATTR: ['style', 'id', 'name', 'class', 'src', 'srcset'],
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll('a')) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer nofollow');
  }
  const texts = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    node.nodeValue = shown(node.nodeValue ?? '');
  }
  const holder = document.createElement('div');
  holder.append(fragment);
  return holder.innerHTML;
}
