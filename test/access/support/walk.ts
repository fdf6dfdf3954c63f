import type { GraphQLAnswer, TestApi } from '../../support/api.js';
import {
  type Asking,
  documentFor,
  nameOf,
  type Question,
  questions,
  variablesFor,
  type Whole,
} from './questions.js';
import type { Text } from './secrets.js';
import { finderOf } from './texts.js';
import type { Viewer } from './walk-world.js';

/** Something that a viewer read and must not. */
export interface Leak {
  readonly viewer: string;
  readonly by: string;
  readonly secret: string;
}

/** What one viewer's walk came to. */
export interface Walked {
  readonly leaks: Leak[];
  /** All that was read, to see that the walk was not blind. */
  readonly read: string;
  readonly requests: number;
  /** Answers that were looked at: one for each id of each question. */
  readonly answers: number;
}

/** Refusals that a walk may meet; anything else (a cost, a depth) would have blinded it. */
const EXPECTED = new Set(['FORBIDDEN', 'BAD_USER_INPUT', 'NOT_FOUND']);

const isExpected = ({ extensions }: GraphQLAnswer['errors'][number]) =>
  EXPECTED.has(String(extensions?.code));

export interface Ground extends Asking {
  readonly api: TestApi;
  /** How many ids go into one request, by role and question, where it is not as many as there may be; found while walking. */
  readonly sizes: Map<string, number>;
}

export interface WalkOptions {
  /** Ends at the first leak, and takes an error for what it is: for tests that make holes. */
  readonly untilFirstLeak?: boolean;
}

/** Requests on their way at once. */
const AT_ONCE = 4;
/** Ids that are asked for by one request, at most: each is an alias, of which an operation may have 30. */
const IDS_AT_ONCE = 24;

/** Reads everything that a viewer can ask for: every root field, with every id of its type, and every node. */
export async function walk(
  ground: Ground,
  looked: { viewer: Viewer; secrets: ReadonlyMap<string, Text> },
  options: WalkOptions = {},
): Promise<Walked> {
  const walker = new Walker(ground, looked, options);
  const toAsk = questions(ground);
  const lane = async () => {
    for (const question of toAsk) {
      await walker.ask(question);
      if (walker.isDone) {
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return walker;
}

class Walker implements Walked {
  readonly leaks: Leak[] = [];
  read = '';
  requests = 0;
  answers = 0;
  private readonly viewer: Viewer;
  private readonly secrets: ReadonlyMap<string, Text>;
  private readonly secretsIn: (text: string) => string[];

  constructor(
    private readonly ground: Ground,
    { viewer, secrets }: { viewer: Viewer; secrets: ReadonlyMap<string, Text> },
    private readonly options: WalkOptions,
  ) {
    this.viewer = viewer;
    this.secrets = secrets;
    this.secretsIn = finderOf([...secrets.keys()].map((value) => [value, escaped(value)]));
  }

  get isDone(): boolean {
    return this.options.untilFirstLeak === true && this.leaks.length > 0;
  }

  async ask(question: Question | Whole): Promise<void> {
    if ('document' in question) {
      const { data, errors } = await this.send(question);
      this.look(question.by, { asked: Object.values(question.variables).flat(), told: data });
      this.expectNotBlinded(question.by, errors);
      return;
    }
    for (let n = 0; n < question.ids.length && !this.isDone; ) {
      const ids = question.ids.slice(n, n + this.sizeOf(question));
      n += (await this.askFor(question, ids)) ? ids.length : 0;
    }
  }

  /** False where that is too much for one request: then the next ones have half as many. */
  private async askFor(question: Question, ids: readonly string[]): Promise<boolean> {
    const document = documentFor(question, ids);
    const { data, errors } = await this.send({ document, variables: variablesFor(ids) });
    const isWhole = (data ?? null) !== null && errors.every(isExpected);
    if (ids.length > 1 && !isWhole) {
      this.ground.sizes.set(this.keyOf(question), Math.ceil(ids.length / 2));
      return false;
    }
    for (const [n, id] of ids.entries()) {
      this.look(question.by, { asked: [id], told: data?.[nameOf(n)] });
    }
    this.expectNotBlinded(question.by, errors);
    return true;
  }

  private sizeOf(question: Question): number {
    return question.together ? (this.ground.sizes.get(this.keyOf(question)) ?? IDS_AT_ONCE) : 1;
  }

  /** What an operation may cost is a matter of the role. */
  private keyOf({ by, selection }: Question): string {
    return `${this.viewer.eyes.role} ${by} ${selection}`;
  }

  private send({
    document,
    variables,
  }: Pick<Whole, 'document'> & { variables: object }): Promise<GraphQLAnswer> {
    this.requests += 1;
    return this.ground.api.attempt(this.viewer.token, document, variables);
  }

  private expectNotBlinded(by: string, errors: GraphQLAnswer['errors']): void {
    const blinding = errors.find((error) => !isExpected(error));
    if (blinding !== undefined && this.options.untilFirstLeak !== true) {
      throw new Error(`The walk of ${this.viewer.name} was blinded at ${by}: ${blinding.message}`);
    }
  }

  /** Secrets in an answer; and anything at all in the answer about something whose very id is a secret. */
  private look(by: string, { asked, told }: { asked: readonly string[]; told: unknown }): void {
    const text = JSON.stringify(told ?? null);
    this.answers += 1;
    this.read += text;
    for (const value of this.secretsIn(text)) {
      const { table, column } = this.secrets.get(value) ?? { table: '', column: '' };
      if (!asked.includes(value)) {
        this.leaks.push({
          viewer: this.viewer.name,
          by,
          secret: `${table}.${column}: ${value.slice(0, 60)}`,
        });
      }
    }
    const [id = ''] = asked;
    const about = asked.length === 1 ? this.secrets.get(id) : undefined;
    if (about !== undefined && valuesIn(told).length > 0) {
      const secret = `something about ${about.table}: ${text.slice(0, 200)}`;
      this.leaks.push({ viewer: this.viewer.name, by, secret });
    }
  }
}

/** What an answer tells: no names of types, and nothing of an empty page. */
function valuesIn(data: unknown): unknown[] {
  if (Array.isArray(data)) {
    return data.flatMap(valuesIn);
  }
  if (typeof data === 'object' && data !== null) {
    return Object.entries(data).flatMap(([name, value]) =>
      name === '__typename' || name === 'pageInfo' ? [] : valuesIn(value),
    );
  }
  return data === null || data === undefined ? [] : [data];
}

/** As a text stands inside JSON; one that is JSON itself stands there as it is. */
function escaped(value: string): string {
  return value.startsWith('{') || value.startsWith('[') ? value : JSON.stringify(value).slice(1, -1);
}
