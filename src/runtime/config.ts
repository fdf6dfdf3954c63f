import { resolve } from 'node:path';
import { z } from 'zod';
import type { MapBounds } from '../services/dispatch/fixes/fix.js';
import type { ThrottleLimits } from '../services/platform/throttle.js';
import { StartupError } from './startup-error.js';

/** Everything that the environment decides, checked once. Nothing else reads `process.env`. */
export interface Config {
  readonly mode: 'development' | 'production';
  /** Absent: the embedded PostgreSQL under {@link Config.dataDir}. */
  readonly databaseUrl: string | undefined;
  /** A login that may migrate; default: {@link Config.databaseUrl}. */
  readonly migrateDatabaseUrl: string | undefined;
  /** Absent: wake-ups stay inside the process, and there may be one node only. */
  readonly redisUrl: string | undefined;
  /** Absolute. Holds postgres/, objects/, keys/ and run.json. */
  readonly dataDir: string;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Where clients reach this installation, without a trailing slash; absent: where the server listens. */
  readonly publicUrl: string | undefined;
  /** Origins of web pages elsewhere that may open WebSockets; that of {@link Config.publicUrl} is one of them. */
  readonly allowedOrigins: readonly string[];
  /** Absent: objects are files under {@link Config.dataDir}. */
  readonly s3: S3Config | undefined;
  /** Absent: tokens are signed by the development key under {@link Config.dataDir}. */
  readonly jwt: JwtConfig | undefined;
  /** The secret of opaque ids; absent: generated once under {@link Config.dataDir}. */
  readonly idKey: string | undefined;
  /** Absent: whoever reaches /metrics may read it. */
  readonly metricsToken: string | undefined;
  /** Absent: no traces are made. */
  readonly tracing: TracingConfig | undefined;
  /** How many claims of this node may wait, and as many submits, and how long. */
  readonly admission: { readonly waitingMax: number; readonly waitMs: number };
  /** How many claims and submits an identity may send a second, over all nodes. */
  readonly pace: Partial<ThrottleLimits>;
  /** Of a node's time, what analysts' queries may take: above 0 to 1 (no rests between them). */
  readonly analystTimeShare: number;
  /** Of a server of OSRM's HTTP API; absent: ways are estimated by distance. */
  readonly routerUrl: string | undefined;
  /** Where fixes are taken from: the extract that the router knows; absent: the whole world. */
  readonly mapBounds: MapBounds | undefined;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}

export interface S3Config {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface JwtConfig {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

/** Where traces go, by the names that OpenTelemetry gives these variables. */
export interface TracingConfig {
  /** Of an OTLP/HTTP collector, without a trailing slash and without /v1/traces. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  /** The share of traces that are kept, of those that no caller began. */
  readonly sampleRatio: number;
}

const HTTP_URL = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' });
const POSTGRES_URL = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a URL such as postgres://user:password@host:5432/database',
});

function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

const Environment = z.object({
  NODE_ENV: z.string().optional(),
  TOUCHSTONE_MODE: z
    .enum(['development', 'production'], { error: 'must be development or production' })
    .optional(),
  DATABASE_URL: POSTGRES_URL.optional(),
  MIGRATE_DATABASE_URL: POSTGRES_URL.optional(),
  REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a URL such as redis://host:6379' }).optional(),
  TOUCHSTONE_DATA_DIR: z.string().default('.touchstone'),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce
    .number({ error: 'must be a port number from 0 to 65535' })
    .int({ error: 'must be a port number from 0 to 65535' })
    .min(0, { error: 'must be a port number from 0 to 65535' })
    .max(65_535, { error: 'must be a port number from 0 to 65535' })
    .default(4000),
  PUBLIC_URL: HTTP_URL.optional(),
  ALLOWED_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((origin) => origin.trim() || []))
    .pipe(z.array(HTTP_URL)),
  S3_ENDPOINT: HTTP_URL.optional(),
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  JWKS_URL: HTTP_URL.optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().default('touchstone'),
  TOUCHSTONE_ID_KEY: z.string().min(16, { error: 'must have at least 16 characters' }).optional(),
  TOUCHSTONE_METRICS_TOKEN: z.string().min(16, { error: 'must have at least 16 characters' }).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: HTTP_URL.optional(),
  OTEL_SERVICE_NAME: z.string().default('touchstone'),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .regex(/^([^=,]+=[^,]*(,|$))*$/, { error: 'must be pairs such as team=routing,region=eu' })
    .default(''),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number({ error: 'must be a share from 0 to 1' })
    .min(0, { error: 'must be a share from 0 to 1' })
    .max(1, { error: 'must be a share from 0 to 1' })
    .default(1),
  ADMISSION_WAITING_MAX: wholeNumber(1, 100_000).default(4_000),
  ADMISSION_WAIT_SECONDS: wholeNumber(1, 20).default(10),
  RATE_LIMIT_PER_SECOND: wholeNumber(1, 100_000).default(200),
  ANALYST_TIME_SHARE: z.coerce.number().min(0.01).max(1).default(0.1),
  OSRM_URL: HTTP_URL.optional(),
  MAP_BOUNDS: z
    .string()
    .transform((text) => text.split(',').map(Number))
    .refine(isBounds, { error: 'must be west,south,east,north in degrees, such as 1.4,42.4,1.8,42.7' })
    .optional(),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
});

type Environment = z.infer<typeof Environment>;

