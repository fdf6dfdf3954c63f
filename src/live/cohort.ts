import { type DocumentNode, type ExecutionResult, execute, Kind, visit } from 'graphql';
import type { Viewer } from '../services/access/viewer.js';
import type { StreamEvent } from '../services/events/stream.js';
import { EncodedResult } from './encoded.js';
import type { ItemSource } from './handed.js';
import type { LiveOperation } from './live-operation.js';
import type { LiveItem } from './subscription.js';

type Result = EncodedResult | Promise<EncodedResult>;

/** What was made of one value at a cursor. */
interface Made {
  readonly cohort: Cohort;
  readonly cursor: string;
  readonly reset: boolean;
  readonly skipped: number | null;
  readonly result: Result;
}

/** Gone with the value itself. */
const madeOf = new WeakMap<object, Made[]>();

/** By all that their results depend on beside the item. */
const cohorts = new Map<string, Cohort>();

/** What execution needs of an operation that is the same for each member: nothing of anybody's request. */
type Same = Omit<LiveOperation, 'query' | 'viewer'>;

/** Who is told of an event. */
interface Member {
  readonly viewer: Viewer;
  readonly items: ItemSource<LiveItem<unknown>>;
}

/**
 * Subscribers of this process who ask the same and may see the same: an item is executed and encoded once for all of
 * them, in a context of its own. Members come and go; none of their requests outlives them here.
 */
export class Cohort {
  #members = 0;
  /** Those of a stream are told of one event one after the other. */
  #last: { readonly event: StreamEvent; readonly result: Result | null } | null = null;

  private constructor(
    private readonly name: string,
    private readonly same: Same,
  ) {}

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
    }
  }

  /** What members get of an event that comes: null where they may see nothing of it. */
  resultOf(event: StreamEvent, { items, viewer }: Member): Result | null {
    if (this.#last?.event !== event) {
      const item = items.itemOf(event);
      this.#last = { event, result: item === null ? null : this.encoded(item, viewer) };
    }
    return this.#last.result;
  }

  /** What members get of an item, which is read for the first of them who gets it. */
  encoded(item: LiveItem<unknown>, viewer: Viewer): Result {
    const { value, cursor, reset, skipped } = item;
    if (typeof value !== 'object' || value === null) {
      return this.#executed(item, viewer);
    }
    const made = madeOf.get(value) ?? [];
    const found = made.find(
      (one) => one.cohort === this && one.cursor === cursor && one.reset === reset && one.skipped === skipped,
    );
    if (found !== undefined) {
      return found.result;
    }
    const result = this.#executed(item, viewer);
    made.push({ cohort: this, cursor, reset, skipped, result });
    madeOf.set(value, made);
    return result;
  }

  /** Without a promise where no resolver needs one. */
  #executed(item: LiveItem<unknown>, viewer: Viewer): Result {
    const { args, shared, mask } = this.same;
    const shows: bigint[] = [];
    const told = ({ errors, ...result }: ExecutionResult) =>
      new EncodedResult(
        JSON.stringify(errors === undefined ? result : { ...result, errors: errors.map(mask) }),
        item.cursor,
        shows,
      );
    const contextValue = shared.contextFor(viewer, (taskIds) => void shows.push(...taskIds));
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

function sameOf({ args: { contextValue: _asked, ...args }, shared, mask }: LiveOperation): Same {
  return { args, shared, mask };
}

/** Names all that a result depends on beside the item: what is asked, and what its viewer may see. */
function nameOf({ args, query, viewer }: LiveOperation): string {
  const { tenantId, role, customerId, expertId } = viewer;
  const beginnings = beginningsOf(args.document);
  const variables = Object.entries(args.variableValues ?? {}).filter(([name]) => !beginnings.has(name));
  const asked = JSON.stringify([query, args.operationName ?? null, variables]);
  return `${tenantId} ${role} ${customerId} ${expertId} ${asked}`;
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
