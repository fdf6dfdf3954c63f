/* eslint-disable */
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
export type MakeOptional<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]?: Maybe<T[SubKey]> };
export type MakeMaybe<T, K extends keyof T> = Omit<T, K> & { [SubKey in K]: Maybe<T[SubKey]> };
export type MakeEmpty<T extends { [key: string]: unknown }, K extends keyof T> = { [_ in K]?: never };
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  BigInt: { input: string; output: string; }
  CurrencyCode: { input: string; output: string; }
  DateTime: { input: string; output: string; }
  JSON: { input: unknown; output: unknown; }
};

export type AlreadyFlaggedError = DomainError & {
  __typename?: 'AlreadyFlaggedError';
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

export type AlreadySubmittedError = DomainError & {
  __typename?: 'AlreadySubmittedError';
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

export type AnswerInvalidError = DomainError & {
  __typename?: 'AnswerInvalidError';
  code: Scalars['String']['output'];
  issues: Array<Issue>;
  message: Scalars['String']['output'];
};

export type Assignment = Node & {
  __typename?: 'Assignment';
  draft?: Maybe<Draft>;
  id: Scalars['ID']['output'];
  lease?: Maybe<Lease>;
  payloadUrl?: Maybe<Scalars['String']['output']>;
  price: Money;
  project: Project;
  task: Task;
  taskType: TaskType;
};

export type AssignmentNotFoundError = DomainError & {
  __typename?: 'AssignmentNotFoundError';
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

export type Batch = Node & {
  __typename?: 'Batch';
  id: Scalars['ID']['output'];
  name: Scalars['String']['output'];
  state: BatchState;
};

export type BatchState =
  | 'CANCELLED'
  | 'COMPLETED'
  | 'FAILED'
  | 'OPEN'
  | 'STORING';

export type ClaimTaskInput = {
  skillId?: InputMaybe<Scalars['ID']['input']>;
};

export type ClaimTaskPayload = {
  __typename?: 'ClaimTaskPayload';
  assignment?: Maybe<Assignment>;
  empty?: Maybe<EmptyQueue>;
};

export type ClaimTaskResult = ClaimTaskPayload | NotFoundError;

export type CreateBatchInput = {
  idempotencyKey: Scalars['ID']['input'];
  name: Scalars['String']['input'];
  projectId: Scalars['ID']['input'];
  tasks?: InputMaybe<Array<NewTaskInput>>;
};

export type CreateBatchPayload = {
  __typename?: 'CreateBatchPayload';
  batch: Batch;
};

export type CreateBatchResult = CreateBatchPayload | IdempotencyConflictError | InputInvalidError;

export type CreateProjectInput = {
  idempotencyKey: Scalars['ID']['input'];
  name: Scalars['String']['input'];
  price: MoneyInput;
  redundancy?: InputMaybe<Scalars['Int']['input']>;
  skillId: Scalars['ID']['input'];
  taskTypeId: Scalars['ID']['input'];
};

export type CreateProjectPayload = {
  __typename?: 'CreateProjectPayload';
  project: Project;
};

export type CreateProjectResult = CreateProjectPayload | IdempotencyConflictError | InputInvalidError;

export type DomainError = {
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

export type Draft = {
  __typename?: 'Draft';
  body: Scalars['JSON']['output'];
  savedAt: Scalars['DateTime']['output'];
};

export type DraftTooLargeError = DomainError & {
  __typename?: 'DraftTooLargeError';
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

export type EmptyQueue = {
  __typename?: 'EmptyQueue';
  message: Scalars['String']['output'];
  reason: EmptyReason;
  retryAfterSeconds: Scalars['Int']['output'];
};

export type EmptyReason =
  | 'ALL_ANSWERED_BY_YOU'
  | 'BUSY'
  | 'NO_OPEN_TASK'
  | 'NO_SKILL'
  | 'PAUSED'
  | 'QUALITY_BELOW_MINIMUM'
  | 'RESERVED_FOR_OTHERS';

export type FlagReason =
  | 'AMBIGUOUS'
  | 'MISSING_CONTEXT'
  | 'OFFENSIVE'
  | 'OTHER'
  | 'UNREADABLE';

export type FlagTaskInput = {
  assignmentId: Scalars['ID']['input'];
  leaseEpoch: Scalars['Int']['input'];
  note?: InputMaybe<Scalars['String']['input']>;
  reason: FlagReason;
};

export type FlagTaskPayload = {
  __typename?: 'FlagTaskPayload';
  taskClosed: Scalars['Boolean']['output'];
};

export type FlagTaskResult = AssignmentNotFoundError | FlagTaskPayload | LeaseExpiredError | StaleLeaseError;

export type HeartbeatInput = {
  assignmentId: Scalars['ID']['input'];
  draft?: InputMaybe<Scalars['JSON']['input']>;
  lastActivitySeconds: Scalars['Int']['input'];
  leaseEpoch: Scalars['Int']['input'];
};

export type HeartbeatPayload = {
  __typename?: 'HeartbeatPayload';
  extended: Scalars['Boolean']['output'];
  lease: Lease;
};

export type HeartbeatResult = AlreadyFlaggedError | AlreadySubmittedError | AssignmentNotFoundError | DraftTooLargeError | HeartbeatPayload | LeaseExpiredError | ProjectCancelledError | StaleLeaseError;

export type HoldsAnotherError = DomainError & {
  __typename?: 'HoldsAnotherError';
  code: Scalars['String']['output'];
  heldAssignmentId: Scalars['ID']['output'];
  message: Scalars['String']['output'];
};

export type IdempotencyConflictError = DomainError & {
  __typename?: 'IdempotencyConflictError';
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

export type InputInvalidError = DomainError & {
  __typename?: 'InputInvalidError';
  code: Scalars['String']['output'];
  issues: Array<Issue>;
  message: Scalars['String']['output'];
};

export type Issue = {
  __typename?: 'Issue';
  message: Scalars['String']['output'];
  path: Scalars['String']['output'];
};

export type Lease = {
  __typename?: 'Lease';
  epoch: Scalars['Int']['output'];
  expiresAt: Scalars['DateTime']['output'];
  leaseSeconds: Scalars['Int']['output'];
  secondsLeft: Scalars['Float']['output'];
};

export type LeaseExpiredError = DomainError & {
  __typename?: 'LeaseExpiredError';
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
  reclaimable: Scalars['Boolean']['output'];
};

export type Money = {
  __typename?: 'Money';
  currency: Scalars['CurrencyCode']['output'];
  minorUnits: Scalars['BigInt']['output'];
};

export type MoneyInput = {
  currency: Scalars['CurrencyCode']['input'];
  minorUnits: Scalars['BigInt']['input'];
};

export type Mutation = {
  __typename?: 'Mutation';
  claimTask?: Maybe<ClaimTaskResult>;
  createBatch?: Maybe<CreateBatchResult>;
  createProject?: Maybe<CreateProjectResult>;
  flagTask?: Maybe<FlagTaskResult>;
  heartbeat?: Maybe<HeartbeatResult>;
  reclaimAssignment?: Maybe<ReclaimAssignmentResult>;
  releaseAssignment?: Maybe<ReleaseAssignmentResult>;
  setLease?: Maybe<SetLeaseResult>;
  submit?: Maybe<SubmitResult>;
};


export type MutationClaimTaskArgs = {
  input: ClaimTaskInput;
};


export type MutationCreateBatchArgs = {
  input: CreateBatchInput;
};


export type MutationCreateProjectArgs = {
  input: CreateProjectInput;
};


export type MutationFlagTaskArgs = {
  input: FlagTaskInput;
};


export type MutationHeartbeatArgs = {
  input: HeartbeatInput;
};


export type MutationReclaimAssignmentArgs = {
  input: ReclaimAssignmentInput;
};


export type MutationReleaseAssignmentArgs = {
  input: ReleaseAssignmentInput;
};


export type MutationSetLeaseArgs = {
  input: SetLeaseInput;
};


export type MutationSubmitArgs = {
  input: SubmitInput;
};

export type NewTaskInput = {
  externalId?: InputMaybe<Scalars['String']['input']>;
  payload: Scalars['JSON']['input'];
};

export type Node = {
  id: Scalars['ID']['output'];
};

export type NotFoundError = DomainError & {
  __typename?: 'NotFoundError';
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

export type NotQualifiedError = DomainError & {
  __typename?: 'NotQualifiedError';
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

export type Progress = {
  __typename?: 'Progress';
  answersCounted: Scalars['Int']['output'];
  answersWanted: Scalars['Int']['output'];
  leased: Scalars['Int']['output'];
  tasksDone: Scalars['Int']['output'];
  tasksFlagged: Scalars['Int']['output'];
  tasksTotal: Scalars['Int']['output'];
};

export type Project = Node & {
  __typename?: 'Project';
  id: Scalars['ID']['output'];
  leaseSeconds: Scalars['Int']['output'];
  name: Scalars['String']['output'];
  progress: Progress;
  state: ProjectState;
};

export type ProjectCancelledError = DomainError & {
  __typename?: 'ProjectCancelledError';
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

export type ProjectState =
  | 'CANCELLED'
  | 'RUNNING';

export type Query = {
  __typename?: 'Query';
  currentAssignment?: Maybe<Assignment>;
  node?: Maybe<Node>;
};


export type QueryNodeArgs = {
  id: Scalars['ID']['input'];
};

export type Receipt = {
  __typename?: 'Receipt';
  assignmentId: Scalars['ID']['output'];
  digest: Scalars['String']['output'];
  price: Money;
  submittedAt: Scalars['DateTime']['output'];
};

export type ReclaimAssignmentInput = {
  assignmentId: Scalars['ID']['input'];
};

export type ReclaimAssignmentPayload = {
  __typename?: 'ReclaimAssignmentPayload';
  assignment: Assignment;
};

export type ReclaimAssignmentResult = AlreadyFlaggedError | AlreadySubmittedError | AssignmentNotFoundError | HoldsAnotherError | NotQualifiedError | ProjectCancelledError | ReclaimAssignmentPayload | SlotTakenError;

export type ReleaseAssignmentInput = {
  assignmentId: Scalars['ID']['input'];
  leaseEpoch: Scalars['Int']['input'];
};

export type ReleaseAssignmentPayload = {
  __typename?: 'ReleaseAssignmentPayload';
  assignment: Assignment;
};

export type ReleaseAssignmentResult = AssignmentNotFoundError | LeaseExpiredError | ReleaseAssignmentPayload | StaleLeaseError;

export type SetLeaseInput = {
  leaseSeconds: Scalars['Int']['input'];
  projectId: Scalars['ID']['input'];
};

export type SetLeasePayload = {
  __typename?: 'SetLeasePayload';
  project: Project;
};

export type SetLeaseResult = InputInvalidError | NotFoundError | SetLeasePayload;

export type SlotTakenError = DomainError & {
  __typename?: 'SlotTakenError';
  code: Scalars['String']['output'];
  message: Scalars['String']['output'];
};

export type StaleLeaseError = DomainError & {
  __typename?: 'StaleLeaseError';
  code: Scalars['String']['output'];
  currentEpoch: Scalars['Int']['output'];
  message: Scalars['String']['output'];
};

export type SubmitInput = {
  answer: Scalars['JSON']['input'];
  assignmentId: Scalars['ID']['input'];
  claimNext?: InputMaybe<Scalars['Boolean']['input']>;
  confidence?: InputMaybe<Scalars['Float']['input']>;
  leaseEpoch: Scalars['Int']['input'];
};

export type SubmitPayload = {
  __typename?: 'SubmitPayload';
  next?: Maybe<ClaimTaskPayload>;
  receipt: Receipt;
};

export type SubmitResult = AlreadyFlaggedError | AlreadySubmittedError | AnswerInvalidError | AssignmentNotFoundError | LeaseExpiredError | ProjectCancelledError | StaleLeaseError | SubmitPayload;

export type Task = Node & {
  __typename?: 'Task';
  contentType: Scalars['String']['output'];
  externalId?: Maybe<Scalars['String']['output']>;
  id: Scalars['ID']['output'];
  payloadBytes: Scalars['Int']['output'];
};

export type TaskType = Node & {
  __typename?: 'TaskType';
  id: Scalars['ID']['output'];
  name: Scalars['String']['output'];
};

export type CreateProjectMutationVariables = Exact<{
  input: CreateProjectInput;
}>;


export type CreateProjectMutation = { __typename?: 'Mutation', createProject?: { __typename: 'CreateProjectPayload', project: { __typename?: 'Project', id: string, name: string, state: ProjectState } } | { __typename: 'IdempotencyConflictError', code: string, message: string } | { __typename: 'InputInvalidError', code: string, message: string, issues: Array<{ __typename?: 'Issue', path: string, message: string }> } | null };

export type CreateBatchMutationVariables = Exact<{
  input: CreateBatchInput;
}>;


export type CreateBatchMutation = { __typename?: 'Mutation', createBatch?: { __typename: 'CreateBatchPayload', batch: { __typename?: 'Batch', id: string, name: string, state: BatchState } } | { __typename: 'IdempotencyConflictError', code: string, message: string } | { __typename: 'InputInvalidError', code: string, message: string, issues: Array<{ __typename?: 'Issue', path: string, message: string }> } | null };

export type SetLeaseMutationVariables = Exact<{
  input: SetLeaseInput;
}>;


export type SetLeaseMutation = { __typename?: 'Mutation', setLease?: { __typename: 'InputInvalidError', code: string, message: string } | { __typename: 'NotFoundError', code: string, message: string } | { __typename: 'SetLeasePayload', project: { __typename?: 'Project', id: string, leaseSeconds: number } } | null };

export type ProjectProgressQueryVariables = Exact<{
  id: Scalars['ID']['input'];
}>;


export type ProjectProgressQuery = { __typename?: 'Query', node?: { __typename?: 'Assignment' } | { __typename?: 'Batch' } | { __typename?: 'Project', id: string, name: string, state: ProjectState, progress: { __typename?: 'Progress', tasksTotal: number, tasksDone: number, tasksFlagged: number, answersWanted: number, answersCounted: number, leased: number } } | { __typename?: 'Task' } | { __typename?: 'TaskType' } | null };

export type HeldAssignmentFragment = { __typename?: 'Assignment', id: string, payloadUrl?: string | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body: unknown, savedAt: string } | null };

export type EmptyQueueFieldsFragment = { __typename?: 'EmptyQueue', reason: EmptyReason, message: string, retryAfterSeconds: number };

export type CurrentAssignmentQueryVariables = Exact<{ [key: string]: never; }>;


export type CurrentAssignmentQuery = { __typename?: 'Query', currentAssignment?: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body: unknown, savedAt: string } | null } | null };

export type ClaimTaskMutationVariables = Exact<{
  input: ClaimTaskInput;
}>;


export type ClaimTaskMutation = { __typename?: 'Mutation', claimTask?: { __typename: 'ClaimTaskPayload', assignment?: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body: unknown, savedAt: string } | null } | null, empty?: { __typename?: 'EmptyQueue', reason: EmptyReason, message: string, retryAfterSeconds: number } | null } | { __typename: 'NotFoundError', code: string, message: string } | null };

export type HeartbeatMutationVariables = Exact<{
  input: HeartbeatInput;
}>;


export type HeartbeatMutation = { __typename?: 'Mutation', heartbeat?: { __typename: 'AlreadyFlaggedError', code: string, message: string } | { __typename: 'AlreadySubmittedError', code: string, message: string } | { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'DraftTooLargeError', code: string, message: string } | { __typename: 'HeartbeatPayload', extended: boolean, lease: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } } | { __typename: 'LeaseExpiredError', reclaimable: boolean, code: string, message: string } | { __typename: 'ProjectCancelledError', code: string, message: string } | { __typename: 'StaleLeaseError', currentEpoch: number, code: string, message: string } | null };

export type SubmitMutationVariables = Exact<{
  input: SubmitInput;
}>;


export type SubmitMutation = { __typename?: 'Mutation', submit?: { __typename: 'AlreadyFlaggedError', code: string, message: string } | { __typename: 'AlreadySubmittedError', code: string, message: string } | { __typename: 'AnswerInvalidError', code: string, message: string, issues: Array<{ __typename?: 'Issue', path: string, message: string }> } | { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'LeaseExpiredError', reclaimable: boolean, code: string, message: string } | { __typename: 'ProjectCancelledError', code: string, message: string } | { __typename: 'StaleLeaseError', currentEpoch: number, code: string, message: string } | { __typename: 'SubmitPayload', receipt: { __typename?: 'Receipt', assignmentId: string, digest: string, submittedAt: string, price: { __typename?: 'Money', minorUnits: string, currency: string } }, next?: { __typename?: 'ClaimTaskPayload', assignment?: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body: unknown, savedAt: string } | null } | null, empty?: { __typename?: 'EmptyQueue', reason: EmptyReason, message: string, retryAfterSeconds: number } | null } | null } | null };

export type ReclaimAssignmentMutationVariables = Exact<{
  input: ReclaimAssignmentInput;
}>;


export type ReclaimAssignmentMutation = { __typename?: 'Mutation', reclaimAssignment?: { __typename: 'AlreadyFlaggedError', code: string, message: string } | { __typename: 'AlreadySubmittedError', code: string, message: string } | { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'HoldsAnotherError', heldAssignmentId: string, code: string, message: string } | { __typename: 'NotQualifiedError', code: string, message: string } | { __typename: 'ProjectCancelledError', code: string, message: string } | { __typename: 'ReclaimAssignmentPayload', assignment: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body: unknown, savedAt: string } | null } } | { __typename: 'SlotTakenError', code: string, message: string } | null };

