import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { connect } from '../../src/runtime/connect.js';
import { type Database, openDatabase } from '../../src/services/platform/database.js';
import { admin, urlOf } from './postgres-server.js';

/** A database of a test file's own; everything here exists from `beforeAll` to `afterAll`. */
export interface TestDb {
  /** A superuser's connection URL without a role, as `openDatabase` and `touchstone` take it. */
  readonly url: string;
  /** The same, in the role of requests (row-level security applies), for clients of the test's own. */
  readonly appUrl: string;
  /** The same, in the role of background work. */
  readonly lineUrl: string;
  readonly systemUrl: string;
  /** The pools that services take. */
  readonly database: Database;
  /** A superuser's connection: for arranging, and for looking where no role may. */
  readonly admin: pg.Client;
  /** Moves the database's clock; everything that asks app.clock_now() sees it at once. Negative moves it back. */
  advance(seconds: number): Promise<void>;
}

interface Opened {
  readonly url: string;
  readonly database: Database;
  readonly admin: pg.Client;
}

/**
 * Clones the migrated template once for the calling file, and drops it after. Tests own their data (fresh tenants), so
 * nothing is emptied between them.
 */
export function useTestDb(): TestDb {
  let opened: Opened | undefined;
  const open = (): Opened => {
    if (opened === undefined) {
      throw new Error('The test database exists only while tests and hooks of this file run.');
    }
    return opened;
  };
  beforeAll(async () => {
    const url = await cloneTemplate();
    opened = { url, database: openDatabase({ url }), admin: await connect(url, 'touchstone test') };
  });
  afterAll(async () => {
    if (opened !== undefined) {
      await opened.database.close();
      await opened.admin.end();
      await dropDatabase(opened.url);
    }
  });
  return {
    get url() {
      return open().url;
    },
    get appUrl() {
      return withRole(open().url, 'touchstone_app');
    },
    get lineUrl() {
      return withRole(open().url, 'touchstone_line');
    },
    get systemUrl() {
      return withRole(open().url, 'touchstone_system');
    },
    get database() {
      return open().database;
    },
    get admin() {
      return open().admin;
    },
    async advance(seconds) {
      await open().admin.query('update app.test_clock set shift = shift + make_interval(secs => $1)', [
        seconds,
      ]);
    },
  };
}

/** One more copy of the migrated template, for tests that need a database in a state of its own. */
export async function cloneTemplate(): Promise<string> {
  const template = inject('template');
  const name = `${template.replace(/template$/, '')}${randomBytes(6).toString('hex')}`;
  // Its files are copied: through the WAL, which is the default, the copy takes three times the CPU.
  await admin(inject('adminUrl'), `create database ${name} template ${template} strategy file_copy`);
  return urlOf(inject('adminUrl'), name);
}

/** Drops a database of this run, whoever is connected to it. */
export async function dropDatabase(url: string): Promise<void> {
  await admin(inject('adminUrl'), `drop database if exists "${new URL(url).pathname.slice(1)}" with (force)`);
}

function withRole(url: string, role: string): string {
  const scoped = new URL(url);
  scoped.searchParams.set('options', `-c role=${role} -c TimeZone=UTC`);
  return scoped.href;
}
