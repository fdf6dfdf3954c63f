import type { InputFieldMap, InputShapeFromFields, ObjectRef } from '@pothos/core';
import type { Live } from '../../live/live.js';
import { HANDS_ON } from '../../live/plain-execution.js';
import type { LiveItem } from '../../live/subscription.js';
import { beginningOf } from '../../resolvers/events.js';
import type { Role, Viewer } from '../../services/access/viewer.js';
import { builder, type SchemaShape } from '../builder.js';
import { ProjectRef, SkillRef } from '../refs.js';
import { liveFields } from './live-item.js';

type Extended = PothosSchemaTypes.ExtendDefaultTypes<SchemaShape>;
type ItemFields<T> = PothosSchemaTypes.ObjectFieldBuilder<Extended, LiveItem<T>>;
type FieldsOf = ReturnType<typeof liveFields>;

interface LiveItemType<T> {
  readonly description: string;
  /** What an item tells, beside its cursor. */
  readonly fields: (t: ItemFields<T>) => Record<string, FieldsOf[keyof FieldsOf] | object>;
}

/** Declares the type of a subscription's items; each has its cursor too. */
export function liveType<T>(name: string, { description, fields }: LiveItemType<T>) {
  return builder.objectRef<LiveItem<T>>(name).implement({
    description,
    fields: (t) => ({ ...liveFields(t), ...fields(t) }) as FieldsOf,
  });
}

interface LiveField<T, Args extends InputFieldMap> {
  readonly type: ObjectRef<Extended, LiveItem<T>>;
  readonly description: string;
  readonly roles: readonly Role[];
  /** What it is about; the cursor to go on behind is added. */
  readonly args: Args;
  readonly open: (
    live: Live,
    viewer: Viewer,
    args: InputShapeFromFields<Args> & { readonly after: string | null },
  ) => Promise<AsyncIterableIterator<LiveItem<T>>>;
}

/** Declares a subscription: who may have it, what it is about, and which of the live ones it opens. */
export function liveField<T, Args extends InputFieldMap>(
  name: string,
  { type, description, roles, args, open }: LiveField<T, Args>,
): void {
  builder.subscriptionField(name, (t) =>
    t.field({
      type,
      description,
      authScopes: { role: roles },
      args: {
        ...args,
        after: t.arg.string({ required: false, description: 'Go on behind this cursor.' }),
      },
      subscribe: (_root, given, ctx) => {
        const { app, viewer } = ctx;
        // TypeScript cannot tell what the shape of `Args` together with `after` comes to.
        const asked = given as unknown as InputShapeFromFields<Args> & { readonly after?: string | null };
        return open(app.live, viewer, { ...asked, after: beginningOf(asked, ctx) });
      },
      extensions: { [HANDS_ON]: true },
      resolve: (item) => item as LiveItem<T>,
    }),
  );
}

/** The argument of a subscription to one project. */
export const projectArgs = builder.args((t) => ({
  projectId: t.globalID({ required: true, for: ProjectRef, description: 'Which project.' }),
}));

/** The argument of a subscription to one skill. */
export const skillArgs = builder.args((t) => ({
  skillId: t.globalID({ required: true, for: SkillRef, description: 'Which skill.' }),
}));
