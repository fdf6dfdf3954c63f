import type { Redis } from 'ioredis';

/** Values of one metric of a process, by its labels as they are written. */
async function valuesOf(url: string, metric: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = new RegExp(`^${metric}(?:\\{(.*)\\})? ([\\d.e+-]+)$`, 'gm');
  return new Map([...text.matchAll(line)].map(([, labels = '', value]) => [labels, Number(value)]));
}

/** Values of one label. */
export async function byLabel(
  url: string,
  metric: string,
  label: string,
): Promise<Readonly<Record<string, number>>> {
  const all = await valuesOf(url, metric);
  const of = new RegExp(`${label}="(\\w+)"`);
  return Object.fromEntries([...all].map(([labels, value]) => [of.exec(labels)?.[1] ?? '', value]));
}

/** CPU that Redis has used so far. */
export async function redisSeconds(redis: Redis): Promise<number> {
  const text = await redis.info('cpu');
  const value = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(text)?.[1] ?? 0);
  return value('used_cpu_sys') + value('used_cpu_user');
}
