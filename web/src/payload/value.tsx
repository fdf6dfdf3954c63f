import { JsonTree } from './json-tree.js';
import { isSpecial, Special } from './picture.js';
import { TextDocument } from './text-document.js';

/** One value of JSON, as what it is: a picture, an address, a text, or a tree of more. */
export function Value({ value, label }: { value: unknown; label: string }) {
  if (isSpecial(value)) {
    return <Special text={value} label={label} />;
  }
  return typeof value === 'string' ? <TextDocument text={value} /> : <JsonTree value={value} />;
}

/** A name of a field in words. */
export const spoken = (name: string): string =>
  name
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
