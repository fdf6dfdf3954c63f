import { readdirSync, readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;

/** CPU that a process has used so far, with the children it has or had. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const own = fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0) / TICKS_A_SECOND;
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean),
  );
  return children.reduce((total, child) => total + cpuSecondsOf(Number(child)), own);
}

/** Memory that a process holds just now. */
export function rssMbOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
