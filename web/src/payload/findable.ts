import { findIn } from './blocks.js';

/** What there is to be found in: texts as they follow each other on the page, and the nodes that they are in. */
export interface Findable {
  readonly texts: readonly string[];
  /** Null: no text of the page's, but where one paragraph ends and another begins. */
  readonly nodes: readonly (Text | null)[];
}

/** Nobody can type it, so that nothing is found from one paragraph into the next. */
const BETWEEN = '\u0000';
/** What is read in one go. */
const PARAGRAPHS =
  '.document-text, p, li, dt, dd, td, th, h1, h2, h3, h4, h5, h6, pre, blockquote, summary, .json-line';
/** What stands beside the content: buttons and hints of ours. */
const NOT_CONTENT = 'button, .hint, .fault';

/** All text of a part of the page, whatever shows it. Spaces of any kind are one: how a text is broken into lines is not sought. */
export function findableIn(container: HTMLElement): Findable {
  const texts: string[] = [];
  const nodes: (Text | null)[] = [];
  const walker = document.createTreeWalker(
    container,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) => {
      if (node instanceof Element) {
        return node.matches(NOT_CONTENT) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
      }
      return NodeFilter.FILTER_ACCEPT;
    },
  );
  let paragraph: Element | null = null;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const own = node.parentElement?.closest(PARAGRAPHS) ?? null;
    if (own !== paragraph && texts.length > 0) {
      texts.push(BETWEEN);
      nodes.push(null);
    }
    paragraph = own;
    texts.push(spaced(node.nodeValue ?? ''));
    nodes.push(node as Text);
  }
  return { texts, nodes };
}

/** As it is compared: each letter stays where it is. */
export const spaced = (text: string): string => text.replace(/\s/g, ' ');

/** Every place where something stands, in order; of too many the first. */
export function rangesOf({ texts, nodes }: Findable, sought: string): readonly Range[] {
  return findIn(texts, spaced(sought)).flatMap(({ start, end }) => {
    const [first, last] = [nodes[start.block], nodes[end.block]];
    if (!first || !last) {
      return [];
    }
    const range = new Range();
    range.setStart(first, start.at);
    range.setEnd(last, end.at);
    return [range];
  });
}