export type ReleaseAssignmentMutationVariables = Exact<{
  input: ReleaseAssignmentInput;
}>;


export type ReleaseAssignmentMutation = { __typename?: 'Mutation', releaseAssignment?: { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'LeaseExpiredError', code: string, message: string } | { __typename: 'ReleaseAssignmentPayload' } | { __typename: 'StaleLeaseError', code: string, message: string } | null };

export type FlagTaskMutationVariables = Exact<{
  input: FlagTaskInput;
}>;


export type FlagTaskMutation = { __typename?: 'Mutation', flagTask?: { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'FlagTaskPayload', taskClosed: boolean } | { __typename: 'LeaseExpiredError', code: string, message: string } | { __typename: 'StaleLeaseError', code: string, message: string } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const HeldAssignmentFragmentDoc = new TypedDocumentString(`
    fragment HeldAssignment on Assignment {
  id
  task {
    id
    externalId
    contentType
    payloadBytes
  }
  lease {
    epoch
    secondsLeft
    leaseSeconds
  }
  price {
    minorUnits
    currency
  }
  payloadUrl
  draft {
    body
    savedAt
  }
}
    `, {"fragmentName":"HeldAssignment"}) as unknown as TypedDocumentString<HeldAssignmentFragment, unknown>;
export const EmptyQueueFieldsFragmentDoc = new TypedDocumentString(`
    fragment EmptyQueueFields on EmptyQueue {
  reason
  message
  retryAfterSeconds
}
    `, {"fragmentName":"EmptyQueueFields"}) as unknown as TypedDocumentString<EmptyQueueFieldsFragment, unknown>;
export const CreateProjectDocument = new TypedDocumentString(`
    mutation CreateProject($input: CreateProjectInput!) {
  createProject(input: $input) {
    __typename
    ... on CreateProjectPayload {
      project {
        id
        name
        state
      }
    }
    ... on InputInvalidError {
      issues {
        path
        message
      }
    }
    ... on DomainError {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<CreateProjectMutation, CreateProjectMutationVariables>;
export const CreateBatchDocument = new TypedDocumentString(`
    mutation CreateBatch($input: CreateBatchInput!) {
  createBatch(input: $input) {
    __typename
    ... on CreateBatchPayload {
      batch {
        id
        name
        state
      }
    }
    ... on InputInvalidError {
      issues {
        path
        message
      }
    }
    ... on DomainError {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<CreateBatchMutation, CreateBatchMutationVariables>;
export const SetLeaseDocument = new TypedDocumentString(`
    mutation SetLease($input: SetLeaseInput!) {
  setLease(input: $input) {
    __typename
    ... on SetLeasePayload {
      project {
        id
        leaseSeconds
      }
    }
    ... on DomainError {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SetLeaseMutation, SetLeaseMutationVariables>;
export const ProjectProgressDocument = new TypedDocumentString(`
    query ProjectProgress($id: ID!) {
  node(id: $id) {
    ... on Project {
      id
      name
      state
      progress {
        tasksTotal
        tasksDone
        tasksFlagged
        answersWanted
        answersCounted
        leased
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ProjectProgressQuery, ProjectProgressQueryVariables>;
export const CurrentAssignmentDocument = new TypedDocumentString(`
    query CurrentAssignment {
  currentAssignment {
    ...HeldAssignment
  }
}
    fragment HeldAssignment on Assignment {
  id
  task {
    id
    externalId
    contentType
    payloadBytes
  }
  lease {
    epoch
    secondsLeft
    leaseSeconds
  }
  price {
    minorUnits
    currency
  }
  payloadUrl
  draft {
    body
    savedAt
  }
}`) as unknown as TypedDocumentString<CurrentAssignmentQuery, CurrentAssignmentQueryVariables>;
export const ClaimTaskDocument = new TypedDocumentString(`
    mutation ClaimTask($input: ClaimTaskInput!) {
  claimTask(input: $input) {
    __typename
    ... on ClaimTaskPayload {
      assignment {
        ...HeldAssignment
      }
      empty {
        ...EmptyQueueFields
      }
    }
    ... on DomainError {
      code
      message
    }
  }
}
    fragment HeldAssignment on Assignment {
  id
  task {
    id
    externalId
    contentType
    payloadBytes
  }
  lease {
    epoch
    secondsLeft
    leaseSeconds
  }
  price {
    minorUnits
    currency
  }
  payloadUrl
  draft {
    body
    savedAt
  }
}
fragment EmptyQueueFields on EmptyQueue {
  reason
  message
  retryAfterSeconds
}`) as unknown as TypedDocumentString<ClaimTaskMutation, ClaimTaskMutationVariables>;
export const HeartbeatDocument = new TypedDocumentString(`
    mutation Heartbeat($input: HeartbeatInput!) {
  heartbeat(input: $input) {
    __typename
    ... on HeartbeatPayload {
      lease {
        epoch
        secondsLeft
        leaseSeconds
      }
      extended
    }
    ... on LeaseExpiredError {
      reclaimable
    }
    ... on StaleLeaseError {
      currentEpoch
    }
    ... on DomainError {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<HeartbeatMutation, HeartbeatMutationVariables>;
export const SubmitDocument = new TypedDocumentString(`
    mutation Submit($input: SubmitInput!) {
  submit(input: $input) {
    __typename
    ... on SubmitPayload {
      receipt {
        assignmentId
        digest
        submittedAt
        price {
          minorUnits
          currency
        }
      }
      next {
        assignment {
          ...HeldAssignment
        }
        empty {
          ...EmptyQueueFields
        }
      }
    }
    ... on LeaseExpiredError {
      reclaimable
    }
    ... on StaleLeaseError {
      currentEpoch
    }
    ... on AnswerInvalidError {
      issues {
        path
        message
      }
    }
    ... on DomainError {
      code
      message
    }
  }
}
    fragment HeldAssignment on Assignment {
  id
  task {
    id
    externalId
    contentType
    payloadBytes
  }
  lease {
    epoch
    secondsLeft
    leaseSeconds
  }
  price {
    minorUnits
    currency
  }
  payloadUrl
  draft {
    body
    savedAt
  }
}
fragment EmptyQueueFields on EmptyQueue {
  reason
  message
  retryAfterSeconds
}`) as unknown as TypedDocumentString<SubmitMutation, SubmitMutationVariables>;
export const ReclaimAssignmentDocument = new TypedDocumentString(`
    mutation ReclaimAssignment($input: ReclaimAssignmentInput!) {
  reclaimAssignment(input: $input) {
    __typename
    ... on ReclaimAssignmentPayload {
      assignment {
        ...HeldAssignment
      }
    }
    ... on HoldsAnotherError {
      heldAssignmentId
    }
    ... on DomainError {
      code
      message
    }
  }
}
    fragment HeldAssignment on Assignment {
  id
  task {
    id
    externalId
    contentType
    payloadBytes
  }
  lease {
    epoch
    secondsLeft
    leaseSeconds
  }
  price {
    minorUnits
    currency
  }
  payloadUrl
  draft {
    body
    savedAt
  }
}`) as unknown as TypedDocumentString<ReclaimAssignmentMutation, ReclaimAssignmentMutationVariables>;
export const ReleaseAssignmentDocument = new TypedDocumentString(`
    mutation ReleaseAssignment($input: ReleaseAssignmentInput!) {
  releaseAssignment(input: $input) {
    __typename
    ... on DomainError {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ReleaseAssignmentMutation, ReleaseAssignmentMutationVariables>;
export const FlagTaskDocument = new TypedDocumentString(`
    mutation FlagTask($input: FlagTaskInput!) {
  flagTask(input: $input) {
    __typename
    ... on FlagTaskPayload {
      taskClosed
    }
    ... on DomainError {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<FlagTaskMutation, FlagTaskMutationVariables>;