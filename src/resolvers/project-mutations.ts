import type { Context } from '../context.js';
import type { CreateBatchInput } from '../schema/projects/batch-mutations.js';
import type { SetBudgetInput } from '../schema/projects/budget.js';
import type {
  CancelProjectInput,
  CreateProjectInput,
  SetLeaseInput,
  UpdateProjectInput,
} from '../schema/projects/project-mutations.js';
import type { CreateTaskTypeInput } from '../schema/projects/task-type.js';
import { InputInvalidError, NotFoundError } from '../services/access/errors.js';
import * as batches from '../services/projects/batches.js';
import * as budgets from '../services/projects/budget.js';
import * as projects from '../services/projects/projects.js';
import type { Requirement } from '../services/projects/requirement.js';
import * as taskTypes from '../services/tasks/task-type-store.js';
import { said } from './said.js';

export async function createTaskType(input: typeof CreateTaskTypeInput.$inferInput, ctx: Context) {
  const { app, viewer, load } = ctx;
  const customerId = input.customerId?.id ?? viewer.customerId;
  // A customer's scope shows it nobody but itself.
  if (customerId !== null && (await load.customer.load(customerId)) === null) {
    throw new NotFoundError('customer');
  }
  const { name, definition, instructions } = input;
  return taskTypes.createTaskType(app.db, viewer, {
    name,
    definition,
    instructions: instructions ?? '',
    customerId,
  });
}

export function createProject(input: typeof CreateProjectInput.$inferInput, { app, viewer }: Context) {
  const customerId = input.customerId?.id ?? viewer.customerId;
  if (customerId === null) {
    throw new InputInvalidError([{ path: '/customerId', message: 'Say whose project it is.' }]);
  }
  return projects.createProject(app.db, viewer, {
    customerId,
    name: input.name,
    taskTypeId: input.taskTypeId.id,
    skillId: input.skillId.id,
    priceMinor: input.price.minorUnits,
    currency: input.price.currency,
    redundancy: input.redundancy ?? 1,
    minQuality: input.minQuality ?? 0,
    requirement: requirementOf(input),
    maxPerExpert: input.maxPerExpert ?? null,
    weight: input.weight ?? 10,
    leaseSeconds: input.leaseSeconds ?? projects.LEASE_SECONDS.default,
    deadline: input.deadline ?? null,
    idempotencyKey: input.idempotencyKey,
  });
}

function requirementOf({
  furtherSkills,
  languages,
  tags,
}: Pick<typeof CreateProjectInput.$inferInput, 'furtherSkills' | 'languages' | 'tags'>): Requirement {
  return {
    allOf: (furtherSkills?.allOf ?? []).map(({ id }) => id),
    anyOf: (furtherSkills?.anyOf ?? []).map(({ id }) => id),
    minQuality: furtherSkills?.minQuality ?? 0,
    languages: languages ?? [],
    tags: tags ?? [],
  };
}

export async function updateProject(
  { projectId, name, deadline, weight }: typeof UpdateProjectInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ projectId: bigint }> {
  await projects.updateProject(app.db, viewer, {
    projectId: projectId.id,
    ...(name === undefined || name === null ? {} : { name }),
    ...(weight === undefined || weight === null ? {} : { weight }),
    ...(deadline === undefined ? {} : { deadline }),
  });
  return { projectId: projectId.id };
}

export async function cancelProject(
  { projectId, policy }: typeof CancelProjectInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ projectId: bigint }> {
  await projects.cancelProject(app.db, viewer, { projectId: projectId.id, policy });
  return { projectId: projectId.id };
}

export async function setLease(
  { projectId, leaseSeconds }: typeof SetLeaseInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ projectId: bigint }> {
  await projects.setLease(app.db, viewer, { projectId: projectId.id, leaseSeconds });
  return { projectId: projectId.id };
}

export async function setBudget(
  { projectId, budget }: typeof SetBudgetInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ projectId: bigint; budget: budgets.BudgetAsSet | null }> {
  // Left out is not null: nobody takes a bound away by forgetting to say one.
  const change = { projectId: projectId.id, budgetMinor: said('/budget', budget) };
  return { projectId: projectId.id, budget: await budgets.setBudget(app.db, viewer, change) };
}

export function createBatch(input: typeof CreateBatchInput.$inferInput, { app, viewer }: Context) {
  const { projectId, name, deadline, idempotencyKey, tasks } = input;
  return batches.createBatch({ db: app.db, store: app.payloads }, viewer, {
    projectId: projectId.id,
    name,
    deadline: deadline ?? null,
    idempotencyKey,
    tasks: tasks.map(({ payload, allowExpertIds, blockExpertIds, ...task }) => ({
      ...task,
      payload,
      allow: allowExpertIds ?? null,
      block: blockExpertIds ?? null,
    })),
  });
}
