import { Recent } from '../platform/recent.js';
import type { VerifiedToken, VerifyToken } from './tokens.js';

/** As long as an issuer's key set is kept: a key that was taken back bites no later than it would twice. */
const KEPT_MS = 600_000;

interface Kept {
  readonly token: VerifiedToken;
  readonly untilMs: number;
}

/**
 * The same check, made once in ten minutes of a token: a signature costs ten times what a post of fixes does. What was refused is
 * checked each time. Whoever uses it looks at `expiresAtMs` each time, too.
 */
export function rememberVerified(
  verify: VerifyToken,
  { max, monotonicMs = () => performance.now() }: { max: number; monotonicMs?: () => number },
): VerifyToken {
  const kept = new Recent<string, Kept>(max);
  return async (text) => {
    const known = kept.get(text);
    if (known !== undefined && known.untilMs > monotonicMs()) {
      return known.token;
    }
    const token = await verify(text);
    kept.keep(text, { token, untilMs: monotonicMs() + KEPT_MS });
    return token;
  };
}
