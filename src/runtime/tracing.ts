import type { Config } from './config.js';

/** Where traces go; `close` sends what waits. */
export interface Tracing {
  close(): Promise<void>;
}

/** Begins to export traces where the configuration names a collector; otherwise nothing is loaded. */
export async function startTracing({ tracing, mode }: Pick<Config, 'tracing' | 'mode'>): Promise<Tracing> {
  if (tracing === undefined) {
    return { close: async () => undefined };
  }
  const { exportTraces } = await import('./tracing-export.js');
  return exportTraces(tracing, mode);
}
