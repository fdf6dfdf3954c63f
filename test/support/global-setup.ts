import type { TestProject } from 'vitest/node';
import { inMemory } from './memory.js';
import { startTestPostgres } from './postgres-server.js';
import { startTestRedis } from './redis-server.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A superuser's connection to the server of this run. */
    adminUrl: string;
    /** The migrated database that every test file clones. */
    template: string;
    /** Empty where there is no Redis. */
    redisUrl: string;
  }
}

/** Starts what the suite needs, once a run, and stops it at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const leaveMemory = inMemory();
  const postgres = await startTestPostgres();
  const redis = await startTestRedis();
  project.provide('adminUrl', postgres.adminUrl);
  project.provide('template', postgres.template);
  project.provide('redisUrl', redis?.url ?? '');
  return async () => {
    await redis?.stop();
    await postgres.stop();
    leaveMemory();
  };
}
