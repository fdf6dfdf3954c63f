import './platform/scalars.js';
import './platform/domain-error.js';
import './access/viewer.js';
import './access/customer.js';
import './access/skill.js';
import './access/expert.js';
import './access/expert-mutations.js';
import './access/access-log.js';
import './projects/task-type.js';
import './projects/project.js';
import './projects/project-content.js';
import './projects/project-mutations.js';
import './projects/batch.js';
import './projects/batch-mutations.js';
import './tasks/task.js';
import './routing/errors.js';
import './routing/assignment.js';
import './routing/claim.js';
import './routing/lease-mutations.js';
import './routing/submit.js';
import './payouts/statement.js';
import './events/lease-events.js';
import './events/deadline-risk.js';
import { builder } from './builder.js';

/** The whole API, put together by the imports above. */
export const schema = builder.toSchema();
