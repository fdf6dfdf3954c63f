import { type Machine, startMachine } from './machine.js';
import { type Group, shapeOf } from './populate.js';
import { type Figure, lineOf, printTable } from './report.js';
import { cloneWorld, type ExpertRef, makeWorld, type World } from './world.js';

export interface BenchOptions {
  readonly sizes: readonly number[];
  readonly explain: boolean;
  readonly full: boolean;
}

/** One run: its server, its worlds, and what was found. */
export class Bench {
  private readonly worlds = new Map<number, World>();
  private readonly taken = new Map<string, number>();
  private readonly figures: Figure[] = [];

  private constructor(
    readonly machine: Machine,
    private readonly options: BenchOptions,
  ) {}

  static async start(options: BenchOptions): Promise<Bench> {
    return new Bench(await startMachine(), options);
  }

  get sizes(): readonly number[] {
    return this.options.sizes;
  }

  get explain(): boolean {
    return this.options.explain;
  }

  get full(): boolean {
    return this.options.full;
  }

  /** The size at which everything that is not measured over sizes is measured. */
  get mainSize(): number {
    return this.sizes.filter((size) => size <= 500_000).at(-1) ?? 50_000;
  }

  /** The database of that many tasks, made at the first use. */
  async world(size: number): Promise<World> {
    const found = this.worlds.get(size);
    if (found !== undefined) {
      return found;
    }
    const began = performance.now();
    const world = await makeWorld(this.machine, shapeOf(size));
    this.say(`  ${size} tasks made in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    this.worlds.set(size, world);
    return world;
  }

  /** How many cycles a timed run has: a few seconds. */
  get cycles(): number {
    return this.mainSize >= 200_000 ? 8_000 : 3_000;
  }

  /** Another database with the same contents, for what must not meet the traces of something else. The caller drops it. */
  clone(world: World, name: string): Promise<World> {
    return cloneWorld(this.machine, world, name);
  }

  /** The next experts of a group that nobody has used in this world. */
  take(world: World, group: Group, count: number): ExpertRef[] {
    const key = `${world.database}/${group}`;
    const from = this.taken.get(key) ?? 0;
    const taken = world.experts[group].slice(from, from + count);
    if (taken.length < count) {
      throw new Error(`The world ${world.name} has no ${count} experts left in its group ${group}.`);
    }
    this.taken.set(key, from + count);
    return taken;
  }

  say(text: string): void {
    console.log(text);
  }

  figure(figure: Figure): void {
    this.figures.push(figure);
    this.say(lineOf(figure));
  }

  /** The table, and the one line of JSON. */
  report(): void {
    printTable(this.figures);
  }

  async stop(): Promise<void> {
    await this.machine.stop();
  }
}
