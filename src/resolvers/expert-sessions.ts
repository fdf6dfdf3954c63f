import type { Context } from '../context.js';
import { type ExpertSession, type SessionFilter, sessionPage } from '../services/routing/expert-sessions.js';
import type { Page } from './paging.js';

/** Back within this time: a short interruption. Whoever was away for longer had left. */
const SHORT_SECONDS = 600;

/** How the sessions of experts fare, by expert. */
export const expertSessions = (
  filter: SessionFilter,
  page: Page,
  { read }: Context,
): Promise<ExpertSession[]> =>
  read((tx) => sessionPage(tx, filter, { ...page, shortSeconds: SHORT_SECONDS }));
