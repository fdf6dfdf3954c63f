import { setMaxListeners } from 'node:events';
import { type DocumentNode, type ExecutionResult, execute, Kind, visit } from 'graphql';
import type { Viewer } from '../services/access/viewer.js';
import type { StreamEvent } from '../services/events/stream.js';
import { EncodedResult } from './encoded.js';
import type { ItemSource } from './handed.js';
import { keepWith, keptWith } from './kept.js';
import type { LiveOperation } from './live-operation.js';
import { type PlainExecution, plainExecution } from './plain-execution.js';
import type { LiveItem } from './subscription.js';

type Result = EncodedResult | Promise<EncodedResult>;

/** How items are executed without all of GraphQL. */
interface Plain {
  readonly execute: PlainExecution;
  readonly context: unknown;
  /** Of which tasks the item shows answers that is being executed. */
  shows: bigint[];
}

/** What was made of an item that is no event's. */
interface Made {
  readonly item: LiveItem<unknown>;
  readonly result: Result;
}

/** By all that their results depend on beside the item. */
const cohorts = new Map<string, Cohort>();

/** What execution needs of an operation that is the same for each member: nothing of anybody's request. */
type Same = Omit<LiveOperation, 'query' | 'viewer'>;

/**
 * Subscribers of this process who ask the same and may see the same: an item is executed and encoded once for all of
 * them, in a context of its own. Members come and go; none of their requests outlives them here.
 */
export class Cohort {
  #members = 0;
  /** Aborted with the last member: nothing is read on for nobody. */
  readonly #gone = new AbortController();
  /** Of the newest state: who follows one is told of it together with the others. */
  #newest: Made | null = null;
  #executions = 0;
  /** From the second item on, which many subscriptions never have; null where it does not do. */
  #plain: Plain | null = null;

  private constructor(
    private readonly name: string,
    private readonly same: Same,
  ) {
    setMaxListeners(0, this.#gone.signal); // one for each read that runs
  }

  /** The cohort of an operation; each who joins leaves once. */
  static join(operation: LiveOperation): Cohort {
    const name = nameOf(operation);
    const cohort = cohorts.get(name) ?? new Cohort(name, sameOf(operation));
    cohorts.set(name, cohort);
    cohort.#members += 1;
    return cohort;
  }

  /** Cohorts that have members. */
  static get count(): number {
    return cohorts.size;
  }

  leave(): void {
    this.#members -= 1;
    if (this.#members === 0) {
      cohorts.delete(this.name);
      this.#gone.abort();
    }
  }

  /** What members get of an event that comes: null where they may see nothing of it. */
  resultOf(event: StreamEvent, items: ItemSource<LiveItem<unknown>>, viewer: Viewer): Result | null {
    const kept = keptWith(event);
    const known = kept.get(this) as Result | null | undefined;
    if (known !== undefined) {
      return known;
    }
    const item = items.itemOf(event);
    const result = item === null ? null : this.#executed(item, viewer);
    this.#keep(event, result);
    return result;
  }

  /** What members get of an item, which is read for the first of them who gets it. */
  encoded(item: LiveItem<unknown>, viewer: Viewer): Result {
    if (item.event !== undefined) {
      const kept = keptWith(item.event).get(this) as Result | undefined;
      if (kept !== undefined) {
        return kept;
      }
      const result = this.#executed(item, viewer);
      this.#keep(item.event, result);
      return result;
    }
    if (this.#newest === null || !isSame(this.#newest.item, item)) {
      this.#newest = { item, result: this.#executed(item, viewer) };
    }
    return this.#newest.result;
  }

  /** Nothing that failed: what was amiss may pass, and whoever comes later asks anew. */
  #keep(event: StreamEvent, value: Result | null): void {
    if (value instanceof EncodedResult && value.hasErrors) {
      return;
    }
    keepWith(event, { key: this, value });
    if (value instanceof Promise) {
      const forget = () => void keptWith(event).delete(this);
      value.then((result) => void (result.hasErrors && forget()), forget);
    }
  }

