import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  Kind,
  visit,
} from 'graphql';
import type { Viewer } from '../services/access/viewer.js';
import type { EncodedResult } from './encoded.js';
import { SubscriptionError } from './errors.js';
import type { LiveItem } from './subscription.js';

/** A subscription that was parsed and validated, and its subscriber. */
export interface LiveOperation {
  readonly args: ExecutionArgs;
  /** The text of the document: subscriptions of the same text, variables and rights get the same results. */
  readonly query: string;
  readonly viewer: Viewer;
  /** What of an error a client is told. */
  readonly mask: (error: unknown) => GraphQLError;
}

/**
 * Runs a subscription: its source's items, each executed and encoded once for all subscribers of this process who ask
 * the same and may see the same. Items of a source must hold no more than their viewer's role and scope may see.
 *
 * Throws what the source throws, masked; a consumer that was too slow is told so unmasked ({@link isTooSlow}), for its
 * connection is to end.
 */
export async function subscribeLive(
  operation: LiveOperation,
): Promise<AsyncIterableIterator<EncodedResult> | ExecutionResult> {
  const source = await createSourceEventStream(operation.args);
  return Symbol.asyncIterator in source
    ? encodedItems(source as AsyncIterableIterator<LiveItem<unknown>>, operation)
    : { errors: (source.errors ?? []).map(operation.mask) };
}

/** Not a generator: its `return` would wait for an item that never comes. */
function encodedItems(
  source: AsyncIterableIterator<LiveItem<unknown>>,
  operation: LiveOperation,
): AsyncIterableIterator<EncodedResult> {
  const cohort = cohortOf(operation);
  return {
    async next() {
      try {
        const { done, value: item } = await source.next();
        return done
          ? { done, value: undefined }
          : { done: false, value: await encoded(item, cohort, operation) };
      } catch (error) {
        throw isTooSlow(error) ? error : operation.mask(error);
      }
    },
    async return() {
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Whether a subscription ended because its consumer was too slow. */
export function isTooSlow(error: unknown): boolean {
  return error instanceof SubscriptionError && error.code === 'SLOW_CONSUMER';
}

/** What was made of one value: for a cohort, at a cursor. */
interface Made {
  readonly cohort: string;
  readonly cursor: string;
  readonly reset: boolean;
  readonly skipped: number | null;
  result: EncodedResult | Promise<EncodedResult>;
}

/** Gone with the value itself. */
const madeOf = new WeakMap<object, Made[]>();

function encoded(
  item: LiveItem<unknown>,
  cohort: string,
  operation: LiveOperation,
): EncodedResult | Promise<EncodedResult> {
  const { value, cursor, reset, skipped } = item;
  if (typeof value !== 'object' || value === null) {
    return executed(item, operation);
  }
  const made = madeOf.get(value) ?? [];
  const found = made.find(
    (one) => one.cohort === cohort && one.cursor === cursor && one.reset === reset && one.skipped === skipped,
  );
  if (found !== undefined) {
    return found.result;
  }
  const one: Made = { cohort, cursor, reset, skipped, result: executed(item, operation) };
  made.push(one);
  madeOf.set(value, made);
  return one.result;
}

async function executed(item: LiveItem<unknown>, { args, mask }: LiveOperation): Promise<EncodedResult> {
  const { errors, ...result } = await execute({ ...args, rootValue: item });
  const told = errors === undefined ? result : { ...result, errors: errors.map(mask) };
  return { text: JSON.stringify(told), cursor: item.cursor };
}

/** Names all that a result depends on beside the item: what is asked, and what its viewer may see. */
function cohortOf({ args, query, viewer }: LiveOperation): string {
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
