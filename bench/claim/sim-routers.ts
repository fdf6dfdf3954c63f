import { judgePools } from '../../src/services/routing/pools.js';
import { type Day, type Router, randomFrom, type SimProject, SKILLS, type Wait } from './sim.js';

interface Row {
  readonly project: number;
  readonly tag: number;
  readonly at: number;
}

/** What both orders in memory share: when tasks came and how long they waited. */
abstract class InMemory implements Router {
  protected now = 0;
  protected readonly done: Wait[] = [];

  constructor(protected readonly day: Day) {}

  abstract arrive(project: SimProject, count: number): Promise<void>;
  protected abstract pick(expert: number): Row | null;
  protected abstract left(): Row[];

  async tick(seconds: number): Promise<void> {
    this.now = seconds;
  }

  async ask(experts: readonly number[]): Promise<boolean[]> {
    return experts.map((expert) => {
      const row = this.pick(expert);
      if (row !== null) {
        this.done.push({ project: row.project, seconds: this.now - row.at, given: true });
      }
      return row !== null;
    });
  }

  async waits(): Promise<Wait[]> {
    const waiting = this.left().map(({ project, at }) => ({ project, seconds: this.now - at, given: false }));
    return [...this.done, ...waiting];
  }
}

/** Plain priority order: of all that an expert may have, the highest priority, and of that the oldest. */
export class PlainPriority extends InMemory {
  /** First in, first out a project; projects of a skill by priority. */
  private readonly queues = new Map<number, Row[]>();

  async arrive(project: SimProject, count: number): Promise<void> {
    const queue = this.queues.get(project.id) ?? [];
    this.queues.set(project.id, queue);
    queue.push(...Array.from({ length: count }, () => ({ project: project.id, tag: 0, at: this.now })));
  }

  protected pick(expert: number): Row | null {
    const mine = this.day.projects.filter(
      ({ id, skill }) => this.day.skills[expert]?.includes(skill) && (this.queues.get(id)?.length ?? 0) > 0,
    );
    const oldest = (id: number) => this.queues.get(id)?.[0]?.at ?? 0;
    const [best] = mine.sort((a, b) => b.weight - a.weight || oldest(a.id) - oldest(b.id));
    return best === undefined ? null : (this.queues.get(best.id)?.shift() ?? null);
  }

  protected left(): Row[] {
    return [...this.queues.values()].flat();
  }
}

/** As in app.claim_all (prisma/migrations): one lane a skill. */
const NEAR = 1_000;
const NEAR_ROWS = 4;
const EVEN = 0.0625;
const MEASURED_EVERY_SECONDS = 60;

/** The rules of app.enqueue_tasks and app.claim_all for one answer a task: start tags, pressure of lanes, near equals. */
export class Model extends InMemory {
  private readonly lanes = Array.from({ length: SKILLS + 1 }, () => [] as Row[]);
  private readonly lastTag = new Map<number, number>();
  private pressures = new Map<number, number>();
  private measuredAt = Number.NEGATIVE_INFINITY;
  private readonly random = randomFrom(7);

  async arrive({ id, skill, weight }: SimProject, count: number): Promise<void> {
    const lane = this.lanes[skill] ?? [];
    const start = Math.max(this.lastTag.get(id) ?? 0, lane[0]?.tag ?? Math.max(0, ...this.endsOf(skill)));
    for (let n = 0; n < count; n++) {
      lane.push({ project: id, tag: start + (n * 1000) / weight, at: this.now });
    }
    this.lastTag.set(id, start + (count * 1000) / weight);
    lane.sort((a, b) => a.tag - b.tag);
  }

  override async tick(seconds: number): Promise<void> {
    this.now = seconds;
    if (seconds - this.measuredAt >= MEASURED_EVERY_SECONDS) {
      this.measuredAt = seconds;
      this.measure();
    }
  }

  protected pick(expert: number): Row | null {
    const even = this.random() < EVEN;
    const turns = (this.day.skills[expert] ?? []).map((skill) => {
      const pressure = Math.max(0.05, Math.min(20, this.pressures.get(skill) ?? 1));
      return { skill, turn: -Math.log(1 - this.random()) / (even ? 1 : pressure ** 2) };
    });
    for (const { skill } of turns.sort((a, b) => a.turn - b.turn)) {
      const lane = this.lanes[skill] ?? [];
      const near = lane.slice(0, NEAR_ROWS).filter(({ tag }) => tag <= (lane[0]?.tag ?? 0) + NEAR).length;
      if (near > 0) {
        return lane.splice(Math.floor(this.random() * near), 1)[0] ?? null;
      }
    }
    return null;
  }

  protected left(): Row[] {
    return this.lanes.flat();
  }

  private endsOf(skill: number): number[] {
    return this.day.projects.filter((one) => one.skill === skill).map(({ id }) => this.lastTag.get(id) ?? 0);
  }

  /** By the product's own judgement of what waits and who is there. */
  private measure(): void {
    const busy = new Set([...this.lanes.keys()].filter((skill) => (this.lanes[skill]?.length ?? 0) > 0));
    const shares = new Map<number, number>();
    for (const skills of this.day.skills) {
      const share = 1 / Math.max(1, skills.filter((skill) => busy.has(skill)).length);
      for (const skill of skills) {
        shares.set(skill, (shares.get(skill) ?? 0) + share);
      }
    }
    const depths = [...busy].map((skill) => {
      const open = this.lanes[skill]?.length ?? 0;
      const ids = { tenantId: 1n, skillId: BigInt(skill), taskTypeId: 1n, laneId: BigInt(skill) };
      return { ...ids, queueDepth: open, openAnswers: open, oldestOpenAt: null };
    });
    const supply = [...shares].flatMap(([skill, share]) => {
      const there = { available: 1, availableShare: share, qualified: 1, qualifiedShare: share };
      const skillId = BigInt(skill);
      return [
        { skillId, laneId: skillId, ...there },
        { skillId, laneId: null, ...there },
      ];
    });
    const { lanes } = judgePools(depths, { shares: supply, paces: [], before: [] });
    this.pressures = new Map(lanes.map(({ laneId, pressure }) => [Number(laneId), pressure]));
  }
}
