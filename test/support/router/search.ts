import type { Network } from './graph.js';

/** The quickest way. */
export interface Way {
  readonly seconds: number;
  readonly metres: number;
}

/** The quickest ways from one junction to several (Dijkstra, with a binary heap); null where there is none. */
export function waysFrom(network: Network, from: number, targets: readonly number[]): (Way | null)[] {
  const { starts, to, seconds, metres } = network;
  const time = new Float64Array(network.places.length).fill(Number.POSITIVE_INFINITY);
  const length = new Float64Array(network.places.length);
  const wanted = new Set(targets);
  const open = new Heap();
  time[from] = 0;
  open.push(0, from);
  while (wanted.size > 0) {
    const next = open.pop();
    if (next === null) {
      break;
    }
    const [at, junction] = next;
    if (at > (time[junction] ?? 0)) {
      continue;
    }
    wanted.delete(junction);
    for (let arc = starts[junction] ?? 0; arc < (starts[junction + 1] ?? 0); arc++) {
      const end = to[arc] ?? 0;
      const there = at + (seconds[arc] ?? 0);
      if (there < (time[end] ?? 0)) {
        time[end] = there;
        length[end] = (length[junction] ?? 0) + (metres[arc] ?? 0);
        open.push(there, end);
      }
    }
  }
  return targets.map((target) => {
    const total = time[target] ?? Number.POSITIVE_INFINITY;
    return total === Number.POSITIVE_INFINITY ? null : { seconds: total, metres: length[target] ?? 0 };
  });
}

/** Junctions by time, least first. */
class Heap {
  readonly #items: [number, number][] = [];

  push(time: number, junction: number): void {
    const items = this.#items;
    let at = items.push([time, junction]) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#timeAt(parent) <= time) {
        break;
      }
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): [number, number] | null {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (first === undefined || last === undefined) {
      return null;
    }
    if (this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink();
    }
    return first;
  }

  #sink(): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const child = this.#timeAt(left + 1) < this.#timeAt(left) ? left + 1 : left;
      if (this.#timeAt(child) >= this.#timeAt(at)) {
        return;
      }
      this.#swap(at, child);
      at = child;
    }
  }

  #timeAt(index: number): number {
    return this.#items[index]?.[0] ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#items[a], this.#items[b]];
    if (one !== undefined && other !== undefined) {
      this.#items[a] = other;
      this.#items[b] = one;
    }
  }
}
