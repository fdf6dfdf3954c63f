import pg from 'pg';

/** A node of a plan as EXPLAIN (FORMAT JSON, ANALYZE, BUFFERS) writes it; the parts that are looked at. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** A statement that was run, at the top or inside a function. */
export interface Explained {
  readonly text: string;
  readonly plan: PlanNode;
}

/** A connection in a role, on which every statement says how it was run: those inside functions, too (auto_explain). */
export class ExplainingClient {
  private statements: Explained[] = [];

  private constructor(private readonly client: pg.Client) {
    client.on('notice', ({ message }) => {
      const json = /plan:\s*(\{[\s\S]*\})\s*$/.exec(message ?? '')?.[1];
      if (json !== undefined) {
        const { 'Query Text': text, Plan: plan } = JSON.parse(json) as {
          'Query Text': string;
          Plan: PlanNode;
        };
        this.statements.push({ text, plan });
      }
    });
  }

  static async connect(url: string, role: string): Promise<ExplainingClient> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`
      load 'auto_explain';
      set auto_explain.log_min_duration = 0;
      set auto_explain.log_analyze = on;
      set auto_explain.log_timing = off;
      set auto_explain.log_buffers = on;
      set auto_explain.log_nested_statements = on;
      set auto_explain.log_format = json;
      set log_min_messages = fatal;
      set client_min_messages = log;
      set role ${role}`);
    return new ExplainingClient(client);
  }

  get pg(): pg.Client {
    return this.client;
  }

  /** The statements of `work`, each with its plan. */
  async explain(work: () => Promise<unknown>): Promise<Explained[]> {
    this.statements = [];
    await work();
    return this.statements;
  }

  end(): Promise<void> {
    return this.client.end();
  }
}

const SORTED_MAX = 100;
const READ_MAX = 500;

/**
 * What no hot statement may do: sort more than a hundred rows, read one of the large tables from end to end, or more than
 * some hundred rows of one by an index to find a few.
 */
export function faultsOf(statements: readonly Explained[], large: ReadonlySet<string>): string[] {
  return statements.flatMap(({ text, plan }) =>
    nodesOf(plan).flatMap((node) => {
      // The other roles' part of a policy stands in the plan and is never run.
      const rows = node['Actual Rows'] * node['Actual Loops'];
      const isRun = node['Actual Loops'] > 0;
      const table = node['Relation Name'] ?? '';
      const inside = text.replace(/\s+/g, ' ').slice(0, 120);
      if (/Sort/.test(node['Node Type']) && rows > SORTED_MAX) {
        return [`${rows} rows sorted in: ${inside}`];
      }
      const read = rows + removedBy(node) * node['Actual Loops'];
      if (node['Node Type'] !== 'Seq Scan' && read > READ_MAX && isLarge(table, large)) {
        return [`${read} rows of ${table} read in: ${inside}`];
      }
      return node['Node Type'] === 'Seq Scan' && isRun && isLarge(table, large)
        ? [`${table} read whole in: ${inside}`]
        : [];
    }),
  );
}

const removedBy = (node: PlanNode) =>
  (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);

/** A partition counts as its table. */
const isLarge = (table: string, large: ReadonlySet<string>) =>
  large.has(table) || large.has(table.replace(/_(\d\w*|rest)$/, ''));

export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Buffers that a statement touched, with those of the statements inside it. */
export const buffersOf = ({ plan }: Explained): number =>
  plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
