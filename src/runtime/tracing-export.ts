import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { traceWith } from '../services/platform/tracing.js';
import type { TracingConfig } from './config.js';
import type { Tracing } from './tracing.js';

/** A collector that does not answer holds up nothing but the traces, and an ending process for this long. */
const EXPORT_LIMIT_MS = 5_000;
const SEND_EVERY_MS = 1_000;

/** Sends spans to the collector by OTLP over HTTP, in JSON. Once a process: the last one started is the one heard. */
export function exportTraces(config: TracingConfig, mode: string): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${config.endpoint}/v1/traces`,
    timeoutMillis: EXPORT_LIMIT_MS,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': config.serviceName,
      'service.version': version(),
      'service.instance.id': randomUUID(),
      'deployment.environment.name': mode,
      ...config.resourceAttributes,
    }),
    sampler: samplerOf(config.sampleRatio),
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        exportTimeoutMillis: EXPORT_LIMIT_MS,
        scheduledDelayMillis: SEND_EVERY_MS,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  traceWith(provider.getTracer('touchstone'));
  return {
    async close() {
      traceWith(null);
      await provider.shutdown().catch(() => undefined);
      context.disable();
      propagation.disable();
    },
  };
}

/** A trace that a caller began is kept as they decided; of our own, the share that is asked for. */
function samplerOf(ratio: number): ParentBasedSampler {
  return new ParentBasedSampler({
    root: ratio >= 1 ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio),
  });
}

function version(): string {
  const { version: of } = createRequire(import.meta.url)('../../package.json') as { version: string };
  return of;
}
