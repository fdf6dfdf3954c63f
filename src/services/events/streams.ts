/** What happens to the leases of a project. */
export const projectLeases = (projectId: bigint): string => `lease/project/${projectId}`;
/** What happens to the leases of one expert that is not their own doing. */
export const expertLeases = (expertId: bigint): string => `lease/expert/${expertId}`;
/** Whether the batches of a project will make their deadlines. */
export const projectRisk = (projectId: bigint): string => `risk/project/${projectId}`;
/** When the work of a project will be done. */
export const projectForecasts = (projectId: bigint): string => `forecast/project/${projectId}`;
/** What becomes of quality: for a tenant's staff, for a project's customer, for an expert. */
export const STAFF_QUALITY = 'quality/staff';
export const projectQualityStream = (projectId: bigint): string => `quality/project/${projectId}`;
export const expertQualityStream = (expertId: bigint): string => `quality/expert/${expertId}`;
/** What is booked for an expert. */
export const expertPayouts = (expertId: bigint): string => `payout/expert/${expertId}`;
/** What waits in a skill, and how pressed it is. */
export const poolOfSkill = (skillId: bigint): string => `pool/skill/${skillId}`;

/** Alerts: for staff, for staff who may not hear of gold, for who dispatches, for a customer. */
export const STAFF_ALERTS = 'alert/staff';
export const WORK_ALERTS = 'alert/staff/work';
export const DISPATCH_ALERTS = 'alert/staff/dispatch';
export const customerAlerts = (customerId: bigint): string => `alert/customer/${customerId}`;

/** The project whose leases a stream tells of; null for any other stream. */
export function projectOfLeases(stream: string): bigint | null {
  const id = /^lease\/project\/(\d+)$/.exec(stream)?.[1];
  return id === undefined ? null : BigInt(id);
}

/** Jobs: for who dispatches, and for their customer. */
export const STAFF_JOBS = 'job/staff';
export const customerJobs = (customerId: bigint): string => `job/customer/${customerId}`;
/** What a worker is offered, and what becomes of it. */
export const workerOffers = (expertId: bigint): string => `offer/expert/${expertId}`;
/** That somebody was given the trace of a worker. */
export const workerTraces = (expertId: bigint): string => `trace/expert/${expertId}`;
