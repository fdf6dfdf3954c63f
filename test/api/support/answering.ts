import type { TestApi } from '../../support/api.js';

/** Claims what there is. Answers the assignment's id. */
export async function claimOne(api: TestApi, token: string): Promise<string> {
  const query = 'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id } } } }';
  return (await api.graphql(token, query)).data.claimTask.assignment.id;
}

/** Answers a task of the usual world under its first lease. */
export async function submitOne(api: TestApi, token: string, assignmentId: string): Promise<void> {
  const query = 'mutation($input: SubmitInput!) { submit(input: $input) { __typename } }';
  const input = { assignmentId, leaseEpoch: 1, answer: { choice: 'no' } };
  const { data } = await api.graphql(token, query, { input });
  if (data.submit.__typename !== 'SubmitPayload') {
    throw new Error(`The submit was answered ${data.submit.__typename}.`);
  }
}
