/** Hours that may be spent on any of some classes of work: of one expert, or of all who can do the same. */
export interface Pool {
  readonly hours: number;
  readonly classes: readonly number[];
}

/** Hours of experts shared by classes of work, each hour once; demands are served in the order in which they are added. */
export interface Sharing {
  /**
   * Serves so many more hours of a class as far as that takes nothing from what was served before; of whom it takes them may change.
   * @returns how many hours were served
   */
  add(workClass: number, hours: number): number;
  /** The classes whose experts could serve this one if they gave up what they do: where it was not served, what binds it. */
  reach(workClass: number): number[];
  /** The same of several together. */
  reachOfAll(classes: Iterable<number>): number[];
  /** The classes that would bind this one if there were more of it than can be served; nothing is served by asking. */
  reachIfShort(workClass: number): number[];
  /** The largest set of classes that takes all the hours there are for it: the one with the greatest shortfall. Empty where nothing is tight. */
  tight(): number[];
}

/** Less is nothing: hours are sums of fractions. */
const NOTHING = 1e-9;
const NOT_SEEN = -1;

/**
 * A maximum flow from pools to classes, kept while demands are added (Dinic 1970: shortest augmenting paths, level by level).
 * Paths are sought from the class whose demand grows to a pool with hours to spare; a path through a pool takes hours from
 * another class and finds that class others. What was served stays served, so that the order of adding is a priority. The sum that
 * is served is the most that can be, and where not everything is, the shortfall is that of the worst set of classes (Hall 1935).
 *
 * Thousands of pools share a hundred classes: levels are found among classes alone, by how many pools of one have hours to spare, and how
 * many of them serve each other one.
 */
export function shareOut(pools: readonly Pool[], classes: number): Sharing {
  return sharersOf(
    pools.map((pool) => pool.classes),
    classes,
  )(pools.map(({ hours }) => hours));
}

/** The same of pools that are asked again with other hours. @param pools the classes that each may serve */
export function sharersOf(
  pools: readonly (readonly number[])[],
  classes: number,
): (hours: ArrayLike<number>) => Sharing {
  const graph = graphOf(pools, classes);
  return (hours) => sharingOf(graph, Float64Array.from(hours));
}

function sharingOf(graph: Graph, hours: Float64Array): Sharing {
  const flow = new Flow(graph, hours);
  const { classes } = graph;
  return {
    add: (workClass, hours) => flow.add(workClass, hours),
    reach: (workClass) => flow.reached([workClass]),
    reachOfAll: (several) => flow.reached(several),
    reachIfShort: (workClass) => flow.reachedIfShort(workClass),
    tight: () => Array.from({ length: classes }, (_, of) => of).filter((of) => !flow.canGrow(of)),
  };
}

/** Which pool may serve which class: arcs, by pool and by class. */
interface Graph {
  readonly classes: number;
  readonly arcPool: Int32Array;
  readonly arcClass: Int32Array;
  /** Of pool n the arcs from `poolStart[n]` up to that of the next. */
  readonly poolStart: Int32Array;
  /** The arcs of class n stand in `classArcs` from `classStart[n]` on. */
  readonly classStart: Int32Array;
  readonly classArcs: Int32Array;
}

function graphOf(pools: readonly (readonly number[])[], classes: number): Graph {
  const own = pools.map((able) => [...new Set(able)]);
  const arcPool = Int32Array.from(own.flatMap((able, pool) => able.map(() => pool)));
  const arcClass = Int32Array.from(own.flat());
  const poolStart = startsOf(Int32Array.from(own, (able) => able.length));
  const counts = new Int32Array(classes);
  for (const of of arcClass) {
    counts[of] = (counts[of] ?? 0) + 1;
  }
  const classStart = startsOf(counts);
  const next = classStart.slice();
  const classArcs = new Int32Array(arcClass.length);
  for (const [arc, of] of arcClass.entries()) {
    classArcs[next[of] ?? 0] = arc;
    next[of] = (next[of] ?? 0) + 1;
  }
  return { classes, arcPool, arcClass, poolStart, classStart, classArcs };
}

function startsOf(counts: Int32Array): Int32Array {
  const starts = new Int32Array(counts.length + 1);
  for (const [place, count] of counts.entries()) {
    starts[place + 1] = (starts[place] ?? 0) + count;
  }
  return starts;
}

class Flow {
  /** Hours of its pool that the class of an arc has. */
  private readonly flow: Float64Array;
  /** Pools of a class that have hours to spare. */
  private readonly open: Int32Array;
  /** Pools of one class that serve another: by the one, then by the other. */
  private readonly shared: Int32Array;
  private readonly levels: Int32Array;
  /** The level at which there is something to spare. */
  private last = 0;
  /** The arc that each class has come to. */
  private readonly next: Int32Array;
  /** What was changed since the question began that is to leave no trace: arcs, and pools as less than nought, with what they had. */
  private trace: { readonly places: number[]; readonly values: number[] } | null = null;

  /** @param spare hours of each pool; they are taken from it */
  constructor(
    private readonly graph: Graph,
    private readonly spare: Float64Array,
  ) {
    const { classes, arcClass, arcPool } = graph;
    this.flow = new Float64Array(arcClass.length);
    this.open = new Int32Array(classes);
    this.shared = new Int32Array(classes * classes);
    this.levels = new Int32Array(classes);
    this.next = new Int32Array(classes);
    for (const [arc, of] of arcClass.entries()) {
      if ((spare[arcPool[arc] ?? 0] ?? 0) > NOTHING) {
        this.open[of] = (this.open[of] ?? 0) + 1;
      }
    }
  }

