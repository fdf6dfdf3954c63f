import type { Context } from '../context.js';
import type { AddConflictInput, RemoveConflictInput } from '../schema/access/conflicts.js';
import type { SetSkillPreferenceInput, UpdateExpertInput } from '../schema/access/expert-profile.js';
import type { PauseExpertInput, ResumeExpertInput } from '../schema/access/pauses.js';
import * as profile from '../services/access/profile.js';
import * as pauses from '../services/routing/pauses.js';

// What experts bring and who may be given what: changes that every later claim abides by.

interface Changed {
  readonly expertId: bigint;
}

export async function updateExpert(
  { expertId, languages, tags, dailyCap }: typeof UpdateExpertInput.$inferInput,
  { app, viewer }: Context,
): Promise<Changed> {
  await profile.updateExpert(app.db, viewer, {
    expertId: expertId.id,
    ...(languages === undefined || languages === null ? {} : { languages }),
    ...(tags === undefined || tags === null ? {} : { tags }),
    ...(dailyCap === undefined ? {} : { dailyCap }),
  });
  return { expertId: expertId.id };
}

export const setSkillPreference = (
  { skillId, preference }: typeof SetSkillPreferenceInput.$inferInput,
  { app, viewer }: Context,
): Promise<Changed> => profile.setSkillPreference(app.db, viewer, { skillId: skillId.id, preference });

export async function addConflict(
  { expertId, customerId, reason }: typeof AddConflictInput.$inferInput,
  { app, viewer }: Context,
): Promise<Changed> {
  const conflict = { expertId: expertId.id, customerId: customerId.id, reason };
  await profile.addConflict(app.db, viewer, conflict);
  return { expertId: expertId.id };
}

export async function removeConflict(
  { expertId, customerId }: typeof RemoveConflictInput.$inferInput,
  { app, viewer }: Context,
): Promise<Changed> {
  await profile.removeConflict(app.db, viewer, { expertId: expertId.id, customerId: customerId.id });
  return { expertId: expertId.id };
}

export async function pauseExpert(
  { expertId, skillId, reason, withdrawHeld }: typeof PauseExpertInput.$inferInput,
  { app, viewer }: Context,
): Promise<Changed> {
  const paused = { expertId: expertId.id, skillId: skillId?.id ?? null };
  await pauses.pauseExpert(app.db, viewer, { ...paused, reason, withdraw: withdrawHeld ?? false });
  return { expertId: expertId.id };
}

export async function resumeExpert(
  { expertId, skillId, reason }: typeof ResumeExpertInput.$inferInput,
  { app, viewer }: Context,
): Promise<Changed> {
  await pauses.resumeExpert(app.db, viewer, {
    expertId: expertId.id,
    skillId: skillId?.id ?? null,
    reason,
  });
  return { expertId: expertId.id };
}
