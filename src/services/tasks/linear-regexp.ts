import { RE2JS } from 're2js';

/**
 * Compiles a customer's pattern for matching in time linear in the text, whatever the pattern: RE2's engine has no
 * backtracking, so none can stop the process. Throws on what RE2 does not know: look-around and back-references.
 */
export function compileLinear(pattern: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}
