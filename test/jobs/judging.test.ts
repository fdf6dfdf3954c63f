import { describe, expect, test } from 'vitest';
import { Judging, type KnownProject } from '../../src/jobs/judging.js';

const projects = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ tenantId: 1n, projectId: BigInt(n + 1) }));

/**
 * A node whose projects all move all the time, by a clock that the test moves. What is judged takes what `cost` says of it.
 * Says when each project was judged, with how many, and for how long anything was.
 */
function play(
  count: number,
  untilMs: number,
  cost: (group: readonly KnownProject[]) => number | { failsAfterMs: number },
) {
  const judging = new Judging();
  const at = new Map<bigint, number[]>();
  const groups: bigint[][] = [];
  let busyMs = 0;
  let nowMs = 0;
  const move = () => projects(count).forEach((project) => void judging.moved(project, nowMs));
  move();
  while (nowMs <= untilMs) {
    const group = judging.next(nowMs);
    if (group.length === 0) {
      nowMs = Math.max(nowMs + 1, judging.dueAtMs);
      continue;
    }
    groups.push(group.map(({ projectId }) => projectId));
    const beganMs = nowMs;
    const took = cost(group);
    nowMs += typeof took === 'number' ? took : took.failsAfterMs;
    busyMs += nowMs - beganMs;
    if (typeof took !== 'number') {
      judging.failed(group, { beganMs, endedMs: nowMs });
    } else {
      judging.judged(group, { beganMs, endedMs: nowMs });
      for (const { projectId } of group) {
        at.set(projectId, [...(at.get(projectId) ?? []), nowMs]);
      }
    }
    move();
  }
  return { at, groups, busyMs, judging };
}

const gapsOf = (times: readonly number[] = []): number[] =>
  times.slice(1).map((ms, n) => ms - (times[n] ?? 0));

describe('projects in which work goes on', () => {
  test('are judged together, all of them for at most a twentieth of the time', () => {
    const { at, groups, busyMs } = play(200, 600_000, (group) => 30 + 6 * group.length);
    expect(busyMs).toBeLessThanOrEqual(600_000 / 20);
    expect(new Set(groups.slice(4).map(({ length }) => length))).toEqual(new Set([50]));
    expect(at.size).toBe(200);
    for (const times of at.values()) {
      expect(Math.max(...gapsOf(times))).toBeLessThan(30_000);
    }
  });

  test('are judged each three seconds where it costs little', () => {
    const { at } = play(3, 60_000, () => 10);
    for (const times of at.values()) {
      const gaps = gapsOf(times);
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(3_000);
      expect(Math.max(...gaps)).toBeLessThan(4_000);
    }
  });

  test('one that is slow is found among them, goes alone, and keeps the others waiting for ten seconds at most', () => {
    const isSlow = ({ projectId }: KnownProject) => projectId === 7n;
    const { at, groups } = play(20, 900_000, (group) => (group.some(isSlow) ? 5_000 : 20));
    const slow = gapsOf(at.get(7n));
    expect(Math.min(...slow.slice(1))).toBeGreaterThanOrEqual(100_000);
    expect(groups.slice(60).every((group) => group.length === 1 || !group.includes(7n))).toBe(true);
    expect(groups.slice(60).some((group) => group.length === 19)).toBe(true);
    expect(Math.max(...gapsOf(at.get(8n)).slice(2))).toBeLessThan(25_000);
  });

  test('one that fails is found among them, rests longer each time, and keeps nobody from being judged', () => {
    const { at, groups } = play(10, 900_000, (group) =>
      group.some(({ projectId }) => projectId === 3n) ? { failsAfterMs: 10 } : 10,
    );
    expect(at.get(3n)).toBeUndefined();
    expect(groups.filter((group) => group.includes(3n)).length).toBeLessThan(12);
    expect(Math.max(...gapsOf(at.get(4n)))).toBeLessThan(6_000);
  });

  test('of hundreds of which nobody says anything each has its turn', () => {
    const judging = new Judging();
    const judgedAt = new Map<bigint, number>();
    let longestMs = 0;
    let sweepAtMs = 0;
    for (let nowMs = 0; nowMs < 1_200_000; ) {
      if (nowMs >= sweepAtMs) {
        sweepAtMs = nowMs + 5_000;
        for (const project of projects(400)) {
          const sinceMs = nowMs - (judgedAt.get(project.projectId) ?? -30_000);
          if (sinceMs >= 30_000) {
            judging.found(project, nowMs);
          }
        }
      }
      const group = judging.next(nowMs);
      const beganMs = nowMs;
      nowMs += group.length > 0 ? 500 : 100;
      for (const { projectId } of group) {
        longestMs = Math.max(longestMs, nowMs - (judgedAt.get(projectId) ?? 0));
        judgedAt.set(projectId, nowMs);
      }
      if (group.length > 0) {
        judging.judged(group, { beganMs, endedMs: nowMs });
      }
    }
    expect(judgedAt.size).toBe(400);
    expect(longestMs).toBeLessThan(120_000);
  });

  test('what happens in one while it is judged makes it due again', () => {
    const judging = new Judging();
    const [one] = projects(1);
    judging.moved(one as KnownProject, 0);
    const group = judging.next(3_000);
    judging.moved(one as KnownProject, 3_010);
    judging.judged(group, { beganMs: 3_000, endedMs: 3_020 });
    expect(judging.dueAtMs).toBe(6_020);
    judging.judged(judging.next(6_020), { beganMs: 6_020, endedMs: 6_030 });
    expect(judging.dueAtMs).toBe(Number.POSITIVE_INFINITY);
  });

  test('what fails slowly takes half of the time at most', () => {
    const { busyMs } = play(50, 900_000, () => ({ failsAfterMs: 10_000 }));
    expect(busyMs).toBeLessThan(460_000);
  });

  test('whoever has waited longest goes first', () => {
    const judging = new Judging();
    const [early, late] = projects(2);
    judging.moved(late as KnownProject, 100);
    judging.moved(early as KnownProject, 0);
    expect(judging.next(3_050).map(({ projectId }) => projectId)).toEqual([1n]);
  });
});

test('nothing is due where nothing is known', () => {
  const judging = new Judging();
  expect(judging.next(0)).toEqual([]);
  expect(judging.dueAtMs).toBe(Number.POSITIVE_INFINITY);
});
