import type { Logger } from 'pino';
import type { OnFailure } from '../services/quality/failures.js';

/** Logs each piece of work that failed and is left for later, as `<job>.left`. */
export const tellFailure =
  (log: Logger): OnFailure =>
  ({ subject: { job, tenantId, subjectId, skillId }, error }) =>
    log.error(
      { err: error, tenantId: String(tenantId), subjectId: String(subjectId), skillId: String(skillId) },
      `${job}.left`,
    );
