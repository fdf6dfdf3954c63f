import { sha256Hex } from '../platform/canonical.js';

/** What makes two imports the same one: the file's bytes, how it is opened, and a name where one was asked for. */
export interface ImportIdentity {
  /** SHA-256 of the file, which is also the name it is stored under. */
  readonly fileKey: string;
  /** Whether each task is reserved for the workers recorded for it. */
  readonly replay: boolean;
  /** Null where none was asked for: then the file alone decides. */
  readonly name: string | null;
}

const FORM = /^import:([0-9a-f]{64}):(replay|open):([0-9a-f]{16}|-)$/;

/** The idempotency key of an import's project and batch. */
export function importKeyOf({ fileKey, replay, name }: ImportIdentity): string {
  return `import:${fileKey}:${replay ? 'replay' : 'open'}:${name === null ? '-' : sha256Hex(name).slice(0, 16)}`;
}

/** What an import's idempotency key says: where its file is stored and how it was opened. Null for other keys. */
export function readImportKey(key: string): { readonly fileKey: string; readonly replay: boolean } | null {
  const [, fileKey, mode] = FORM.exec(key) ?? [];
  return fileKey === undefined ? null : { fileKey, replay: mode === 'replay' };
}

/**
 * What sets the names of one import apart from those of another in the same tenant; null for a key that is no
 * import's. Twelve digits of a digest: two of a million imports collide with a chance of 1 in 500.
 */
export function importTagOf(key: string): string | null {
  return FORM.test(key) ? sha256Hex(key).slice(0, 12) : null;
}

/** How a worker of the file is called as an expert; also the subject of their development tokens. */
export function workerHandle(tag: string, worker: string): string {
  return `${tag}/${worker}`;
}
