/**
 * Why Redis did not do what it was asked. The first four pass, or a person makes room; the others are for a person to put right:
 *
 * - NO_SERVER: there is no connection, or the server is not ready, or cannot reach its primary;
 * - LATE: no answer within the time limit;
 * - NO_MEMORY: it is full (`maxmemory`) and may evict nothing;
 * - READ_ONLY: it takes no writes: a replica, or one that cannot save;
 * - NOT_ALLOWED: our login may not do that, or is refused;
 * - WRONG_TYPE: what stands under a key is not ours;
 * - SCRIPT: a script of ours failed, or cannot be run there (a cluster without the keys);
 * - OTHER: anything else that it refused.
 */
export const REDIS_FAULTS = [
  'NO_SERVER',
  'LATE',
  'NO_MEMORY',
  'READ_ONLY',
  'NOT_ALLOWED',
  'WRONG_TYPE',
  'SCRIPT',
  'OTHER',
] as const;
export type RedisFault = (typeof REDIS_FAULTS)[number];

/** By the first word of a refusal, or the one that a server of version 6 put behind the name of the script. */
const BY_WORD: readonly (readonly [RegExp, RedisFault])[] = [
  [/\bOOM\b/, 'NO_MEMORY'],
  [/\b(READONLY|MISCONF|NOREPLICAS)\b/, 'READ_ONLY'],
  [/\bWRONGTYPE\b/, 'WRONG_TYPE'],
  [/\b(NOAUTH|WRONGPASS|NOPERM)\b|user executing the script can't/, 'NOT_ALLOWED'],
  [/^(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY)\b/, 'NO_SERVER'],
  [/^(NOSCRIPT|CROSSSLOT|MOVED|ASK|UNKILLABLE)\b|\bscript\b|user_script/, 'SCRIPT'],
];

/** What an error of the client says of why. */
function redisFault(error: unknown): RedisFault {
  const { name = '', message = '' } = error instanceof Error ? error : {};
  if (name === 'ReplyError') {
    return BY_WORD.find(([word]) => word.test(message))?.[1] ?? 'OTHER';
  }
  // (Whatever else it throws is about the connection.)
  return message === 'Command timed out' ? 'LATE' : 'NO_SERVER';
}

/** Redis did not do what it was asked. What it would have done is late or left out; nothing is lost. */
export class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError';
  readonly fault: RedisFault;

  constructor(message: string, options: { readonly cause: unknown }) {
    super(message, options);
    this.fault = redisFault(options.cause);
  }
}
