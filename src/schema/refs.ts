import { brandWithType } from '@pothos/core';
import type DataLoader from 'dataloader';
import type {
  AccessLog,
  Batch,
  Customer,
  Expert,
  Identity,
  Job,
  Offer,
  Payout,
  Project,
  Skill,
  TaskType,
} from '../generated/prisma/client.js';
import type { Loaders } from '../resolvers/loaders.js';
import type { AssignmentShape, TaskShape } from '../resolvers/shapes.js';
import { builder } from './builder.js';

// Everything with an id, declared apart from its fields, so that types can name each other without import cycles.
// What the viewer may not see loads as null.

type LoaderOf<T> = (load: Loaders) => DataLoader<bigint, T | null>;

function node<T extends { readonly id: bigint }>(name: string, loaderOf: LoaderOf<T>) {
  const ref = builder.nodeRef<T, bigint>(name, {
    id: { resolve: ({ id }) => id, parse: (text) => BigInt(text) },
    loadMany: (ids, { load }) => Promise.all(ids.map((id) => branded(loaderOf(load).load(id), name))),
  });
  // The plugin's own type says that `parseId` may be undefined, which under exactOptionalPropertyTypes hides that an
  // argument `for` this type is a bigint.
  return ref as typeof ref & { readonly parseId: (id: string, ctx: object) => bigint };
}

/**
 * Marks a row as one of its type, before anybody has it. The plugin marks what it has loaded only afterwards, and a
 * second `node` of the same id in one request is given the row out of its cache without a mark.
 */
async function branded<T>(loading: Promise<T | null>, name: string): Promise<T | null> {
  const row = await loading;
  brandWithType(row, name as never);
  return row;
}

export const CustomerRef = node<Customer>('Customer', (load) => load.customer);
export const IdentityRef = node<Identity>('Identity', (load) => load.identity);
export const ExpertRef = node<Expert>('Expert', (load) => load.expert);
export const SkillRef = node<Skill>('Skill', (load) => load.skill);
export const TaskTypeRef = node<TaskType>('TaskType', (load) => load.taskType);
export const ProjectRef = node<Project>('Project', (load) => load.project);
export const BatchRef = node<Batch>('Batch', (load) => load.batch);
export const TaskRef = node<TaskShape>('Task', (load) => load.task as DataLoader<bigint, TaskShape | null>);
export const AssignmentRef = node<AssignmentShape>(
  'Assignment',
  (load) => load.assignment as DataLoader<bigint, AssignmentShape | null>,
);
export const AccessLogEntryRef = node<AccessLog>('AccessLogEntry', (load) => load.accessLogEntry);
export const PayoutRef = node<Payout>('Payout', (load) => load.payout);
export const JobRef = node<Job>('Job', (load) => load.job);
export const OfferRef = node<Offer>('Offer', (load) => load.offer);
