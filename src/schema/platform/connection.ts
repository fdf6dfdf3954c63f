import type { ObjectRef } from '@pothos/core';
import { PAGE, type PageArgs } from '../../resolvers/paging.js';
import { builder, type SchemaShape } from '../builder.js';

type Extended = PothosSchemaTypes.ExtendDefaultTypes<SchemaShape>;

/** Arguments of every list. */
export const connectionArgs = () =>
  builder.args((t) => ({
    first: t.int({ required: false, description: `How many, 1 to ${PAGE.max} (default ${PAGE.default}).` }),
    after: t.string({ required: false, description: 'Go on behind this cursor.' }),
  }));

/** What a list costs: its page size times what is selected of an item. */
export const connectionCost = ({ first }: PageArgs) => ({
  field: 1,
  multiplier: Math.min(Math.max(first ?? PAGE.default, 1), PAGE.max),
});

/** Declares the connection type of `node`: `ProjectConnection` of `Project`. */
export function connectionOf<T extends object>(node: ObjectRef<Extended, T>, plural: string) {
  return builder.connectionObject(
    { type: node, name: `${node.name}Connection`, description: `A page of ${plural}.` },
    { name: `${node.name}Edge`, description: `One of the ${plural} of a page.` },
  );
}
