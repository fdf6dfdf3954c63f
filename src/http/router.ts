import type { Exchange } from './exchange.js';
import { HttpProblem } from './problem.js';

/** Answers a request; `id` is the one variable part of its path, where there is one. */
export type Handler = (exchange: Exchange, id: string) => Promise<void>;

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Segments; `:id` stands for the variable one. Also the route's name in metrics. */
  readonly path: string;
  readonly handle: Handler;
}

/** A route that fits, and the variable part of the path. */
export interface Match {
  readonly route: Route;
  readonly id: string;
}

/**
 * The route of a request, or null where no path fits.
 * @throws HttpProblem 405 where the path exists for another method
 */
export function matchRoute(routes: readonly Route[], method: string, pathname: string): Match | null {
  const fitting = routes.flatMap((route) => {
    const id = idIn(route.path, pathname);
    return id === null ? [] : [{ route, id }];
  });
  const match = fitting.find(({ route }) => route.method === method);
  if (match === undefined && fitting.length > 0) {
    const allow = fitting.map(({ route }) => route.method).join(', ');
    throw new HttpProblem(405, 'METHOD_NOT_ALLOWED', {
      message: `Only ${allow} is answered here.`,
      headers: { Allow: allow },
    });
  }
  return match ?? null;
}

function idIn(path: string, pathname: string): string | null {
  const wanted = path.split('/');
  const given = pathname.split('/');
  if (wanted.length !== given.length) {
    return null;
  }
  const fits = wanted.every((segment, i) => segment === given[i] || (segment === ':id' && given[i] !== ''));
  return fits ? (given[wanted.indexOf(':id')] ?? '') : null;
}
