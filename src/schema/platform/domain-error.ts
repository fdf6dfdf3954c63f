import {
  InputInvalidError,
  type InputIssue,
  NameTakenError,
  NotFoundError,
} from '../../services/access/errors.js';
import type { DomainError } from '../../services/platform/errors.js';
import { IdempotencyConflictError } from '../../services/projects/errors.js';
import { builder } from '../builder.js';

export const DomainErrorRef = builder.interfaceRef<DomainError>('DomainError').implement({
  description: 'A refusal that the caller can act on. Match `code`; show `message`.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Stable and machine-readable.' }),
    message: t.exposeString('message', { description: 'What happened and what to do, in English.' }),
  }),
});

export const IssueRef = builder.objectRef<InputIssue>('Issue').implement({
  description: 'One fault of what was sent.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Where, as a JSON pointer; empty for the whole.' }),
    message: t.exposeString('message', { description: 'What is wrong with it.' }),
  }),
});

// biome-ignore lint/suspicious/noExplicitAny: Pothos asks for it; a class's own parameters do not matter here
type Constructor = new (...args: any[]) => DomainError;

/** Declares a refusal that has nothing but its code and message. */
export function plainRefusal(type: Constructor, description: string): void {
  builder.objectType(type, { name: type.name, description, interfaces: [DomainErrorRef] });
}

/** Declares a refusal that lists every fault. */
export function refusalWithIssues<T extends DomainError & { readonly issues: readonly InputIssue[] }>(
  // biome-ignore lint/suspicious/noExplicitAny: as above
  type: new (...args: any[]) => T,
  description: string,
): void {
  builder.objectType(type as Constructor, {
    name: type.name,
    description,
    interfaces: [DomainErrorRef],
    fields: (t) => ({
      issues: t.field({
        type: [IssueRef],
        description: 'Every fault, at most 100.',
        resolve: (error) => (error as T).issues.slice(0, 100),
      }),
    }),
  });
}

refusalWithIssues(InputInvalidError, 'Fields of the input are not acceptable; nothing was done.');
plainRefusal(NotFoundError, 'A thing that the input names does not exist, or is not yours.');
plainRefusal(NameTakenError, 'The name is taken already.');
plainRefusal(
  IdempotencyConflictError,
  'The idempotency key was used before with other content; what was done then stands.',
);
