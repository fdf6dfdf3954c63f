import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { StartupError } from '../startup-error.js';

/** An unprivileged user that PostgreSQL runs as, because it refuses to run as root. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Users that exist to own nothing of a person's, in the order in which we would rather be them. */
const PREFERRED = ['postgres', 'nobody'];

/**
 * The user to run PostgreSQL as; null means as ourselves, because we are not root. The owner of an existing cluster
 * comes first, since PostgreSQL refuses any other, then the owner of the data directory.
 */
export function chooseAccount(ownedPaths: readonly string[]): Account | null {
  if (process.getuid?.() !== 0) {
    return null;
  }
  const accounts = unprivilegedAccounts();
  const owners = ownedPaths.map(ownerOf);
  const wanted = [
    ...owners.map((uid) => accounts.find((account) => account.uid === uid)),
    ...PREFERRED.map((name) => accounts.find((account) => account.name === name)),
    accounts[0],
  ].find((account) => account !== undefined);
  if (wanted === undefined) {
    throw new StartupError(
      'PostgreSQL does not run as root, and this system has no other user.',
      'Add one (useradd --system postgres), or set DATABASE_URL.',
    );
  }
  return wanted;
}

/** The user and group to give to spawn(); it drops supplementary groups as well. */
export function asAccount(account: Account | null): { uid?: number; gid?: number } {
  return account === null ? {} : { uid: account.uid, gid: account.gid };
}

/**
 * Whether the account can get into a directory. Asked of the kernel by trying, because modes alone do not tell (access
 * lists, mounts, a home directory of mode 700 further up).
 */
export function canEnter(account: Account | null, directory: string): boolean {
  return trial(account, 'cd "$1"', directory);
}

/** Whether the account can run a program where it is. */
export function canRun(account: Account | null, program: string): boolean {
  return trial(account, '"$1" --version', program);
}

function trial(account: Account | null, script: string, argument: string): boolean {
  const result = spawnSync('/bin/sh', ['-c', script, 'sh', argument], {
    ...asAccount(account),
    cwd: '/',
    stdio: 'ignore',
  });
  return result.status === 0;
}

/** initdb asks the user database for a name, so only users listed there will do. */
function unprivilegedAccounts(): Account[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter((account) => account.name !== '' && account.uid > 0 && Number.isInteger(account.gid));
}

function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid;
}
