import { type DocumentNode, type ExecutionResult, execute, Kind, visit } from 'graphql';
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

/**
 * Subscribers of this process who ask the same and may see the same: an item is executed and encoded once for all of
 * them.
 */
export class Cohort {
  #members = 0;
  /** Those of a stream are told of one event one after the other. */
  #last: { readonly event: StreamEvent; readonly result: Result | null } | null = null;

  /** @param operation of whoever was the first; all that matters of it is the same for each member */
  private constructor(
    private readonly name: string,
    private readonly operation: LiveOperation,
  ) {}

  /** The cohort of an operation; each who joins leaves once. */
  static join(operation: LiveOperation): Cohort {
    const name = nameOf(operation);
    const cohort = cohorts.get(name) ?? new Cohort(name, operation);
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
  resultOf(event: StreamEvent, source: ItemSource<LiveItem<unknown>>): Result | null {
    if (this.#last?.event !== event) {
      const item = source.itemOf(event);
      this.#last = { event, result: item === null ? null : this.encoded(item) };
    }
    return this.#last.result;
  }

  /** What members get of an item. */
  encoded(item: LiveItem<unknown>): Result {
    const { value, cursor, reset, skipped } = item;
    if (typeof value !== 'object' || value === null) {
      return executed(item, this.operation);
    }
    const made = madeOf.get(value) ?? [];
    const found = made.find(
      (one) => one.cohort === this && one.cursor === cursor && one.reset === reset && one.skipped === skipped,
    );
    if (found !== undefined) {
      return found.result;
    }
    const result = executed(item, this.operation);
    made.push({ cohort: this, cursor, reset, skipped, result });
    madeOf.set(value, made);
    return result;
  }
}

/** Without a promise where no resolver needs one. */
function executed(item: LiveItem<unknown>, { args, mask }: LiveOperation): Result {
  const told = ({ errors, ...result }: ExecutionResult) =>
    new EncodedResult(
      JSON.stringify(errors === undefined ? result : { ...result, errors: errors.map(mask) }),
      item.cursor,
    );
  const result = execute({ ...args, rootValue: item });
  return result instanceof Promise ? result.then(told) : told(result as ExecutionResult);
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
