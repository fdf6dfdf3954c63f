import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { oneOf, type Random } from './random.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Node {
  readonly process: ChildProcess;
  readonly url: string;
}

/** Server processes on one database that can be killed and started again. */
export class Nodes {
  private readonly nodes: (Node | null)[] = [];

  constructor(private readonly env: NodeJS.ProcessEnv) {}

  async start(count: number): Promise<void> {
    const started = await Promise.all(Array.from({ length: count }, () => startNode(this.env)));
    this.nodes.push(...started);
  }

  /** Somewhere to send a request; any node will do. */
  anyUrl(random: Random): string {
    const alive = this.nodes.filter((node) => node !== null);
    return oneOf(random, alive).url;
  }

  /** Kills one node as a power cut does, and starts another in its place. */
  async replaceOne(random: Random): Promise<void> {
    const index = Math.floor(random() * this.nodes.length);
    const victim = this.nodes[index];
    if (!victim) {
      return;
    }
    const gone = once(victim.process, 'exit');
    victim.process.kill('SIGKILL');
    await gone;
    this.nodes[index] = null;
    this.nodes[index] = await startNode(this.env);
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.nodes.map(async (node) => {
        if (node !== null) {
          const gone = once(node.process, 'exit');
          node.process.kill('SIGKILL');
          await gone;
        }
      }),
    );
  }
}

async function startNode(env: NodeJS.ProcessEnv): Promise<Node> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/soak/node.ts'], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [url] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`A server ended with ${code} before it listened.`);
    }),
  ])) as [string];
  return { process: child, url };
}
