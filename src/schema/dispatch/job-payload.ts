import { builder } from '../builder.js';
import { JobRef } from '../refs.js';

/** Declares the payload of a mutation that changes a job. */
export const jobPayload = (name: string, mutation: string) =>
  builder.objectRef<{ jobId: bigint }>(name).implement({
    description: `What \`${mutation}\` did.`,
    fields: (t) => ({
      job: t.field({
        type: JobRef,
        nullable: true,
        description: 'The job as it is now; null where it is not yours any more.',
        resolve: ({ jobId }, _args, { load }) => load.job.load(jobId),
      }),
    }),
  });
