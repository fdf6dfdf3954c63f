import { builder } from '../builder.js';
import { ExpertRef } from '../refs.js';

/** Declares the payload of a mutation that changes an expert. */
export const expertPayload = (name: string, mutation: string) =>
  builder.objectRef<{ expertId: bigint }>(name).implement({
    description: `What \`${mutation}\` did.`,
    fields: (t) => ({
      expert: t.field({
        type: ExpertRef,
        nullable: true,
        description: 'The expert as they are now.',
        resolve: ({ expertId }, _args, { load }) => load.expert.load(expertId),
      }),
    }),
  });
