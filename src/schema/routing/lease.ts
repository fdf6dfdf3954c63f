import type { LeaseShape } from '../../resolvers/shapes.js';
import { builder } from '../builder.js';

export const LeaseRef = builder.objectRef<LeaseShape>('Lease').implement({
  description: 'The time in which a claimed task may be worked on, by the database’s clock.',
  fields: (t) => ({
    epoch: t.exposeInt('epoch', {
      description: 'Fencing token of this claim: repeat it in every call about the assignment.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it ends.', resolve: (l) => l.leaseUntil }),
    secondsLeft: t.exposeFloat('secondsLeft', { description: 'What was left of it when this was answered.' }),
    leaseSeconds: t.exposeInt('leaseSeconds', { description: 'How long one lease of the project is.' }),
  }),
});
