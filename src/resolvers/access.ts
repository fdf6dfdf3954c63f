import type { Context } from '../context.js';
import type { Skill } from '../generated/prisma/client.js';
import type { CreateCustomerInput } from '../schema/access/customer.js';
import type {
  CreateExpertInput,
  SetExpertSkillInput,
  SetExpertStatusInput,
} from '../schema/access/expert-mutations.js';
import type { CreateSkillInput, SetExplorationShareInput } from '../schema/access/skill.js';
import * as people from '../services/access/people.js';
import { setExplorationShare as setShare } from '../services/quality/gold/exploration.js';
import { backward, forward, type Page } from './paging.js';
import { said } from './said.js';

export const customers = (page: Page, ctx: Context) => ctx.read((tx) => tx.customer.findMany(forward(page)));

export const skills = (page: Page, ctx: Context) => ctx.read((tx) => tx.skill.findMany(forward(page)));

/** In the order of the ids; what the viewer may not see is left out. */
export async function skillsByIds(ids: readonly bigint[], { load }: Context): Promise<Skill[]> {
  const found = await Promise.all(ids.map((id) => load.skill.load(id)));
  return found.filter((skill) => skill !== null);
}

export const experts = (page: Page, ctx: Context) => ctx.read((tx) => tx.expert.findMany(forward(page)));

/** By payload means by its content: the same bytes under another task of the tenant are the same payload. */
export function accessLog(
  { taskId, identityId, ...page }: Page & { taskId: bigint | null; identityId: bigint | null },
  ctx: Context,
) {
  return ctx.read(async (tx) => {
    const task = taskId === null ? null : await tx.task.findFirst({ where: { id: taskId } });
    if (taskId !== null && task === null) {
      return [];
    }
    const { where, ...order } = backward(page);
    return tx.accessLog.findMany({
      ...order,
      where: {
        ...where,
        ...(task === null ? {} : { payloadKey: task.payloadKey }),
        ...(identityId === null ? {} : { actorId: identityId }),
      },
    });
  });
}

export function createCustomer(input: typeof CreateCustomerInput.$inferInput, { app, viewer }: Context) {
  const { name, subject, displayName } = input;
  const mayHaveOtherRoles = input.mayHaveOtherRoles ?? false;
  const identity = identityOf(subject, displayName ?? name, app);
  return people.createCustomer(app.db, viewer, {
    name,
    identity: identity && { ...identity, mayHaveOtherRoles },
  });
}

/** Left out, nobody; an empty one is refused. */
const identityOf = (
  subject: string | null | undefined,
  displayName: string,
  { tokenIssuer: issuer }: Context['app'],
) => (subject === null || subject === undefined ? null : { issuer, subject, displayName });

export const createSkill = (input: typeof CreateSkillInput.$inferInput, { app, viewer }: Context) =>
  people.createSkill(app.db, viewer, input);

export async function setExplorationShare(
  { skillId, share }: typeof SetExplorationShareInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ skillId: bigint }> {
  await setShare(app.db, viewer, { skillId: skillId.id, share: said('/share', share) });
  return { skillId: skillId.id };
}

export function createExpert(input: typeof CreateExpertInput.$inferInput, { app, viewer }: Context) {
  const { handle, subject, displayName } = input;
  const mayHaveOtherRoles = input.mayHaveOtherRoles ?? false;
  const identity = subject
    ? { issuer: app.tokenIssuer, subject, displayName: displayName ?? handle, mayHaveOtherRoles }
    : null;
  return people.createExpert(app.db, viewer, { handle, identity });
}

export async function setExpertSkill(
  input: typeof SetExpertSkillInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ expertId: bigint }> {
  const expertId = input.expertId.id;
  await people.setExpertSkill(app.db, viewer, {
    expertId,
    skillId: input.skillId.id,
    status: input.status,
    qualityMean: input.qualityMean ?? null,
    qualityLower: input.qualityLower ?? null,
  });
  return { expertId };
}

export async function setExpertStatus(
  input: typeof SetExpertStatusInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ expertId: bigint }> {
  const expertId = input.expertId.id;
  await people.setExpertStatus(app.db, viewer, { expertId, status: input.status });
  return { expertId };
}
