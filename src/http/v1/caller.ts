import { z } from 'zod';
import { actsAs, type Context, createContext } from '../../context.js';
import { ForbiddenError } from '../../services/access/errors.js';
import type { Role } from '../../services/access/viewer.js';
import { faultsOfForm } from '../../services/platform/faults-of-form.js';
import type { IdType } from '../../services/platform/ids.js';
import { authenticated } from '../authenticated.js';
import { readJson } from '../body.js';
import { clientSignal } from '../client-signal.js';
import type { Exchange } from '../exchange.js';
import { badRequest, notFound } from '../problem.js';

/** The context of a plain call, for a viewer in one of `roles`. @throws UnauthenticatedError, ForbiddenError */
export async function callerIn(exchange: Exchange, roles: readonly Role[]): Promise<Context> {
  const viewer = await authenticated(exchange);
  if (!actsAs(viewer, roles)) {
    throw new ForbiddenError(`This is not open to the role ${viewer.role}.`);
  }
  return createContext(exchange.app, viewer, { signal: clientSignal(exchange.res) });
}

/** The id in a path, as GraphQL's inputs have it. @throws HttpProblem 404 for what is no id of that type */
export function idInPath(exchange: Exchange, type: IdType, opaque: string): { typename: string; id: bigint } {
  const decoded = exchange.app.ids.decode(opaque);
  if (decoded === null || decoded.type !== type) {
    throw notFound(`There is no such ${type.toLowerCase()}.`);
  }
  return { typename: type, id: decoded.id };
}

/** A member of a body that holds an id. */
export const idIn = (exchange: Exchange, type: IdType) =>
  z.string().transform((opaque, check) => {
    const decoded = exchange.app.ids.decode(opaque);
    if (decoded === null || decoded.type !== type) {
      check.addIssue({ code: 'custom', message: `must be the id of a ${type}` });
      return z.NEVER;
    }
    return { typename: type, id: decoded.id };
  });

/** Whole numbers that a 32-bit integer holds, as in GraphQL. */
export const int32 = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1);

/** Reads a JSON body of a known form. @throws HttpProblem 400 with every fault */
export async function bodyOf<T>({ req }: Exchange, form: z.ZodType<T>): Promise<T> {
  const body = await readJson(req);
  const parsed = form.safeParse(body);
  if (!parsed.success) {
    const issues = faultsOfForm(parsed.error.issues, body).slice(0, 100);
    throw badRequest('The body does not have the form that this call takes.', { issues });
  }
  return parsed.data;
}

/** Sends JSON. */
export function sendJson({ res }: Exchange, status: number, body: unknown): void {
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(JSON.stringify(body));
}
