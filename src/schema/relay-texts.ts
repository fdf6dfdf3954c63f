import { badInput } from '../resolvers/api-errors.js';

// What Relay's own types and fields are described by.

type Ids = { id: string; typename: string }[];

/** @throws BAD_USER_INPUT for more ids than a page could show */
function nodesByIds(
  _root: unknown,
  { ids }: { ids: Ids },
  ...[, , load]: [context: object, info: object, load: (ids: Ids) => Promise<unknown[]>]
): Promise<unknown[]> {
  if (ids.length > 100) {
    throw badInput('Ask for at most 100 ids at once.');
  }
  return load(ids);
}

export const relayTexts = {
  nodeTypeOptions: { description: 'Anything that has an opaque, permanent id.' },
  nodeQueryOptions: {
    description: 'The thing behind an id, or null where there is none that you may see.',
    args: { id: { description: 'An id that the API has given out.' } },
  },
  nodesQueryOptions: {
    description:
      'The things behind at most 100 ids, in their order; null where there is none that you may see.',
    args: { ids: { description: 'Ids that the API has given out.' } },
    complexity: (args: { ids: readonly unknown[] }) => ({ field: 1, multiplier: args.ids.length }),
    resolve: nodesByIds,
  },
  idFieldOptions: { description: 'Opaque and permanent; it tells nothing and sorts nothing.' },
} as const;

export const pageInfoTexts = {
  pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
  pageInfoFieldOptions: { description: 'Where this page stands, and whether there is another.' },
  hasNextPageFieldOptions: { description: 'Whether there is more after this page.' },
  hasPreviousPageFieldOptions: { description: 'Whether this page was asked for with `after`.' },
  startCursorFieldOptions: { description: 'Cursor of the first item.' },
  endCursorFieldOptions: { description: 'Cursor of the last item: send it as `after` for the next page.' },
  edgesFieldOptions: {
    nullable: { list: false, items: false },
    description: 'The items of this page, each with its cursor.',
    complexity: { field: 0, multiplier: 1 },
  },
  cursorFieldOptions: { description: 'Where this item stands: send it as `after` to go on behind it.' },
  nodeFieldOptions: { nullable: false, description: 'The item.' },
} as const;
