import { randomUUID } from 'node:crypto';
import type { ApiWorld } from './world.js';

/** Of dispatch: see goodInputs. What is done to a job or an offer is done to none that there is. */
export function dispatchInputs(world: ApiWorld): Record<string, { token: string; input: object }> {
  const { operator, customerId, skillId, jobId, offerId } = world;
  const expert = world.experts[0]?.token ?? '';
  const expertId = world.experts[0]?.id;
  const place = { latitude: 42.5, longitude: 1.5 };
  return {
    createJob: {
      token: operator,
      input: {
        customerId,
        kind: 'SCHEDULED',
        type: 'Check of a meter',
        skillIds: [skillId],
        minQuality: 0.5,
        place,
        notBefore: '2098-01-01T00:00:00Z',
        dueBy: '2099-01-01T00:00:00Z',
        durationSeconds: 600,
        priority: 5,
        idempotencyKey: randomUUID(),
      },
    },
    assignJob: { token: operator, input: { jobId } },
    cancelJob: { token: operator, input: { jobId, reason: 'r' } },
    reassignJob: { token: operator, input: { jobId, reason: 'r' } },
    overrideAssignment: { token: operator, input: { jobId, workerId: expertId, reason: 'r', preempt: true } },
    exportTrace: { token: operator, input: { jobId, reason: 'Somebody says that nobody came.' } },
    acceptOffer: { token: expert, input: { offerId } },
    declineOffer: { token: expert, input: { offerId } },
    checkIn: { token: expert, input: { jobId, code: '123456' } },
    completeJob: {
      token: expert,
      input: { jobId, proofs: [{ contentType: 'text/plain', contentBase64: 'cHJvb2Y=' }] },
    },
    setWorker: {
      token: operator,
      input: {
        expertId,
        active: true,
        shiftDays: [1, 2],
        shiftStart: '08:00',
        shiftEnd: '17:00',
        capacity: 1,
        home: place,
        serviceArea: [
          { latitude: 0, longitude: 0 },
          { latitude: 0, longitude: 1 },
          { latitude: 1, longitude: 1 },
        ],
      },
    },
    setDispatchSettings: {
      token: operator,
      input: {
        timeZone: 'Europe/Berlin',
        etaWeight: 1,
        fairnessWeight: 2,
        slackWeight: 0.1,
        offerSeconds: 20,
        laterOfferSeconds: 900,
        cooldownSeconds: 600,
        noShowSeconds: 900,
        searchMetres: 25_000,
        alertDueSoonSeconds: 1_800,
        alertMissedSeconds: 3_600,
        alertExpiredShare: 0.5,
        alertGuessedShare: 0.5,
        alertSilentShare: 0.5,
        alertCalmShare: 0.3,
        alertExpiredLeast: 20,
        alertGuessedLeast: 10,
        alertSilentLeast: 10,
        alertSilentSeconds: 90,
      },
    },
  };
}
