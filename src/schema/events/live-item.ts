import type { LiveItem } from '../../live/subscription.js';
import type { SchemaShape } from '../builder.js';

type Fields = PothosSchemaTypes.ObjectFieldBuilder<
  PothosSchemaTypes.ExtendDefaultTypes<SchemaShape>,
  LiveItem<unknown>
>;

/** What every item of a subscription has. */
export const liveFields = (t: Fields) => ({
  cursor: t.exposeString('cursor', {
    description: 'A later subscription `after` this goes on without gap or repeat.',
  }),
  reset: t.exposeBoolean('reset', {
    description:
      'Forget what you know: this begins the state afresh, because the cursor given could not be resumed from.',
  }),
  skipped: t.exposeInt('skipped', {
    nullable: true,
    description:
      'With `reset`: how many events were passed over and will not be told; null where that is not known, and without `reset`.',
  }),
});
