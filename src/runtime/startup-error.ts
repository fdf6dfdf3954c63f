/**
 * Something outside the code keeps Touchstone from starting: a setting, a permission, a port, a full disk. Shown as one
 * line with its next step and no stack trace; the process ends with code 1.
 */
export class StartupError extends Error {
  constructor(
    message: string,
    /** What to do about it, as an imperative sentence. */
    readonly hint: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'StartupError';
  }
}

const FILE_ERRORS: Record<string, string> = {
  EROFS: 'is on a read-only file system',
  EACCES: 'may not be written by this user',
  EPERM: 'may not be changed by this user',
  ENOTDIR: 'is not a directory',
  EEXIST: 'is not a directory',
  ENOENT: 'cannot be made there',
  ENOSPC: 'is on a full disk',
  EDQUOT: 'is over its disk quota',
  ENAMETOOLONG: 'has too long a name',
};

/** Turns a file system error about `path` into a StartupError; any other error comes back as it is. */
export function explainFileError(error: unknown, path: string): unknown {
  const problem = FILE_ERRORS[errorCode(error) ?? ''];
  if (problem === undefined) {
    return error;
  }
  return new StartupError(
    `The data directory ${path} ${problem}.`,
    'Make it a writable directory of this user, or name another with TOUCHSTONE_DATA_DIR.',
    { cause: error },
  );
}

/** The `code` of a system or database error, where there is one. */
export function errorCode(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  return undefined;
}
