import { z } from 'zod';
import { createProject as create } from '../../resolvers/project-mutations.js';
import type { Exchange } from '../exchange.js';
import { notFound } from '../problem.js';
import { bodyOf, callerIn, idIn, idInPath, int32, sendJson } from './caller.js';
import { instant, int64 } from './forms.js';
import { projectView } from './views.js';

const READERS = ['CUSTOMER', 'ANALYST', 'OPERATOR'] as const;

/** 202 with the project; the same idempotencyKey with the same content answers the first one again. */
export async function createProject(exchange: Exchange): Promise<void> {
  const ctx = await callerIn(exchange, ['CUSTOMER', 'OPERATOR']);
  const form = z.strictObject({
    name: z.string(),
    customerId: idIn(exchange, 'Customer').nullish(),
    taskTypeId: idIn(exchange, 'TaskType'),
    skillId: idIn(exchange, 'Skill'),
    price: z.strictObject({ minorUnits: int64, currency: z.string() }),
    redundancy: int32.nullish(),
    minQuality: z.number().nullish(),
    furtherSkills: z
      .strictObject({
        allOf: z.array(idIn(exchange, 'Skill')).nullish(),
        anyOf: z.array(idIn(exchange, 'Skill')).nullish(),
        minQuality: z.number().nullish(),
      })
      .nullish(),
    languages: z.array(z.string()).nullish(),
    tags: z.array(z.string()).nullish(),
    maxPerExpert: int32.nullish(),
    weight: int32.nullish(),
    leaseSeconds: int32.nullish(),
    deadline: instant.nullish(),
    idempotencyKey: z.string(),
  });
  const { projectId } = await create(await bodyOf(exchange, form), ctx);
  const project = await ctx.load.project.load(projectId);
  if (project === null) {
    throw new Error('A project that was just created is not there.');
  }
  const view = await projectView(ctx, project);
  exchange.res.setHeader('Location', `/v1/projects/${view.id}`);
  sendJson(exchange, 202, view);
}

/** 200 with a project of the caller's. */
export async function getProject(exchange: Exchange, opaque: string): Promise<void> {
  const ctx = await callerIn(exchange, READERS);
  const project = await ctx.load.project.load(idInPath(exchange, 'Project', opaque).id);
  if (project === null) {
    throw notFound('There is no such project.');
  }
  sendJson(exchange, 200, await projectView(ctx, project));
}