  #executed(item: LiveItem<unknown>, viewer: Viewer): Result {
    return this.#executedPlainly(item, viewer) ?? this.#executedWholly(item, viewer);
  }

  #executedPlainly(item: LiveItem<unknown>, viewer: Viewer): EncodedResult | null {
    this.#executions += 1;
    if (this.#executions === 2) {
      this.#plain = this.#preparedFor(viewer);
    }
    const plain = this.#plain;
    if (plain === null) {
      return null;
    }
    plain.shows = [];
    const data = plain.execute(item, plain.context);
    if (data === null) {
      this.#plain = null;
      return null;
    }
    return new EncodedResult(`{"data":${data}}`, item.cursor, { shows: plain.shows });
  }

  /** With one context for all items: nothing is read by it, for what has to be read is no plain execution. */
  #preparedFor(viewer: Viewer): Plain | null {
    const { args, shared } = this.same;
    const execute = plainExecution(args);
    if (execute === null) {
      return null;
    }
    const context = shared.contextFor(viewer, {
      signal: this.#gone.signal,
      onShown: (taskIds) => void plain.shows.push(...taskIds),
    });
    const plain: Plain = { execute, context, shows: [] };
    return plain;
  }

  /** Without a promise where no resolver needs one. */
  #executedWholly(item: LiveItem<unknown>, viewer: Viewer): Result {
    const { args, shared, mask } = this.same;
    const shows: bigint[] = [];
    const told = ({ errors, ...result }: ExecutionResult) =>
      new EncodedResult(
        JSON.stringify(errors === undefined ? result : { ...result, errors: errors.map(mask) }),
        item.cursor,
        { shows, hasErrors: errors !== undefined },
      );
    const contextValue = shared.contextFor(viewer, {
      signal: this.#gone.signal,
      onShown: (taskIds) => void shows.push(...taskIds),
    });
    const result = execute({ ...args, contextValue, rootValue: item });
    if (!(result instanceof Promise)) {
      return told(result as ExecutionResult);
    }
    const coming = result.then(told);
    // Who was offered it may have left: a failure that nobody waits for would end the process.
    coming.catch(() => undefined);
    return coming;
  }
}

function isSame(a: LiveItem<unknown>, b: LiveItem<unknown>): boolean {
  return a.value === b.value && a.cursor === b.cursor && a.reset === b.reset && a.skipped === b.skipped;
}

function sameOf({ args: { contextValue: _asked, ...args }, shared, mask }: LiveOperation): Same {
  return { args, shared, mask };
}

/** Names all that a result depends on beside the item: what is asked, and what its viewer may see. */
function nameOf({ args, query, viewer }: LiveOperation): string {
  const { tenantId, role, customerId, expertId } = viewer;
  const beginnings = beginningsIn(args.document);
  const variables = Object.entries(args.variableValues ?? {}).filter(([name]) => !beginnings.has(name));
  const asked = JSON.stringify([query, args.operationName ?? null, variables]);
  return `${tenantId} ${role} ${customerId} ${expertId} ${asked}`;
}

/** Documents are parsed once for all who ask the same, and found out about once. */
const beginningsOfDocument = new WeakMap<DocumentNode, ReadonlySet<string>>();

function beginningsIn(document: DocumentNode): ReadonlySet<string> {
  const beginnings = beginningsOfDocument.get(document) ?? beginningsOf(document);
  beginningsOfDocument.set(document, beginnings);
  return beginnings;
}

/** Variables that say where a subscriber begins and nothing else: nothing that its items depend on. */
function beginningsOf(document: DocumentNode): Set<string> {
  const roots = document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : [],
  );
  const beginnings = roots
    .flatMap((root) => (root.kind === Kind.FIELD ? (root.arguments ?? []) : []))
    .flatMap(({ name, value }) =>
      name.value === 'after' && value.kind === Kind.VARIABLE ? [value.name.value] : [],
    );
  const uses: string[] = [];
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void uses.push(name.value),
  });
  const countIn = (names: readonly string[], wanted: string) =>
    names.filter((name) => name === wanted).length;
  return new Set(beginnings.filter((name) => countIn(uses, name) === countIn(beginnings, name)));
}
