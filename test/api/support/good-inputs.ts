import { randomUUID } from 'node:crypto';
import { dispatchInputs } from './dispatch-inputs.js';
import { type ApiWorld, CHOICE } from './world.js';

/** A good input for every mutation, and who may send it. A mutation without a row here fails the tests that try them all. */
export function goodInputs({
  world,
  assignmentId,
}: {
  world: ApiWorld;
  assignmentId: string;
}): Record<string, { token: string; input: object }> {
  const expert = world.experts[0]?.token ?? '';
  const held = { assignmentId, leaseEpoch: 1 };
  const { operator, projectId, skillId, taskTypeId, customerId } = world;
  const expertId = world.experts[0]?.id;
  // What is no id of its place: for inputs that must not take hold of the world.
  const other = world.projectId;
  const names = { name: randomUUID() };
  const keyed = { ...names, idempotencyKey: randomUUID() };
  return {
    claimTask: { token: expert, input: { skillId } },
    heartbeat: { token: expert, input: { ...held, lastActivitySeconds: 1, draft: { choice: 'yes' } } },
    submit: {
      token: expert,
      input: {
        ...held,
        answer: { choice: 'maybe' },
        confidence: 0.5,
        clientVersion: '1.2.0',
        formVariant: 'B',
        claimNext: false,
        nextSkillId: skillId,
      },
    },
    reclaimAssignment: { token: expert, input: { assignmentId } },
    releaseAssignment: { token: expert, input: { ...held, leaseEpoch: 7 } },
    flagTask: { token: expert, input: { ...held, leaseEpoch: 7, reason: 'OTHER', note: 'n' } },
    setExplorationShare: { token: operator, input: { skillId, share: 0.1 } },
    createSkill: { token: operator, input: names },
    createCustomer: { token: operator, input: names },
    createExpert: {
      token: operator,
      input: { handle: randomUUID(), displayName: 'd', subject: randomUUID(), mayHaveOtherRoles: true },
    },
    setExpertSkill: {
      token: operator,
      input: { expertId, skillId, status: 'ACTIVE', qualityMean: 0.9, qualityLower: 0.8 },
    },
    updateExpert: {
      token: operator,
      input: { expertId, languages: ['de', 'pt-BR'], tags: ['nda'], dailyCap: 500 },
    },
    setSkillPreference: { token: expert, input: { skillId, preference: 'PREFER' } },
    addConflict: { token: operator, input: { expertId, customerId: other, reason: 'r' } },
    removeConflict: { token: operator, input: { expertId, customerId: other } },
    pauseExpert: { token: operator, input: { expertId, skillId: other, reason: 'r', withdrawHeld: false } },
    resumeExpert: { token: operator, input: { expertId, skillId, reason: 'Looked at.' } },
    updateProject: {
      token: operator,
      input: { projectId, name: 'n', deadline: '2099-01-01T00:00:00Z', weight: 11 },
    },
    rebalanceSkill: { token: operator, input: { skillId } },
    setExpertStatus: { token: operator, input: { expertId, status: 'ACTIVE' } },
    createTaskType: {
      token: operator,
      input: { ...names, definition: CHOICE, instructions: 'i', customerId },
    },
    createProject: {
      token: operator,
      input: {
        ...keyed,
        customerId,
        taskTypeId,
        skillId,
        price: { minorUnits: '1', currency: 'EUR' },
        redundancy: 1,
        minQuality: 0.5,
        furtherSkills: { allOf: [], anyOf: [], minQuality: 0.5 },
        languages: ['en'],
        tags: ['nda'],
        maxPerExpert: 5,
        weight: 10,
        leaseSeconds: 60,
        deadline: '2099-01-01T00:00:00Z',
      },
    },
    createBatch: {
      token: operator,
      input: {
        ...keyed,
        projectId,
        deadline: '2099-01-01T00:00:00Z',
        tasks: [
          {
            payload: 'p',
            externalId: randomUUID(),
            contentType: 'text/plain',
            redundancy: 1,
            allowExpertIds: [expertId],
            blockExpertIds: [],
          },
        ],
      },
    },
    cancelProject: { token: operator, input: { projectId: world.taskTypeId, policy: 'FINISH' } },
    setBudget: { token: operator, input: { projectId: other, budget: '1000000' } },
    setRiskPolicy: { token: operator, input: { projectId: other, threshold: 0.7, lift: 4 } },
    setRedundancy: {
      token: operator,
      input: {
        projectId,
        fixed: { answers: 1 },
        agree: null,
        posterior: null,
        isCritical: false,
      },
    },
    // Of what is no task: an adjudication would take hold of the world.
    createGold: {
      token: operator,
      input: {
        projectId,
        gold: {
          payload: { question: randomUUID() },
          externalId: 'e',
          contentType: 'application/json',
          answer: { choice: 'no' },
          tolerances: [],
        },
      },
    },
    importGold: {
      token: operator,
      input: {
        projectId,
        golds: [{ payload: { question: randomUUID() }, externalId: 'e', answer: { choice: 'no' } }],
      },
    },
    retireGold: { token: operator, input: { taskId: other, reason: 'r' } },
    suspendGold: { token: operator, input: { taskId: other, reason: 'r' } },
    // Of no alert.
    acknowledgeAlert: { token: operator, input: { alertId: world.alertId, note: 'n' } },
    setWebhook: { token: operator, input: { url: 'http://127.0.0.1:9/hooks' } },
    rotateWebhookSecret: { token: operator, input: { keepPreviousSeconds: 0 } },
    testWebhook: { token: operator, input: { note: 'n' } },
    // Of no delivery.
    replayWebhook: {
      token: operator,
      input: { deliveryId: world.deliveryId, afterDeliveryId: null, since: null },
    },
    disableWebhook: { token: operator, input: { reason: 'r' } },
    // Of no finding.
    dismissFinding: { token: operator, input: { findingId: world.findingId, reason: 'r' } },
    pauseFromFinding: {
      token: operator,
      input: { findingId: world.findingId, expertId, reason: 'r', withdrawHeld: false },
    },
    escalateTask: { token: operator, input: { taskId: other, reason: 'r' } },
    ...dispatchInputs(world),
    setLease: { token: operator, input: { projectId, leaseSeconds: 1800 } },
  };
}
