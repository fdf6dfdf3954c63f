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
 */
export function shareOut(pools: readonly Pool[], classes: number): Sharing {
  return sharingOf(graphOf(pools, classes), classes);
}

function sharingOf(graph: Graph, classes: number): Sharing {
  const levels = new Int32Array(classes);
  const next = new Int32Array(classes);
  return {
    add(workClass, hours) {
      let served = 0;
      while (hours - served > NOTHING && level(graph, [workClass], levels)) {
        next.fill(0);
        served += pushAll(graph, { levels, next }, { from: workClass, most: hours - served });
      }
      return served;
    },
    reach: (workClass) => reached(graph, [workClass], levels),
    reachOfAll: (several) => reached(graph, several, levels),
    reachIfShort(workClass) {
      const before = standOf(graph);
      this.add(workClass, Number.MAX_VALUE);
      const found = reached(graph, [workClass], levels);
      goBack(graph, before);
      return found;
    },
    tight() {
      const open = new Set<number>();
      return Array.from(levels.keys()).filter((of) => isTight(graph, of, open));
    },
  };
}

interface Arc {
  readonly pool: number;
  /** Hours of the pool that the class has. */
  flow: number;
  readonly workClass: number;
}

interface Graph {
  readonly arcs: readonly Arc[];
  readonly ofClass: readonly (readonly Arc[])[];
  readonly ofPool: readonly (readonly Arc[])[];
  readonly spare: Float64Array;
}

function graphOf(pools: readonly Pool[], classes: number): Graph {
  const ofClass: Arc[][] = Array.from({ length: classes }, () => []);
  const ofPool = pools.map(({ classes: able }, pool) =>
    [...new Set(able)].map((workClass) => {
      const arc = { pool, workClass, flow: 0 };
      ofClass[workClass]?.push(arc);
      return arc;
    }),
  );
  return { arcs: ofPool.flat(), ofClass, ofPool, spare: Float64Array.from(pools, ({ hours }) => hours) };
}

interface Stand {
  readonly flows: Float64Array;
  readonly spare: Float64Array;
}

const standOf = ({ arcs, spare }: Graph): Stand => ({
  flows: Float64Array.from(arcs, ({ flow }) => flow),
  spare: spare.slice(),
});

function goBack({ arcs, spare }: Graph, before: Stand): void {
  spare.set(before.spare);
  for (const [place, arc] of arcs.entries()) {
    arc.flow = before.flows[place] ?? 0;
  }
}

function reached(graph: Graph, from: Iterable<number>, levels: Int32Array): number[] {
  level(graph, from, levels);
  return Array.from(levels.keys()).filter((of) => levels[of] !== NOT_SEEN);
}

/** Puts classes in levels by their distance from some. True where a pool with hours to spare is reached. */
function level({ ofClass, ofPool, spare }: Graph, from: Iterable<number>, levels: Int32Array): boolean {
  levels.fill(NOT_SEEN);
  const seen = new Uint8Array(spare.length);
  const queue = [...from];
  for (const one of queue) {
    levels[one] = 0;
  }
  let last = Number.POSITIVE_INFINITY;
  for (const at of queue) {
    // Longer ways are of no use once there is one.
    if ((levels[at] ?? 0) > last) {
      break;
    }
    for (const { pool } of ofClass[at] ?? []) {
      if (seen[pool] === 1) {
        continue;
      }
      seen[pool] = 1;
      if ((spare[pool] ?? 0) > NOTHING) {
        last = levels[at] ?? 0;
      }
      for (const { workClass, flow } of ofPool[pool] ?? []) {
        if (flow > NOTHING && levels[workClass] === NOT_SEEN) {
          levels[workClass] = (levels[at] ?? 0) + 1;
          queue.push(workClass);
        }
      }
    }
  }
  return Number.isFinite(last);
}

interface Search {
  readonly levels: Int32Array;
  readonly next: Int32Array;
}

/** All paths of this level from a class, one after the other; each class goes on with the arc that it came to. */
function pushAll(graph: Graph, search: Search, { from, most }: { from: number; most: number }): number {
  const arcs = graph.ofClass[from] ?? [];
  let pushed = 0;
  while ((search.next[from] ?? 0) < arcs.length && most - pushed > NOTHING) {
    const arc = arcs[search.next[from] ?? 0] as Arc;
    pushed += pushThrough(graph, search, { arc, most: most - pushed });
    if (most - pushed > NOTHING) {
      search.next[from] = (search.next[from] ?? 0) + 1;
    }
  }
  return pushed;
}

/** Hours of a pool for a class: what it has to spare, and what other classes can be given elsewhere. */
function pushThrough(graph: Graph, search: Search, { arc, most }: { arc: Arc; most: number }): number {
  const spare = Math.min(most, graph.spare[arc.pool] ?? 0);
  graph.spare[arc.pool] = (graph.spare[arc.pool] ?? 0) - spare;
  let pushed = spare;
  for (const other of graph.ofPool[arc.pool] ?? []) {
    const isNext = search.levels[other.workClass] === (search.levels[arc.workClass] ?? 0) + 1;
    if (isNext && other.flow > NOTHING && most - pushed > NOTHING) {
      const freed = pushAll(graph, search, {
        from: other.workClass,
        most: Math.min(other.flow, most - pushed),
      });
      other.flow -= freed;
      pushed += freed;
    }
  }
  arc.flow += pushed;
  return pushed;
}

/** Whether a class has no way to a pool with hours to spare. @param open classes that are known to have one */
function isTight(graph: Graph, of: number, open: Set<number>): boolean {
  const levels = new Int32Array(graph.ofClass.length);
  if (open.has(of) || level(graph, [of], levels)) {
    open.add(of);
    return false;
  }
  return true;
}
