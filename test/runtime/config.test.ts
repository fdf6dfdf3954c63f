// @once: touches no database
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig, requireServable } from '../../src/runtime/config.js';
import { ensureDataDir } from '../../src/runtime/postgres/place.js';
import { explainFileError, StartupError } from '../../src/runtime/startup-error.js';

const load = (env: Record<string, string>) => loadConfig({}, env);

const refusal = (run: () => unknown): StartupError => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError);
    return error as StartupError;
  }
  throw new Error('It was accepted.');
};

test('without any variable everything is local', () => {
  expect(load({})).toMatchObject({
    mode: 'development',
    databaseUrl: undefined,
    redisUrl: undefined,
    s3: undefined,
    jwt: undefined,
    dataDir: resolve('.touchstone'),
    host: '127.0.0.1',
    port: 4000,
    logLevel: 'info',
  });
});

test('an empty variable counts as absent', () => {
  expect(load({ DATABASE_URL: '', PORT: '', REDIS_URL: '' })).toMatchObject({
    databaseUrl: undefined,
    port: 4000,
  });
});

test('a flag wins over the environment', () => {
  expect(loadConfig({ PORT: '0', HOST: undefined }, { PORT: '5000', HOST: '::1' })).toMatchObject({
    port: 0,
    host: '::1',
  });
});

test('migrations use the login of the application unless they have their own', () => {
  const app = 'postgres://app@db/touchstone';
  const owner = 'postgres://owner@db/touchstone';
  expect(load({ DATABASE_URL: app }).migrateDatabaseUrl).toBe(app);
  expect(load({ DATABASE_URL: app, MIGRATE_DATABASE_URL: owner }).migrateDatabaseUrl).toBe(owner);
});

describe('a bad value is refused in one line that names its variable', () => {
  test.each([
    ['PORT', '70000', /PORT must be a port number/],
    ['PORT', 'http', /PORT must be a port number/],
    ['DATABASE_URL', 'mysql://db/x', /DATABASE_URL must be a URL such as postgres:/],
    ['DATABASE_URL', 'localhost', /DATABASE_URL must be a URL such as postgres:/],
    ['REDIS_URL', 'localhost:6379', /REDIS_URL must be a URL such as redis:/],
    ['TOUCHSTONE_MODE', 'staging', /TOUCHSTONE_MODE must be development or production/],
    ['JWKS_URL', 'keys.json', /JWKS_URL must be an http\(s\) URL/],
    ['PUBLIC_URL', 'ftp://example.org', /PUBLIC_URL must be an http\(s\) URL/],
    ['TOUCHSTONE_ID_KEY', 'short', /TOUCHSTONE_ID_KEY must have at least 16 characters/],
    ['LOG_LEVEL', 'loud', /LOG_LEVEL must be one of/],
  ])('%s=%s', (name, value, message) => {
    const error = refusal(() => load({ [name]: value }));
    expect(error.message).toMatch(message);
    expect(`${error.message} ${error.hint}`).not.toContain('\n');
    expect(error.hint).toContain(name);
  });
});

test('half of the object storage or of the token issuer is refused', () => {
  expect(refusal(() => load({ S3_BUCKET: 'answers' })).message).toMatch(/S3_ENDPOINT is missing/);
  expect(refusal(() => load({ JWKS_URL: 'https://id.example.org/keys' })).message).toMatch(
    /JWT_ISSUER is missing/,
  );
});

test('production refuses development keys and the embedded database', () => {
  const error = refusal(() => requireServable(load({ NODE_ENV: 'production' })));
  expect(error.message).toMatch(/DATABASE_URL, JWKS_URL, JWT_ISSUER, TOUCHSTONE_ID_KEY, PUBLIC_URL/);
  requireServable(
    load({
      TOUCHSTONE_MODE: 'production',
      DATABASE_URL: 'postgres://app@db/touchstone',
      JWKS_URL: 'https://id.example.org/keys',
      JWT_ISSUER: 'https://id.example.org',
      TOUCHSTONE_ID_KEY: 'a secret of some length',
      PUBLIC_URL: 'https://touchstone.example.org',
    }),
  );
});

test('TOUCHSTONE_MODE wins over NODE_ENV', () => {
  expect(load({ NODE_ENV: 'production', TOUCHSTONE_MODE: 'development' }).mode).toBe('development');
});

test('a data directory where nothing can be made is one line, not a loop', () => {
  expect(() => ensureDataDir('/proc/touchstone/data')).toThrow(/cannot be made there/);
});

test.each(['EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'ENOSPC', 'EDQUOT', 'EEXIST'])(
  'a data directory that fails with %s is explained',
  (code) => {
    const error = explainFileError(Object.assign(new Error('raw'), { code }), '/data');
    expect(error).toBeInstanceOf(StartupError);
    expect(String(error)).toContain('/data');
  },
);

test('other errors are passed on as they are', () => {
  const bug = new TypeError('bug');
  expect(explainFileError(bug, '/data')).toBe(bug);
});
