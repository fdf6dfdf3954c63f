import type { Route } from '../router.js';
import { getAnswers, getResults } from './answers.js';
import { flag, heartbeat, nextTask, reclaim, release, submit } from './assignments.js';
import { getBatch, uploadBatch } from './batches.js';
import { assignJob, createJob, getDispatchedJob, getJob } from './jobs.js';
import { postFixes } from './locations.js';
import { acceptOffer, declineOffer } from './offers.js';
import { getPayload } from './payloads.js';
import { createProject, getProject } from './projects.js';
import { getProof } from './proofs.js';

/** The plain HTTP calls: the same services as GraphQL, with status codes. */
export const v1Routes: readonly Route[] = [
  { method: 'POST', path: '/v1/tasks/next', handle: nextTask },
  { method: 'POST', path: '/v1/assignments/:id/heartbeat', handle: heartbeat },
  { method: 'POST', path: '/v1/assignments/:id/submit', handle: submit },
  { method: 'POST', path: '/v1/assignments/:id/reclaim', handle: reclaim },
  { method: 'POST', path: '/v1/assignments/:id/release', handle: release },
  { method: 'POST', path: '/v1/assignments/:id/flag', handle: flag },
  { method: 'POST', path: '/v1/projects', handle: createProject },
  { method: 'GET', path: '/v1/projects/:id', handle: getProject },
  { method: 'POST', path: '/v1/projects/:id/batches', handle: uploadBatch },
  { method: 'GET', path: '/v1/projects/:id/answers', handle: getAnswers },
  { method: 'GET', path: '/v1/projects/:id/results', handle: getResults },
  { method: 'GET', path: '/v1/batches/:id', handle: getBatch },
  { method: 'GET', path: '/v1/payloads/:id', handle: getPayload },
  { method: 'POST', path: '/v1/jobs', handle: createJob },
  { method: 'GET', path: '/v1/jobs/:id', handle: getJob },
  { method: 'POST', path: '/v1/jobs/:id/assign', handle: assignJob },
  { method: 'GET', path: '/v1/dispatch/jobs/:id', handle: getDispatchedJob },
  { method: 'POST', path: '/v1/offers/:id/accept', handle: acceptOffer },
  { method: 'POST', path: '/v1/offers/:id/decline', handle: declineOffer },
  { method: 'GET', path: '/v1/proofs/:id', handle: getProof },
  { method: 'POST', path: '/v1/workers/:id/locations', handle: postFixes },
];
