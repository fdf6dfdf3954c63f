import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

// The package is CommonJS whose module is the function itself; its types describe an ES module.
const serialize = canonicalize as unknown as (value: unknown) => string | undefined;

/**
 * Canonical JSON (RFC 8785): one spelling for one value, so that equal values have equal digests.
 * @throws TypeError for what JSON cannot hold (undefined, functions, NaN, infinities)
 */
export function canonicalJson(value: unknown): string {
  const text = serialize(value);
  if (text === undefined) {
    throw new TypeError('The value is not JSON.');
  }
  return text;
}

/** SHA-256 of a text's UTF-8 bytes, in hex. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
