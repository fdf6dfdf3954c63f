import type { ProjectName } from '../services/forecast/risk.sql.js';

/** Which projects are judged anew, and when. By the process's monotonic clock, in milliseconds. */

/** A project is judged at most this often while work goes on in it … */
const REST_MS = 3_000;
/** … and no single one for more than a twentieth of the time: counting a batch of a million tasks takes a while. */
const REST_PER_COST = 20;
/** All together take at most a twentieth of the time too: what judges is what answers claims, and of a project that moves it has not … */
const REST_OF_ALL_PER_COST = 20;
/** … to know within seconds. One that is slow by itself holds up the others no longer than this. */
const REST_OF_ALL_MAX_MS = 10_000;
/** So many are judged in one transaction: for fifty together it costs a fifth of what it costs for each. */
const AT_ONCE = 50;
/** Where that takes longer than this, each goes by itself the next time, so that it shows which of them it is. */
const SLOW_MS = { together: 1_000, alone: REST_MS / REST_PER_COST } as const;
const KNOWN_MAX = 10_000;
/** One that fails by itself rests for 3, 6, 12 … seconds, at most for so long. */
const REST_FAILED_MAX_MS = 300_000;

export interface KnownProject extends ProjectName {
  /** Null: nothing happened since it was judged. */
  readonly dueAtMs: number | null;
  readonly restMs: number;
  /** Not sooner than this, also where it is found to be due. */
  readonly restUntilMs: number;
  /** When something happened in it last, and when it was last to be judged; long before all instants: never. */
  readonly movedAtMs: number;
  readonly triedAtMs: number;
  /** Whether it is slow, or was judged among such. */
  readonly isSlow: boolean;
  /** How often it has failed by itself since it was last judged; null: not since then, nor among others. */
  readonly failures: number | null;
}

type Known = { -readonly [Key in keyof KnownProject]: KnownProject[Key] };

/** What a judging took: both instants by the same clock. */
export interface Span {
  readonly beganMs: number;
  readonly endedMs: number;
}

export class Judging {
  private readonly known = new Map<string, Known>();
  private restUntilMs = 0;

  /** Something happened in a project: it is due once it has rested. */
  moved(project: ProjectName, nowMs: number): void {
    const one = this.of(project);
    one.movedAtMs = nowMs;
    one.dueAtMs ??= nowMs + one.restMs;
  }

  /** A project is found to be due, whoever says nothing of it. */
  found(project: ProjectName, nowMs: number): void {
    const one = this.of(project);
    one.dueAtMs = Math.max(nowMs, one.restUntilMs);
  }

  /** The projects that are to be judged together now, whose last turn was longest ago first; none while all rest. */
  next(nowMs: number): readonly KnownProject[] {
    if (nowMs < this.restUntilMs) {
      return [];
    }
    const due = [...this.known.values()]
      .filter(({ dueAtMs }) => (dueAtMs ?? Number.POSITIVE_INFINITY) <= nowMs)
      .sort((one, other) => one.triedAtMs - other.triedAtMs || Number(one.dueAtMs) - Number(other.dueAtMs));
    const [first] = due;
    const group =
      first === undefined || goesAlone(first)
        ? due.slice(0, 1)
        : due.filter((project) => !goesAlone(project)).slice(0, AT_ONCE);
    for (const project of group) {
      Object.assign(project, { dueAtMs: nowMs + REST_MS, triedAtMs: nowMs });
    }
    return group;
  }

  /** The instant from which somebody may be to judge. */
  get dueAtMs(): number {
    const times = [...this.known.values()].flatMap(({ dueAtMs }) => (dueAtMs === null ? [] : [dueAtMs]));
    return Math.max(this.restUntilMs, Math.min(...times));
  }

  judged(projects: readonly KnownProject[], { beganMs, endedMs }: Span): void {
    const tookMs = endedMs - beganMs;
    const restMs = Math.max(REST_MS, (REST_PER_COST * tookMs) / projects.length);
    const isSlow = tookMs > (projects.length > 1 ? SLOW_MS.together : SLOW_MS.alone);
    for (const project of projects) {
      const one = this.of(project);
      const restUntilMs = endedMs + restMs;
      // What happened while it was judged is perhaps not in what was judged.
      const dueAtMs = one.movedAtMs >= beganMs ? restUntilMs : null;
      Object.assign(one, { restMs, restUntilMs, isSlow, failures: null, dueAtMs });
    }
    this.rest({ beganMs, endedMs });
    this.forgetIdle();
  }

  /** Projects that failed together go one by one at once; one that fails by itself rests, longer each time, and holds up nobody. */
  failed(projects: readonly KnownProject[], { beganMs, endedMs }: Span): void {
    for (const { tenantId, projectId } of projects) {
      const one = this.of({ tenantId, projectId });
      one.failures = projects.length > 1 ? 0 : (one.failures ?? 0) + 1;
      const restMs = one.failures === 0 ? 0 : REST_MS * 2 ** (one.failures - 1);
      one.restUntilMs = endedMs + Math.min(REST_FAILED_MAX_MS, restMs);
      one.dueAtMs = one.restUntilMs;
    }
    this.rest({ beganMs, endedMs });
  }

  /** Nothing could be judged, so that it was no project's own fault that it failed. */
  nobodysFault(): void {
    for (const one of this.known.values()) {
      Object.assign(one, { failures: null, restUntilMs: 0 });
    }
  }

  private rest({ beganMs, endedMs }: Span): void {
    this.restUntilMs = endedMs + Math.min(REST_OF_ALL_MAX_MS, REST_OF_ALL_PER_COST * (endedMs - beganMs));
  }

  private of(project: ProjectName): Known {
    const key = nameOf(project);
    const one = this.known.get(key) ?? {
      tenantId: project.tenantId,
      projectId: project.projectId,
      dueAtMs: null,
      restMs: REST_MS,
      restUntilMs: 0,
      movedAtMs: Number.MIN_SAFE_INTEGER,
      triedAtMs: Number.MIN_SAFE_INTEGER,
      isSlow: false,
      failures: null,
    };
    this.known.set(key, one);
    return one;
  }

  private forgetIdle(): void {
    if (this.known.size > KNOWN_MAX) {
      for (const [key, { dueAtMs }] of this.known) {
        if (dueAtMs === null) {
          this.known.delete(key);
        }
      }
    }
  }
}

export const nameOf = ({ tenantId, projectId }: ProjectName): string => `${tenantId}/${projectId}`;

const goesAlone = ({ isSlow, failures }: KnownProject): boolean => isSlow || failures !== null;