function isBounds([west, south, east, north, ...more]: readonly number[]): boolean {
  const areDegrees = [west, south, east, north].every((degrees) => Math.abs(degrees ?? Number.NaN) <= 180);
  return areDegrees && more.length === 0 && Number(west) < Number(east) && Number(south) < Number(north);
}

/** Variables that the flags of a command set, and win over the environment's. */
export type ConfigFlags = Readonly<Partial<Record<'HOST' | 'PORT', string | undefined>>>;

/**
 * Reads the configuration. Throws a StartupError that names the variable and what it must be; a variable that is set to
 * the empty string counts as absent.
 */
export function loadConfig(flags: ConfigFlags = {}, env: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  const present = Object.fromEntries([...Object.entries(env), ...given].filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(present);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const name = String(issue?.path[0]);
    throw new StartupError(`${name} ${issue?.message}.`, `Correct ${name} in the environment, or unset it.`);
  }
  return toConfig(parsed.data);
}

function toConfig(env: Environment): Config {
  return {
    mode: env.TOUCHSTONE_MODE ?? (env.NODE_ENV === 'production' ? 'production' : 'development'),
    databaseUrl: env.DATABASE_URL,
    migrateDatabaseUrl: env.MIGRATE_DATABASE_URL ?? env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    dataDir: resolve(env.TOUCHSTONE_DATA_DIR),
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, ''),
    allowedOrigins: originsOf(env),
    s3: s3Config(env),
    jwt: jwtConfig(env),
    idKey: env.TOUCHSTONE_ID_KEY,
    metricsToken: env.TOUCHSTONE_METRICS_TOKEN,
    tracing: tracingConfig(env),
    admission: { waitingMax: env.ADMISSION_WAITING_MAX, waitMs: env.ADMISSION_WAIT_SECONDS * 1000 },
    pace: { perSecond: env.RATE_LIMIT_PER_SECOND },
    analystTimeShare: env.ANALYST_TIME_SHARE,
    routerUrl: env.OSRM_URL?.replace(/\/+$/, ''),
    mapBounds: boundsOf(env),
    logLevel: env.LOG_LEVEL,
  };
}

function boundsOf({ MAP_BOUNDS: bounds }: Environment): MapBounds | undefined {
  if (bounds === undefined) {
    return undefined;
  }
  const [west = 0, south = 0, east = 0, north = 0] = bounds;
  return { west, south, east, north };
}

function originsOf({ PUBLIC_URL, ALLOWED_ORIGINS }: Environment): string[] {
  return [...(PUBLIC_URL === undefined ? [] : [PUBLIC_URL]), ...ALLOWED_ORIGINS].map(
    (url) => new URL(url).origin,
  );
}

function s3Config(env: Environment): S3Config | undefined {
  if (env.S3_ENDPOINT === undefined && env.S3_BUCKET === undefined) {
    return undefined;
  }
  return {
    endpoint: needed(env, 'S3_ENDPOINT', 'S3_BUCKET is set'),
    bucket: needed(env, 'S3_BUCKET', 'S3_ENDPOINT is set'),
    region: env.S3_REGION,
    accessKeyId: needed(env, 'S3_ACCESS_KEY_ID', 'S3_BUCKET is set'),
    secretAccessKey: needed(env, 'S3_SECRET_ACCESS_KEY', 'S3_BUCKET is set'),
  };
}

function jwtConfig(env: Environment): JwtConfig | undefined {
  if (env.JWKS_URL === undefined) {
    return undefined;
  }
  return {
    jwksUrl: env.JWKS_URL,
    issuer: needed(env, 'JWT_ISSUER', 'JWKS_URL is set'),
    audience: env.JWT_AUDIENCE,
  };
}

function tracingConfig(env: Environment): TracingConfig | undefined {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) {
    return undefined;
  }
  const pairs = env.OTEL_RESOURCE_ATTRIBUTES.split(',').filter((pair) => pair !== '');
  return {
    endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, ''),
    serviceName: env.OTEL_SERVICE_NAME,
    resourceAttributes: Object.fromEntries(
      pairs.map((pair) => [
        pair.slice(0, pair.indexOf('=')).trim(),
        pair.slice(pair.indexOf('=') + 1).trim(),
      ]),
    ),
    sampleRatio: env.OTEL_TRACES_SAMPLER_ARG,
  };
}

function needed(env: Environment, name: keyof Environment, because: string): string {
  const value = env[name];
  if (value === undefined) {
    throw new StartupError(`${name} is missing, but ${because}.`, `Set ${name} in the environment.`);
  }
  return String(value);
}

/**
 * Refuses to serve in production with what is only fit for development: the local signing key, a generated id key, the
 * embedded database. Commands that only need the database do not ask this.
 */
export function requireServable(config: Config): void {
  if (config.mode !== 'production') {
    return;
  }
  const missing = [
    config.databaseUrl === undefined ? 'DATABASE_URL' : [],
    config.jwt === undefined ? ['JWKS_URL', 'JWT_ISSUER'] : [],
    config.idKey === undefined ? 'TOUCHSTONE_ID_KEY' : [],
    config.publicUrl === undefined ? 'PUBLIC_URL' : [],
  ].flat();
  if (missing.length > 0) {
    throw new StartupError(
      `Production mode needs ${missing.join(', ')}: development keys and the embedded database are refused there.`,
      `Set ${missing.join(', ')}, or TOUCHSTONE_MODE=development to try it out.`,
    );
  }
}
