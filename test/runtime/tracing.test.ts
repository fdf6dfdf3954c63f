// @once: starts processes of its own and asks no database
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/runtime/config.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Which packages of the exporter a process has loaded after it has started tracing with this environment. */
function loadedWith(env: Record<string, string>): string[] {
  const script = `
    import { createRequire } from 'node:module';
    import { loadConfig } from './src/runtime/config.ts';
    import { startTracing } from './src/runtime/tracing.ts';
    import './src/services/platform/tracing.ts';
    const tracing = await startTracing(loadConfig());
    await tracing.close();
    const { cache } = createRequire(import.meta.url);
    console.log(JSON.stringify(Object.keys(cache)));`;
  const text = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
  });
  const files = JSON.parse(text.trim().split('\n').at(-1) ?? '[]') as string[];
  return [...new Set(files.flatMap((file) => /@opentelemetry\/[\w-]+/.exec(file)?.[0] ?? []))];
}

test('without a collector nothing of the exporter is loaded; with one it is', () => {
  expect(loadedWith({}).filter((name) => name !== '@opentelemetry/api')).toEqual([]);
  expect(loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toContain(
    '@opentelemetry/exporter-trace-otlp-http',
  );
});

test('traces are configured by the names that OpenTelemetry gives', () => {
  expect(loadConfig({}, {}).tracing).toBeUndefined();
  expect(
    loadConfig(
      {},
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
        OTEL_SERVICE_NAME: 'routing',
        OTEL_RESOURCE_ATTRIBUTES: 'team=work, region=eu',
        OTEL_TRACES_SAMPLER_ARG: '0.1',
      },
    ).tracing,
  ).toEqual({
    endpoint: 'http://collector:4318',
    serviceName: 'routing',
    resourceAttributes: { team: 'work', region: 'eu' },
    sampleRatio: 0.1,
  });
  expect(() =>
    loadConfig({}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c', OTEL_RESOURCE_ATTRIBUTES: 'nonsense' }),
  ).toThrow(/OTEL_RESOURCE_ATTRIBUTES must be pairs/);
});