  add(workClass: number, hours: number): number {
    let served = 0;
    while (hours - served > NOTHING && this.level([workClass], true)) {
      for (let of = 0; of < this.next.length; of += 1) {
        this.next[of] = this.graph.classStart[of] ?? 0;
      }
      served += this.pushAll(workClass, hours - served);
    }
    return served;
  }

  reached(from: Iterable<number>): number[] {
    this.level(from, false);
    return Array.from(this.levels.keys()).filter((of) => this.levels[of] !== NOT_SEEN);
  }

  reachedIfShort(workClass: number): number[] {
    const trace = { places: [] as number[], values: [] as number[] };
    this.trace = trace;
    this.add(workClass, Number.MAX_VALUE);
    this.trace = null;
    const found = this.reached([workClass]);
    for (let n = trace.places.length - 1; n >= 0; n -= 1) {
      const [place, value] = [trace.places[n] ?? 0, trace.values[n] ?? 0];
      if (place < 0) {
        this.setSpare(-place - 1, value);
      } else {
        this.setFlow(place, value);
      }
    }
    return found;
  }

  /** Whether there is a way from a class to a pool with hours to spare. */
  canGrow(workClass: number): boolean {
    return this.level([workClass], true);
  }

  /**
   * Puts classes in levels by their distance from some; up to the first at which there is something to spare, if asked for.
   * True where there is.
   */
  private level(from: Iterable<number>, isFirst: boolean): boolean {
    const { classes } = this.graph;
    this.levels.fill(NOT_SEEN);
    let layer = [...from];
    let isOpen = false;
    for (const of of layer) {
      this.levels[of] = 0;
    }
    for (let level = 0; layer.length > 0; level += 1) {
      if (layer.some((of) => (this.open[of] ?? 0) > 0)) {
        isOpen = true;
        this.last = level;
        // Longer ways are of no use once there is one.
        if (isFirst) {
          return true;
        }
      }
      const further: number[] = [];
      for (const of of layer) {
        for (let other = 0; other < classes; other += 1) {
          if (this.levels[other] === NOT_SEEN && (this.shared[of * classes + other] ?? 0) > 0) {
            this.levels[other] = level + 1;
            further.push(other);
          }
        }
      }
      layer = further;
    }
    return isOpen;
  }

  /** All paths of this level from a class, one after the other; each class goes on with the arc that it came to. */
  private pushAll(from: number, most: number): number {
    const { classStart, classArcs } = this.graph;
    const end = classStart[from + 1] ?? 0;
    let pushed = 0;
    for (let at = this.next[from] ?? 0; at < end && most - pushed > NOTHING; at = this.next[from] ?? end) {
      pushed += this.pushThrough(classArcs[at] ?? 0, most - pushed);
      if (most - pushed > NOTHING) {
        this.next[from] = at + 1;
      }
    }
    return pushed;
  }

  /** Hours of a pool for a class: what it has to spare, and what other classes can be given elsewhere. */
  private pushThrough(arc: number, most: number): number {
    const { arcPool, arcClass, poolStart } = this.graph;
    const pool = arcPool[arc] ?? 0;
    const level = this.levels[arcClass[arc] ?? 0] ?? 0;
    let pushed = Math.min(most, this.spare[pool] ?? 0);
    if (pushed > 0) {
      this.setSpare(pool, (this.spare[pool] ?? 0) - pushed);
    }
    const end = level < this.last ? (poolStart[pool + 1] ?? 0) : 0;
    for (let other = poolStart[pool] ?? 0; other < end && most - pushed > NOTHING; other += 1) {
      const [of, flow] = [arcClass[other] ?? 0, this.flow[other] ?? 0];
      if (flow > NOTHING && this.levels[of] === level + 1) {
        const freed = this.pushAll(of, Math.min(flow, most - pushed));
        this.setFlow(other, (this.flow[other] ?? 0) - freed);
        pushed += freed;
      }
    }
    if (pushed > 0) {
      this.setFlow(arc, (this.flow[arc] ?? 0) + pushed);
    }
    return pushed;
  }

  private setSpare(pool: number, hours: number): void {
    const before = this.spare[pool] ?? 0;
    this.trace?.places.push(-pool - 1);
    this.trace?.values.push(before);
    this.spare[pool] = hours;
    const step = Number(hours > NOTHING) - Number(before > NOTHING);
    const { arcClass, poolStart } = this.graph;
    for (let arc = poolStart[pool] ?? 0; step !== 0 && arc < (poolStart[pool + 1] ?? 0); arc += 1) {
      const of = arcClass[arc] ?? 0;
      this.open[of] = (this.open[of] ?? 0) + step;
    }
  }

  private setFlow(arc: number, hours: number): void {
    const before = this.flow[arc] ?? 0;
    this.trace?.places.push(arc);
    this.trace?.values.push(before);
    this.flow[arc] = hours;
    const step = Number(hours > NOTHING) - Number(before > NOTHING);
    const { arcClass, arcPool, poolStart, classes } = this.graph;
    const pool = arcPool[arc] ?? 0;
    const served = arcClass[arc] ?? 0;
    for (let other = poolStart[pool] ?? 0; step !== 0 && other < (poolStart[pool + 1] ?? 0); other += 1) {
      const at = (arcClass[other] ?? 0) * classes + served;
      this.shared[at] = (this.shared[at] ?? 0) + step;
    }
  }
}
