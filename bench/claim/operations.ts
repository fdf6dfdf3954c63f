// What the product's own client asks for (src/client/operations/work.graphql), as text.

const HELD = `{
  id task { id externalId contentType payloadBytes } lease { epoch secondsLeft leaseSeconds }
  price { minorUnits currency } payloadUrl draft { body savedAt }
}`;
const CLAIMED = `{ assignment ${HELD} empty { reason message retryAfterSeconds } }`;

export const CLAIM = `mutation ClaimTask($input: ClaimTaskInput!) {
  claimTask(input: $input) { __typename ... on ClaimTaskPayload ${CLAIMED} ... on DomainError { code message } }
}`;

export const SUBMIT = `mutation Submit($input: SubmitInput!) {
  submit(input: $input) {
    __typename
    ... on SubmitPayload {
      receipt { assignmentId digest submittedAt price { minorUnits currency } }
      next ${CLAIMED}
    }
    ... on DomainError { code message }
  }
}`;
