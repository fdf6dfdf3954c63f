import type { Proof } from '../../services/dispatch/reads.js';
import { builder } from '../builder.js';
import { JobRef } from '../refs.js';

const ProofRef = builder.objectRef<Proof>('Proof').implement({
  description: 'What proves that a job was done, such as a photo or a signature.',
  fields: (t) => ({
    id: t.id({
      description: 'Of the proof.',
      resolve: ({ id }, _args, { app }) => app.ids.encode('Proof', id),
    }),
    contentType: t.exposeString('contentType', { description: 'Its media type, as the worker gave it.' }),
    bytes: t.exposeInt('bytes', { description: 'How long it is.' }),
    sha256: t.exposeString('sha256', { description: 'Of its bytes, in hexadecimal digits.' }),
    at: t.field({ type: 'DateTime', description: 'When it was given.', resolve: ({ at }) => at }),
    url: t.string({
      description: 'Where its bytes are: asked for with the same token, they come as a file.',
      resolve: ({ id }, _args, { app }) => `${app.publicUrl}/v1/proofs/${app.ids.encode('Proof', id)}`,
    }),
  }),
});

builder.objectField(JobRef, 'proofs', (t) =>
  t.field({
    type: [ProofRef],
    nullable: true,
    authScopes: { role: ['CUSTOMER', 'DISPATCHER', 'OPERATOR'] },
    description: 'What proves that it was done, 1 to 5: to its customer and who dispatches.',
    // (Seldom more than one, and five at most.)
    complexity: { field: 1, multiplier: 1 },
    resolve: ({ id }, _args, { load }) => load.proofsOfJob.load(id),
  }),
);
