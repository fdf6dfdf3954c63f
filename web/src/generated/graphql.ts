/* eslint-disable */
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
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
  /** A whole number of 64 bits, as a string of digits; a plain number is accepted too. */
  BigInt: { input: string; output: string; }
  /** An ISO 4217 code: three capital letters, such as "EUR". */
  CurrencyCode: { input: string; output: string; }
  /** An instant: ISO 8601 with date, time and zone; answers are in UTC with milliseconds, such as "2027-01-31T09:30:00.000Z". */
  DateTime: { input: string; output: string; }
  /** Any JSON value, nested at most 64 deep. */
  JSON: { input: unknown; output: unknown; }
};

/** That somebody was given sight of something: written in the transaction that gave it, never changed. */
export type AccessLogEntry = Node & {
  __typename?: 'AccessLogEntry';
  /** The assignment whose payload it was. */
  assignment?: Maybe<Assignment>;
  /** When. */
  at: Scalars['DateTime']['output'];
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
  /** SHA-256 of the payload, in hex. */
  payloadDigest?: Maybe<Scalars['String']['output']>;
  /** What for, such as "WORK". */
  purpose: Scalars['String']['output'];
  /** The request that asked for it. */
  requestId?: Maybe<Scalars['String']['output']>;
  /** Acting as what. */
  role: Role;
  /** Who was given sight. */
  viewer?: Maybe<Identity>;
};

/** A page of entries of the access log. */
export type AccessLogEntryConnection = {
  __typename?: 'AccessLogEntryConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<AccessLogEntryEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the entries of the access log of a page. */
export type AccessLogEntryEdge = {
  __typename?: 'AccessLogEntryEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: AccessLogEntry;
};

/** What `acknowledgeAlert` needs. */
export type AcknowledgeAlertInput = {
  /** Which alert. */
  alertId: Scalars['ID']['input'];
  /** What is done about it; 1 to 500 characters, kept. */
  note?: InputMaybe<Scalars['String']['input']>;
};

/** What `acknowledgeAlert` did. */
export type AcknowledgeAlertPayload = {
  __typename?: 'AcknowledgeAlertPayload';
  /** The alert. */
  alert?: Maybe<Alert>;
};

/** What was done, or a refusal that the caller can act on. */
export type AcknowledgeAlertResult = AcknowledgeAlertPayload | AlertAcknowledgedError | InputInvalidError | NotFoundError;

/** What `addConflict` needs. */
export type AddConflictInput = {
  /** Whose work they must not see. */
  customerId: Scalars['ID']['input'];
  /** Who. */
  expertId: Scalars['ID']['input'];
  /** Why; 1 to 500 characters, for operators only. */
  reason: Scalars['String']['input'];
};

/** What `addConflict` did. */
export type AddConflictPayload = {
  __typename?: 'AddConflictPayload';
  /** The expert as they are now. */
  expert?: Maybe<Expert>;
};

/** What was done, or a refusal that the caller can act on. */
export type AddConflictResult = AddConflictPayload | InputInvalidError | NotFoundError;

/** Adjudications that wait although experts could be asking for work. */
export type AdjudicationWait = {
  __typename?: 'AdjudicationWait';
  /** Proven quality that is asked for, 0 to 1. */
  minQuality: Scalars['Float']['output'];
  /** Why. */
  reason: AdjudicationWaitReason;
  /** Since when. */
  since: Scalars['DateTime']['output'];
  /** How many of the project. */
  tasks: Scalars['Int']['output'];
};

/** Why adjudications wait. */
export type AdjudicationWaitReason =
  /** No expert who has not had the task is good enough to judge others: it waits until one is, or until somebody vouches for one. */
  | 'NOBODY_REACHES_THE_BAR';

/** Until some agree: “two agree, else a third” is 2 and 3. */
export type AgreeRedundancyInput = {
  /** How many must give the same answer, 2 to 100. */
  agree: Scalars['Int']['input'];
  /** Answers at most, to 100. */
  max: Scalars['Int']['input'];
};

/** Something that somebody should look at: one for each cause, as long as it lasts. */
export type Alert = {
  __typename?: 'Alert';
  /** When somebody acknowledged it. */
  acknowledgedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Who did: shown to operators. */
  acknowledgedBy?: Maybe<Identity>;
  /** The batch that it is about. */
  batchId?: Maybe<Scalars['ID']['output']>;
  /** The expert whom it is about; customers are told of none. */
  expertId?: Maybe<Scalars['ID']['output']>;
  /** For `acknowledgeAlert`. */
  id: Scalars['ID']['output'];
  /** What it is about. */
  kind: AlertKind;
  /** When its cause was last seen to be there, to a minute. */
  lastSeenAt: Scalars['DateTime']['output'];
  /** What they said: shown to staff. */
  note?: Maybe<Scalars['String']['output']>;
  /** When it was raised. */
  openedAt: Scalars['DateTime']['output'];
  /** The project that it is about. */
  projectId?: Maybe<Scalars['ID']['output']>;
  /** What happened, in words. */
  reason: Scalars['String']['output'];
  /** When its cause ended. */
  resolvedAt?: Maybe<Scalars['DateTime']['output']>;
  /** How much it presses. */
  severity: AlertSeverity;
  /** The skill that it is about. */
  skillId?: Maybe<Scalars['ID']['output']>;
  /** Where it stands. */
  state: AlertState;
};

/** Somebody else has acknowledged the alert; what they said stands. */
export type AlertAcknowledgedError = DomainError & {
  __typename?: 'AlertAcknowledgedError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** A page of alerts. */
export type AlertConnection = {
  __typename?: 'AlertConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<AlertEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the alerts of a page. */
export type AlertEdge = {
  __typename?: 'AlertEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Alert;
};

/** What became of an alert. Of a CURRENT item everything but the kind and cursor is null. */
export type AlertEvent = {
  __typename?: 'AlertEvent';
  /** Which alert. */
  alertId?: Maybe<Scalars['ID']['output']>;
  /** What it is about. */
  alertKind?: Maybe<AlertKind>;
  /** When. */
  at?: Maybe<Scalars['DateTime']['output']>;
  /** The batch that it is about. */
  batchId?: Maybe<Scalars['ID']['output']>;
  /** A later subscription `after` this goes on without gap or repeat. */
  cursor: Scalars['String']['output'];
  /** The expert whom it is about; customers are told of none. */
  expertId?: Maybe<Scalars['ID']['output']>;
  /** What happened. */
  kind: AlertEventKind;
  /** The project that it is about. */
  projectId?: Maybe<Scalars['ID']['output']>;
  /** What happened, in words. */
  reason?: Maybe<Scalars['String']['output']>;
  /** Forget what you know: this begins the state afresh, because the cursor given could not be resumed from. */
  reset: Scalars['Boolean']['output'];
  /** How much it presses. */
  severity?: Maybe<AlertSeverity>;
  /** The skill that it is about. */
  skillId?: Maybe<Scalars['ID']['output']>;
  /** With `reset`: how many events were passed over and will not be told; null where that is not known, and without `reset`. */
  skipped?: Maybe<Scalars['Int']['output']>;
};

/** What can be heard of an alert. */
export type AlertEventKind =
  /** Somebody has acknowledged it. */
  | 'ACKNOWLEDGED'
  /** Not a change: the alerts that last have been told, changes follow. */
  | 'CURRENT'
  /** It was raised; at the start, that it lasts. */
  | 'RAISED'
  /** Its cause ended. */
  | 'RESOLVED';

/** What an alert can be about. */
export type AlertKind =
  /** Disputed tasks have waited for a stronger expert for half an hour; ends when none does. */
  | 'ADJUDICATIONS_WAITING'
  /** An upload could not be stored; ends when it is acknowledged. */
  | 'BATCH_FAILED'
  /** Tasks of a project stopped short of the answers that they would want, for want of budget; ends when none is left. */
  | 'BUDGET_EXHAUSTED'
  /** A batch will probably miss its deadline; ends when it is likely to make it. */
  | 'DEADLINE_AT_RISK'
  /** The watch found something about experts; ends when it is decided about. */
  | 'EXPERT_FINDING'
  /** An expert is paused, by results or by somebody; ends when they work again. */
  | 'EXPERT_PAUSED'
  /** Gold of a project seems to be known; ends when it is acknowledged or its findings are decided about. */
  | 'GOLD_LEAKED'
  /** Gold of a project seems to have a wrong key; ends when it is acknowledged or its findings are decided about. */
  | 'GOLD_SUSPENDED'
  /** A hundred leases or more ended unanswered within a minute; ends five minutes after the last such minute. */
  | 'LEASES_LAPSED'
  /** Eight hours of work or more wait for each expert who is there; ends below six. */
  | 'SKILL_SHORT'
  /** Work waits and no expert qualifies for any of it; ends with the work, or with one who does. */
  | 'SKILL_STARVED'
  /** The webhook has failed for a quarter of an hour; ends with the first delivery that succeeds. */
  | 'WEBHOOK_FAILING';

/** How much an alert presses. */
export type AlertSeverity =
  /** Work stands still, or will. */
  | 'CRITICAL'
  /** Good to know. */
  | 'INFO'
  /** To be looked at in time. */
  | 'WARNING';

/** Where an alert stands. */
export type AlertState =
  /** The cause is there, and somebody has taken it upon themselves. */
  | 'ACKNOWLEDGED'
  /** The cause is there, and nobody has acknowledged it. */
  | 'OPEN'
  /** The cause is there no more. */
  | 'RESOLVED';

/** You have said that this task cannot be answered. */
export type AlreadyFlaggedError = DomainError & {
  __typename?: 'AlreadyFlaggedError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** The project was stopped already; there is nothing left to finish. */
export type AlreadyStoppedError = DomainError & {
  __typename?: 'AlreadyStoppedError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** The assignment has an answer already, and it was another one. */
export type AlreadySubmittedError = DomainError & {
  __typename?: 'AlreadySubmittedError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** One answer, stored once and never changed. */
export type Answer = {
  __typename?: 'Answer';
  /** The assignment that it answers. */
  assignmentId: Scalars['ID']['output'];
  /** The answer itself. */
  body?: Maybe<Scalars['JSON']['output']>;
  /** How sure the expert said they were, 0 to 1. */
  confidence?: Maybe<Scalars['Float']['output']>;
  /** SHA-256 of the answer’s canonical form (RFC 8785), in hex; the receipt has the same. */
  digest: Scalars['String']['output'];
  /** Who answered; never shown to customers. */
  expert?: Maybe<Expert>;
  /** When it came in. */
  submittedAt: Scalars['DateTime']['output'];
  /** The task that it answers. */
  task?: Maybe<Task>;
};

/** A page of answers. */
export type AnswerConnection = {
  __typename?: 'AnswerConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<AnswerEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the answers of a page. */
export type AnswerEdge = {
  __typename?: 'AnswerEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Answer;
};

/** The answer does not fit its task type. */
export type AnswerInvalidError = DomainError & {
  __typename?: 'AnswerInvalidError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** Every fault, at most 100. */
  issues: Array<Issue>;
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** One expert’s work on one task, for life: claimed again, it is the same one at the next lease epoch. */
export type Assignment = Node & {
  __typename?: 'Assignment';
  /** The answer, once there is one. */
  answer?: Maybe<Answer>;
  /** What was typed so far, for the expert only. */
  draft?: Maybe<Draft>;
  /** Who works on it; never shown to customers. */
  expert?: Maybe<Expert>;
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
  /** The lease while it is live; null otherwise. */
  lease?: Maybe<Lease>;
  /** Where the payload is, for this claim only and while its lease lives. Only in what a claim, a reclaim or `currentAssignment` answers. */
  payloadUrl?: Maybe<Scalars['String']['output']>;
  /** What the answer earns: the price as it was when the task was claimed. */
  price: Money;
  /** The project that it belongs to, as whoever works on it sees it. */
  project?: Maybe<ProjectSummary>;
  /** Why this task was given to this expert; null where it was claimed before reasons were kept. */
  routing?: Maybe<AssignmentRouting>;
  /** Where it stands. */
  state: AssignmentState;
  /** The task. */
  task: Task;
  /** What form an answer has, and the instructions. */
  taskType?: Maybe<TaskType>;
};

/** A page of assignments. */
export type AssignmentConnection = {
  __typename?: 'AssignmentConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<AssignmentEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the assignments of a page. */
export type AssignmentEdge = {
  __typename?: 'AssignmentEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Assignment;
};

/** There is no such assignment of yours. */
export type AssignmentNotFoundError = DomainError & {
  __typename?: 'AssignmentNotFoundError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** Why a task was given to its expert. Written down with each claim: a task that is claimed again is given for a new reason. */
export type AssignmentRouting = {
  __typename?: 'AssignmentRouting';
  /** The same in a sentence that can be shown to the expert. */
  explanation: Scalars['String']['output'];
  /** Hours of work that waited in the skill for each expert who was there to do it, in its most pressed lane (the skill with the same requirements) that the expert has. Not told to experts. */
  pressure?: Maybe<Scalars['Float']['output']>;
  /** What made the difference. */
  reason: RoutingReason;
};

/** Where one expert’s work on one task stands. */
export type AssignmentState =
  /** Answered, and accepted by a review. */
  | 'ACCEPTED'
  /** Ended with its project, or withdrawn by an operator. */
  | 'CANCELLED'
  /** The lease ended first; may be taken back while its slot is free. */
  | 'EXPIRED'
  /** The expert said that the task cannot be answered. */
  | 'FLAGGED'
  /** Held under a lease. */
  | 'LEASED'
  /** Answered, and rejected by a review. */
  | 'REJECTED'
  /** Given back. */
  | 'RELEASED'
  /** Answered, counted and paid. */
  | 'SUBMITTED';

/** One upload of tasks into a project. */
export type Batch = Node & {
  __typename?: 'Batch';
  /** How it has come to where it is, oldest first: as it was first seen past each twentieth of its answers, and its end; at most twenty points. */
  burnUp: Array<BurnUpPoint>;
  /** When it was received. */
  createdAt: Scalars['DateTime']['output'];
  /** When it should be done: its own deadline, or the project’s. */
  deadline?: Maybe<Scalars['DateTime']['output']>;
  /** Rows that could not. */
  errorCount: Scalars['BigInt']['output'];
  /** Those rows, in order; at most the first 10,000 are kept. */
  errors: BatchErrorConnection;
  /** Why the upload could not be read. */
  failure?: Maybe<Scalars['String']['output']>;
  /** When it will be done; null while nothing is known. */
  forecast?: Maybe<Forecast>;
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
  /** Its name. */
  name: Scalars['String']['output'];
  /** How far it has come. */
  progress: Progress;
  /** The project that it belongs to. */
  project?: Maybe<Project>;
  /** Rows that were dealt with. */
  rowsDone: Scalars['BigInt']['output'];
  /** Where it stands. */
  state: BatchState;
  /** When every row was dealt with. */
  storedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Rows that became tasks. */
  taskCount: Scalars['BigInt']['output'];
};


/** One upload of tasks into a project. */
export type BatchErrorsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** One upload of tasks into a project. */
export type BatchForecastArgs = {
  with?: InputMaybe<ForecastWith>;
};

/** A page of batches. */
export type BatchConnection = {
  __typename?: 'BatchConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<BatchEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the batches of a page. */
export type BatchEdge = {
  __typename?: 'BatchEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Batch;
};

/** A row of an upload that did not become a task. */
export type BatchError = {
  __typename?: 'BatchError';
  /** Which row, from 1. */
  line: Scalars['BigInt']['output'];
  /** Why. */
  reason: Scalars['String']['output'];
};

/** A page of faulty rows. */
export type BatchErrorConnection = {
  __typename?: 'BatchErrorConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<BatchErrorEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the faulty rows of a page. */
export type BatchErrorEdge = {
  __typename?: 'BatchErrorEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: BatchError;
};

/** When a batch will be done. */
export type BatchForecast = {
  __typename?: 'BatchForecast';
  /** Which batch. */
  batchId: Scalars['ID']['output'];
  /** When it should be done. */
  deadline?: Maybe<Scalars['DateTime']['output']>;
  /** Its forecast. */
  forecast: Forecast;
};

/** Where an upload stands. */
export type BatchState =
  /** Its project was cancelled. */
  | 'CANCELLED'
  /** Every task of it has ended. */
  | 'COMPLETED'
  /** The upload itself could not be read: see `failure`. */
  | 'FAILED'
  /** Every row was dealt with; its tasks are being worked on. */
  | 'OPEN'
  /** Its rows are being stored; tasks become claimable one after another. */
  | 'STORING';

/** The budget of the project does not pay for this; nothing was done. */
export type BudgetExceededError = DomainError & {
  __typename?: 'BudgetExceededError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** What is spent and reserved already is more than the budget that was given; nothing was done. */
export type BudgetTooLowError = DomainError & {
  __typename?: 'BudgetTooLowError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** The least that can be given, in minor units of the project’s currency. */
  committed: Scalars['BigInt']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** How many answers of a batch were in at a moment. */
export type BurnUpPoint = {
  __typename?: 'BurnUpPoint';
  /** Answers that were in. */
  answers: Scalars['Int']['output'];
  /** When. */
  at: Scalars['DateTime']['output'];
};

/** What becomes of work in hand when a project is cancelled. */
export type CancelPolicy =
  /** Each live lease may be submitted and paid until it ends; none is extended. */
  | 'FINISH'
  /** Live leases end at once. */
  | 'STOP';

/** What `cancelProject` needs. */
export type CancelProjectInput = {
  /** What becomes of work in hand. */
  policy: CancelPolicy;
  /** Which project. */
  projectId: Scalars['ID']['input'];
};

/** What `cancelProject` did. */
export type CancelProjectPayload = {
  __typename?: 'CancelProjectPayload';
  /** The project as it is now. */
  project?: Maybe<Project>;
};

/** What was done, or a refusal that the caller can act on. */
export type CancelProjectResult = AlreadyStoppedError | CancelProjectPayload | NotFoundError;

/** Agreement beyond chance by other coefficients than alpha, over finished tasks with two answers or more: 1 where all agree, 0 at chance. */
export type ChanceCorrectedAgreement = {
  __typename?: 'ChanceCorrectedAgreement';
  /** Fleiss’ kappa (1971); null where `noFleissKappa` says why. */
  fleissKappa?: Maybe<Scalars['Float']['output']>;
  /** Gwet’s AC1 (2008), which does not fall apart where nearly everything has one value; null where values are not counted by class. */
  gwetAc1?: Maybe<Scalars['Float']['output']>;
  /** Why there is none; null where there is one. */
  noFleissKappa?: Maybe<NoFleissReason>;
};

/** What `claimTask` needs. */
export type ClaimTaskInput = {
  /** Only work of this skill (default: any of yours). */
  skillId?: InputMaybe<Scalars['ID']['input']>;
};

/** A task under a fresh lease (or what you hold already), or why there is none. */
export type ClaimTaskPayload = {
  __typename?: 'ClaimTaskPayload';
  /** What you hold now; null where there is nothing to do. */
  assignment?: Maybe<Assignment>;
  /** Why there is nothing to do; null where there is. */
  empty?: Maybe<EmptyQueue>;
};

/** What was done, or a refusal that the caller can act on. */
export type ClaimTaskResult = ClaimTaskPayload | NotFoundError;

/** How well an expert knows what they know: what they stated on gold beside what came true. */
export type ConfidenceCalibration = {
  __typename?: 'ConfidenceCalibration';
  /** The share that was right. */
  actual: Scalars['Float']['output'];
  /** Mean distance of the two, by how sure they were; to experts, the distance of the two figures above. */
  error: Scalars['Float']['output'];
  /** Whether stated confidence weighs their answers: only once it says something. */
  isUsed: Scalars['Boolean']['output'];
  /** Stated confidences that it rests on, the last 200. */
  pairs: Scalars['Int']['output'];
  /** What was stated on average; to experts, with all of their answers since the last state shown. */
  stated: Scalars['Float']['output'];
};

/** A customer whose work an expert must not see. */
export type ConflictOfInterest = {
  __typename?: 'ConflictOfInterest';
  /** Since when. */
  createdAt: Scalars['DateTime']['output'];
  /** Whose work. */
  customer?: Maybe<Customer>;
  /** Why. */
  reason: Scalars['String']['output'];
};

/** What `createBatch` needs. More than 1,000 tasks or 1 MiB are uploaded by POST /v1/projects/{id}/batches. */
export type CreateBatchInput = {
  /** Default: the project’s. */
  deadline?: InputMaybe<Scalars['DateTime']['input']>;
  /** Of your making, 1 to 200 characters: the same key with the same content answers the first batch again. */
  idempotencyKey: Scalars['ID']['input'];
  /** 1 to 200 characters. */
  name: Scalars['String']['input'];
  /** Into which project. */
  projectId: Scalars['ID']['input'];
  /** The items, 1 to 1,000. */
  tasks: Array<NewTaskInput>;
};

/** What `createBatch` did. */
export type CreateBatchPayload = {
  __typename?: 'CreateBatchPayload';
  /** The batch: STORING at first, then OPEN. Faulty rows are in its `errors`. */
  batch?: Maybe<Batch>;
};

/** What was done, or a refusal that the caller can act on. */
export type CreateBatchResult = BudgetExceededError | CreateBatchPayload | IdempotencyConflictError | InputInvalidError | NotFoundError | ProjectNotRunningError;

/** What `createCustomer` needs. */
export type CreateCustomerInput = {
  /** How whoever acts for it is called; by default as the customer is. */
  displayName?: InputMaybe<Scalars['String']['input']>;
  /** Whether whoever that is may act in another role of the tenant already; otherwise it is refused. Who acts in two roles can read in one what the other must not know. */
  mayHaveOtherRoles?: InputMaybe<Scalars['Boolean']['input']>;
  /** Unique inside the tenant; 1 to 200 characters. */
  name: Scalars['String']['input'];
  /** The subject of the access tokens that act for this customer; without it nobody can yet. It acts for one customer of the tenant. */
  subject?: InputMaybe<Scalars['String']['input']>;
};

/** What `createCustomer` did. */
export type CreateCustomerPayload = {
  __typename?: 'CreateCustomerPayload';
  /** The new customer. */
  customer?: Maybe<Customer>;
};

/** What was done, or a refusal that the caller can act on. */
export type CreateCustomerResult = CreateCustomerPayload | InputInvalidError | NameTakenError;

/** What `createExpert` needs. */
export type CreateExpertInput = {
  /** How the identity is called (default: the handle). */
  displayName?: InputMaybe<Scalars['String']['input']>;
  /** Unique inside the tenant; 1 to 200 characters. */
  handle: Scalars['String']['input'];
  /** Whether whoever that is may act in another role of the tenant already; otherwise it is refused. Who acts in two roles can read in one what the other must not know. */
  mayHaveOtherRoles?: InputMaybe<Scalars['Boolean']['input']>;
  /** The subject of the access tokens that act as this expert; without it nobody can yet. */
  subject?: InputMaybe<Scalars['String']['input']>;
};

/** What `createExpert` did. */
export type CreateExpertPayload = {
  __typename?: 'CreateExpertPayload';
  /** The expert as they are now. */
  expert?: Maybe<Expert>;
};

/** What was done, or a refusal that the caller can act on. */
export type CreateExpertResult = CreateExpertPayload | InputInvalidError | NameTakenError;

/** What `createGold` needs. */
export type CreateGoldInput = {
  /** The gold. */
  gold: NewGoldInput;
  /** It is used in this project only. */
  projectId: Scalars['ID']['input'];
};

/** What `createGold` did. */
export type CreateGoldPayload = {
  __typename?: 'CreateGoldPayload';
  /** The golds, in the order given. */
  golds: Array<Gold>;
  /** Why some of them are given to nobody yet, or may not be one day; each kind once. */
  warnings: Array<GoldWarning>;
};

/** What was done, or a refusal that the caller can act on. */
export type CreateGoldResult = CreateGoldPayload | InputInvalidError | NotFoundError | ProjectNotRunningError;

/** What `createProject` needs. */
export type CreateProjectInput = {
  /** Whose it is: an operator must say, a customer’s are its own. */
  customerId?: InputMaybe<Scalars['ID']['input']>;
  /** When it should be done. */
  deadline?: InputMaybe<Scalars['DateTime']['input']>;
  /** Skills that experts need beside that one. What a project asks of experts never changes. */
  furtherSkills?: InputMaybe<FurtherSkillsInput>;
  /** Of your making, 1 to 200 characters: the same key with the same content answers the first project again. */
  idempotencyKey: Scalars['ID']['input'];
  /** Languages (BCP 47, such as "de" or "pt-BR") that experts need, all of them, each exactly as the expert’s own; at most 20. */
  languages?: InputMaybe<Array<Scalars['String']['input']>>;
  /** How long one lease is, 60 to 28800 (default 1800). */
  leaseSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** Tasks of the project that one expert may take (default: as many as there are). */
  maxPerExpert?: InputMaybe<Scalars['Int']['input']>;
  /** Proven quality that an expert needs, 0 to 1, at most two decimals (default 0). */
  minQuality?: InputMaybe<Scalars['Float']['input']>;
  /** 1 to 200 characters. */
  name: Scalars['String']['input'];
  /** For one answer. */
  price: MoneyInput;
  /** Independent answers that a task wants, 1 to 100 (default 1). */
  redundancy?: InputMaybe<Scalars['Int']['input']>;
  /** What experts need to be able to do. */
  skillId: Scalars['ID']['input'];
  /** Tags that experts need, all of them; at most 20 of 1 to 50 letters, digits and _ . : - */
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
  /** What form an answer has. */
  taskTypeId: Scalars['ID']['input'];
  /** Priority as a share of claims against the other projects that wait for the same skill with the same requirements, 1 to 1000 (default 10): twice the weight, twice the claims. Nothing is starved by it. */
  weight?: InputMaybe<Scalars['Int']['input']>;
};

/** What `createProject` did. */
export type CreateProjectPayload = {
  __typename?: 'CreateProjectPayload';
  /** The project as it is now. */
  project?: Maybe<Project>;
};

/** What was done, or a refusal that the caller can act on. */
export type CreateProjectResult = CreateProjectPayload | IdempotencyConflictError | InputInvalidError | NotFoundError;

/** What `createSkill` needs. */
export type CreateSkillInput = {
  /** Unique inside the tenant; 1 to 200 characters. */
  name: Scalars['String']['input'];
};

/** What `createSkill` did. */
export type CreateSkillPayload = {
  __typename?: 'CreateSkillPayload';
  /** The new skill. */
  skill?: Maybe<Skill>;
};

/** What was done, or a refusal that the caller can act on. */
export type CreateSkillResult = CreateSkillPayload | InputInvalidError | NameTakenError;

/** What `createTaskType` needs. */
export type CreateTaskTypeInput = {
  /** Operators only: whose it is (default: offered to every customer). A customer’s are always its own. */
  customerId?: InputMaybe<Scalars['ID']['input']>;
  /** One of {"kind":"SINGLE_CHOICE","options":[{"value","label"}]}, {"kind":"PAIRWISE"}, {"kind":"RUBRIC","criteria":[…]}, {"kind":"FREE_FORM","schema":{…}}; see the documentation. */
  definition: Scalars['JSON']['input'];
  /** Shown beside each task. Markdown. */
  instructions?: InputMaybe<Scalars['String']['input']>;
  /** 1 to 200 characters; the same name again makes the next version. */
  name: Scalars['String']['input'];
};

/** What `createTaskType` did. */
export type CreateTaskTypePayload = {
  __typename?: 'CreateTaskTypePayload';
  /** The new task type. */
  taskType?: Maybe<TaskType>;
};

/** What was done, or a refusal that the caller can act on. */
export type CreateTaskTypeResult = CreateTaskTypePayload | InputInvalidError | NotFoundError | TaskTypeInvalidError;

/** A party inside the tenant that owns projects. A CUSTOMER sees only itself. */
export type Customer = Node & {
  __typename?: 'Customer';
  /** When it was added. */
  createdAt: Scalars['DateTime']['output'];
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
  /** Unique inside the tenant. */
  name: Scalars['String']['output'];
};

/** A page of customers. */
export type CustomerConnection = {
  __typename?: 'CustomerConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<CustomerEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the customers of a page. */
export type CustomerEdge = {
  __typename?: 'CustomerEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Customer;
};

/** A project that was moved forward to make its deadline. */
export type DeadlineLift = {
  __typename?: 'DeadlineLift';
  /** What its weight is multiplied by until the lift ends: more than 1, at most 8. */
  lift: Scalars['Float']['output'];
  /** Tasks that came forward. */
  movedTasks: Scalars['Int']['output'];
  /** Which project. */
  project?: Maybe<Project>;
};

/** Whether a batch will make its deadline. Of a project without any forecast, one item without a batch. */
export type DeadlineRisk = {
  __typename?: 'DeadlineRisk';
  /** Whether its deadline is at risk. */
  atRisk: Scalars['Boolean']['output'];
  /** Which batch. */
  batchId?: Maybe<Scalars['ID']['output']>;
  /** When this was computed. */
  computedAt?: Maybe<Scalars['DateTime']['output']>;
  /** A later subscription `after` this goes on without gap or repeat. */
  cursor: Scalars['String']['output'];
  /** When it should be done. */
  deadline?: Maybe<Scalars['DateTime']['output']>;
  /** When it will be done at the present rate. */
  expectedDoneAt?: Maybe<Scalars['DateTime']['output']>;
  /** What would make the deadline nine times in ten; null where it is made as it is, or nothing can be said. */
  fixes?: Maybe<ForecastFixes>;
  /** How likely it is done by its deadline, 0 to 1. */
  probabilityOnTime?: Maybe<Scalars['Float']['output']>;
  /** Forget what you know: this begins the state afresh, because the cursor given could not be resumed from. */
  reset: Scalars['Boolean']['output'];
  /** With `reset`: how many events were passed over and will not be told; null where that is not known, and without `reset`. */
  skipped?: Maybe<Scalars['Int']['output']>;
};

/** How well answers agree in one dimension. */
export type DimensionQuality = {
  __typename?: 'DimensionQuality';
  /** Krippendorff’s alpha: 1 where all agree, 0 at chance. Low agreement is not low accuracy: read it beside how sure results are. */
  alpha?: Maybe<Scalars['Float']['output']>;
  /** Fleiss’ kappa and Gwet’s AC1. */
  chanceCorrected: ChanceCorrectedAgreement;
  /** Which dimension of the task type. */
  dimension: Scalars['String']['output'];
  /** What it is measured on: NOMINAL, ORDINAL or INTERVAL. */
  scale: Scalars['String']['output'];
  /** How sure the results of the latest finished tasks are, on average: the probability of the most probable answer, adjudications included, as it turned out on the project’s gold. Null where none is finished. */
  stated?: Maybe<Scalars['Float']['output']>;
  /** The tasks that `stated` is the mean over: the latest finished ones, decided by a rule or not; at most 500, of numbers 50. */
  statedTasks: Scalars['Int']['output'];
  /** Finished tasks with two answers or more. */
  tasks: Scalars['Int']['output'];
};

/** What `disableWebhook` needs. */
export type DisableWebhookInput = {
  /** Why; 1 to 500 characters, shown with the webhook. */
  reason: Scalars['String']['input'];
};

/** What `disableWebhook` did. */
export type DisableWebhookPayload = {
  __typename?: 'DisableWebhookPayload';
  /** A new secret that messages are signed with, shown this once; null: there is none. */
  secret?: Maybe<Scalars['String']['output']>;
  /** The webhook. */
  webhook?: Maybe<Webhook>;
};

/** What was done, or a refusal that the caller can act on. */
export type DisableWebhookResult = DisableWebhookPayload | InputInvalidError | NotFoundError;

/** What `dismissFinding` needs. */
export type DismissFindingInput = {
  /** The finding. */
  findingId: Scalars['ID']['input'];
  /** Why it means nothing; 1 to 500 characters, kept. */
  reason: Scalars['String']['input'];
};

/** What `dismissFinding` did. */
export type DismissFindingPayload = {
  __typename?: 'DismissFindingPayload';
  /** The finding. */
  finding?: Maybe<QualityFinding>;
  /** Whether a gold that was suspended because of it is given again. */
  goldResumed: Scalars['Boolean']['output'];
  /** Pauses that were made from it (`pauseFromFinding`), still stood, and are lifted. */
  pausesLifted: Scalars['Int']['output'];
  /** What followed from it and stays as it is, and why; null: nothing. */
  remains?: Maybe<Scalars['String']['output']>;
  /** Results that counted no longer because of it and count again, by dimension; scores fold anew. */
  resultsRestored: Scalars['Int']['output'];
};

/** What was done, or a refusal that the caller can act on. */
export type DismissFindingResult = DismissFindingPayload | InputInvalidError | NotFoundError;

/** A refusal that the caller can act on. Match `code`; show `message`. */
export type DomainError = {
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** What the expert has typed so far; survives the end of a lease. */
export type Draft = {
  __typename?: 'Draft';
  /** As it was sent. */
  body?: Maybe<Scalars['JSON']['output']>;
  /** When it was saved. */
  savedAt: Scalars['DateTime']['output'];
};

/** The draft is too large or too deep; the last smaller one is kept. */
export type DraftTooLargeError = DomainError & {
  __typename?: 'DraftTooLargeError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** There is nothing to do just now. No error: ask again when it says. */
export type EmptyQueue = {
  __typename?: 'EmptyQueue';
  /** The same in a sentence. */
  message: Scalars['String']['output'];
  /** Why. */
  reason: EmptyReason;
  /** When asking again makes sense; spread, so that a crowd does not come at once. */
  retryAfterSeconds: Scalars['Int']['output'];
};

/** Why there is nothing to do: exact when it was answered. */
export type EmptyReason =
  /** Of what waits you have had each task already. */
  | 'ALL_ANSWERED_BY_YOU'
  /** Others are claiming at this very moment: ask again in a second. */
  | 'BUSY'
  /** What waits is of customers whose work you may not see. */
  | 'CONFLICT_OF_INTEREST'
  /** You have taken as many tasks today as your daily cap allows; the day ends at midnight UTC. */
  | 'DAILY_CAP_REACHED'
  /** No task of your skills waits. */
  | 'NO_OPEN_TASK'
  /** You have none of the skills that were asked for. */
  | 'NO_SKILL'
  /** You, or all your skills that were asked for, are paused. */
  | 'PAUSED'
  /** Of what waits you have had as many tasks as one expert may. */
  | 'PROJECT_CAP_REACHED'
  /** What waits asks for more than your proven quality. */
  | 'QUALITY_BELOW_MINIMUM'
  /** What waits asks for further skills, languages or qualifications that you do not have. */
  | 'REQUIREMENTS_NOT_MET'
  /** What waits is reserved for other experts. */
  | 'RESERVED_FOR_OTHERS';

/** What `escalateTask` needs. */
export type EscalateTaskInput = {
  /** Why; 1 to 500 characters, kept. */
  reason: Scalars['String']['input'];
  /** Which task. */
  taskId: Scalars['ID']['input'];
};

/** What `escalateTask` did. */
export type EscalateTaskPayload = {
  __typename?: 'EscalateTaskPayload';
  /** The task that was escalated. */
  task?: Maybe<Task>;
};

/** What was done, or a refusal that the caller can act on. */
export type EscalateTaskResult = BudgetExceededError | EscalateTaskPayload | InputInvalidError | NotEscalatableError | NotFoundError;

/** A person who does the work. Experts see themselves; customers never see who answered. */
export type Expert = Node & {
  __typename?: 'Expert';
  /** Customers whose work they must not see; the first 100. */
  conflicts?: Maybe<Array<ConflictOfInterest>>;
  /** When they were added. */
  createdAt: Scalars['DateTime']['output'];
  /** Claims that they may take in a UTC day; null: no cap. */
  dailyCap?: Maybe<Scalars['Int']['output']>;
  /** How the expert is called inside the tenant; unique. */
  handle: Scalars['String']['output'];
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
  /** Languages, as BCP 47 has them, in lower case. */
  languages: Array<Scalars['String']['output']>;
  /** Pauses that hold just now, with their reasons; the first 100. */
  pauses?: Maybe<Array<Pause>>;
  /** What the expert can do. */
  skills: Array<ExpertSkill>;
  /** Whether work may be given at all. */
  status: ExpertStatus;
  /** Tags that projects may ask for. */
  tags: Array<Scalars['String']['output']>;
};

/** How an expert agrees with their peers in one dimension. */
export type ExpertAgreement = {
  __typename?: 'ExpertAgreement';
  /** The share of pairs of answers that say the same; null where values are numbers. */
  agreed?: Maybe<Scalars['Float']['output']>;
  /** Krippendorff’s alpha of these pairs of answers by the chance of all: 1 where they always agree, 0 at chance. */
  alpha?: Maybe<Scalars['Float']['output']>;
  /** Who. */
  expert?: Maybe<Expert>;
  /** Their finished tasks that others have answered too. */
  tasks: Scalars['Int']['output'];
};

/** A page of experts. */
export type ExpertConnection = {
  __typename?: 'ExpertConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<ExpertEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the experts of a page. */
export type ExpertEdge = {
  __typename?: 'ExpertEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Expert;
};

/** What is known of an expert’s work. Experts see of their own a new state once twenty answers of theirs in the skill lie behind the last one, of skills as a whole. */
export type ExpertQuality = {
  __typename?: 'ExpertQuality';
  /** Of stated confidence; null where none was stated on gold. */
  calibration?: Maybe<ConfidenceCalibration>;
  /** Scores day by day, the latest first; at most 400. */
  history: Array<SkillScore>;
  /** Warnings, pauses, re-tests and returns, the latest first; at most 100. */
  notices: Array<StandingNotice>;
  /** Pauses that humans set or took back, the latest first, with what they said; at most 100. To experts without those that rest on a finding. */
  pauses: Array<HumanPause>;
  /** The latest score of each skill and task type; at most 200. */
  scores: Array<SkillScore>;
  /** Where they stand in each skill that was graded: to staff as decided, to experts as in effect. */
  standings: Array<SkillStanding>;
};

/** How the session of an expert fares: connections, lease and interruptions. */
export type ExpertSession = {
  __typename?: 'ExpertSession';
  /** What they hold a live lease of. */
  assignment?: Maybe<Assignment>;
  /** Whether a WebSocket or an event stream of theirs is open on any node. Of a node that was killed it is said for up to 20 seconds more. */
  connected: Scalars['Boolean']['output'];
  /** Since when without interruption; null: they are not connected. */
  connectedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Whose. */
  expert?: Maybe<Expert>;
  /** Short interruptions of the last 24 hours. */
  interruptions: SessionInterruptions;
  /** When the lease was last extended, or taken. */
  lastHeartbeatAt?: Maybe<Scalars['DateTime']['output']>;
  /** When they were last connected; null: never. Experts may work without a connection that stays. */
  lastSeenAt?: Maybe<Scalars['DateTime']['output']>;
  /** When the lease ends without a heartbeat. */
  leaseUntil?: Maybe<Scalars['DateTime']['output']>;
  /** Nodes that they are connected to. */
  nodes: Scalars['Int']['output'];
  /** WebSockets, of all nodes. */
  sockets: Scalars['Int']['output'];
  /** Subscriptions by server-sent events, of all nodes. */
  streams: Scalars['Int']['output'];
};

/** A page of sessions. */
export type ExpertSessionConnection = {
  __typename?: 'ExpertSessionConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<ExpertSessionEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the sessions of a page. */
export type ExpertSessionEdge = {
  __typename?: 'ExpertSessionEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: ExpertSession;
};

/** What one expert can do, and how well as far as it was measured. */
export type ExpertSkill = {
  __typename?: 'ExpertSkill';
  /** How the expert likes it. */
  preference: SkillPreference;
  /** The quality that is proven: the lower credible bound, which projects’ minimum is held against. */
  qualityLower: Scalars['Float']['output'];
  /** Measured quality, 0 to 1: the best guess. To experts of themselves as they were shown it last (see `expertQuality`). */
  qualityMean: Scalars['Float']['output'];
  /** The skill. */
  skill?: Maybe<Skill>;
  /** Whether work of this skill may be given. */
  status: SkillStatus;
  /** When the status changed last, or somebody set its figures. */
  updatedAt: Scalars['DateTime']['output'];
};

/** Whether an expert may be given work at all. */
export type ExpertStatus =
  /** May be given work of their skills. */
  | 'ACTIVE'
  /** Is given nothing; what they hold may still be submitted, but is not extended. */
  | 'PAUSED';

/** Experts that are not there yet, and can do the work. */
export type ExtraExpertsInput = {
  /** How many; at most 1,000 in all. */
  count: Scalars['Int']['input'];
  /** Hours that each works in a week, above 0; by default as those there are, by the median. */
  hoursPerWeek?: InputMaybe<Scalars['Float']['input']>;
};

/** What a human decided about a finding. */
export type FindingDecision = {
  __typename?: 'FindingDecision';
  /** When. */
  decidedAt: Scalars['DateTime']['output'];
  /** What was decided. */
  decision: FindingDecisionKind;
  /** Who was paused. */
  expert?: Maybe<Expert>;
  /** Why. */
  reason: Scalars['String']['output'];
};

/** What was decided about a finding. */
export type FindingDecisionKind =
  /** It means nothing; it is not told again. */
  | 'DISMISSED'
  /** An expert was paused because of it. */
  | 'PAUSED';

/** A number that a finding rests on. */
export type FindingFigure = {
  __typename?: 'FindingFigure';
  /** What it is. */
  name: Scalars['String']['output'];
  /** How much. */
  value: Scalars['Float']['output'];
};

/** Always so many answers. */
export type FixedRedundancyInput = {
  /** 1 to 100. */
  answers: Scalars['Int']['input'];
};

/** Why a task cannot be answered. */
export type FlagReason =
  /** More than one answer is right, and nothing says which is meant. */
  | 'AMBIGUOUS'
  /** What would be needed to answer is not there. */
  | 'MISSING_CONTEXT'
  /** The payload should not be shown to anybody. */
  | 'OFFENSIVE'
  /** Something else; say what in `note`. */
  | 'OTHER'
  /** The payload cannot be opened or read. */
  | 'UNREADABLE';

/** What `flagTask` needs. */
export type FlagTaskInput = {
  /** What you hold. */
  assignmentId: Scalars['ID']['input'];
  /** The epoch of its lease. */
  leaseEpoch: Scalars['Int']['input'];
  /** In your words, at most 2,000 characters. */
  note?: InputMaybe<Scalars['String']['input']>;
  /** Why it cannot be answered. */
  reason: FlagReason;
};

/** The flag was kept. */
export type FlagTaskPayload = {
  __typename?: 'FlagTaskPayload';
  /** Whether this flag closed the task; otherwise another expert looks at it. */
  taskClosed: Scalars['Boolean']['output'];
};

/** What was done, or a refusal that the caller can act on. */
export type FlagTaskResult = AlreadyFlaggedError | AlreadySubmittedError | AssignmentNotFoundError | FlagTaskPayload | InputInvalidError | LeaseExpiredError | LeaseWithdrawnError | ProjectCancelledError | StaleLeaseError;

/** When work will be done, as it was last computed. */
export type Forecast = {
  __typename?: 'Forecast';
  /** How fast they come in just now. */
  answersPerHour: Scalars['Float']['output'];
  /** Skills whose experts are too few, or would be first; to customers that of their own work. */
  bindingSkills: Array<Skill>;
  /** When this was computed. */
  computedAt: Scalars['DateTime']['output'];
  /** How much it is worth. */
  confidence: ForecastConfidence;
  /** When it will be done, as likely before as after; null while nothing can be said. Of finished work: when it was. */
  expectedDoneAt?: Maybe<Scalars['DateTime']['output']>;
  /** Finished batches that it was learned from, of the same project or of the same customer and task type: from five on. */
  finishedBatches: Scalars['Int']['output'];
  /** What would make the deadline; null where it is made nine times in ten as it is, or nothing can be said. */
  fixes?: Maybe<ForecastFixes>;
  /** What it hangs on, in words. Empty while it is not known when experts work. */
  limits: Array<Scalars['String']['output']>;
  /** Skill by skill, those that share the experts on whom it hangs; its own among them, and to customers only that, in rounded hours. Empty while it is not known when experts work. */
  perSkill: Array<ForecastSkill>;
  /** How likely it is done by its deadline, 0 to 1; null without a deadline. */
  probabilityOnTime?: Maybe<Scalars['Float']['output']>;
  /** The whole of what is known: when it will be done with .05, .1, .25, .5, .75, .9 and .95. Empty while nothing can be said. */
  quantiles: Array<ForecastQuantile>;
  /** Answers still wanted. */
  remainingAnswers: Scalars['Int']['output'];
  /** These skills together: who has several is there once. To customers the experts of their own work. */
  total?: Maybe<ForecastSkill>;
};

/** How good forecasts were whose batches have ended: made at every twentieth of the answers, and whenever the risk changed. Null where there is nothing to measure. */
export type ForecastAccuracy = {
  __typename?: 'ForecastAccuracy';
  /** Of deadlines at risk. */
  alerts: ForecastAlerts;
  /** Batches that they were of. */
  batches: Scalars['Int']['output'];
  /** Brier’s score of the probability to be in time: 0 is best, a coin has .25. */
  brier?: Maybe<Scalars['Float']['output']>;
  /** The share that was done between the .1 and the .9 quantile; .8 is honest. */
  coverage80?: Maybe<Scalars['Float']['output']>;
  /** The continuous ranked probability score: how far off, in hours, all that was said was. */
  crpsHours?: Maybe<Scalars['Float']['output']>;
  /** Forecasts, of the latest twenty thousand. */
  forecasts: Scalars['Int']['output'];
  /** The share that was done after the median; .5 is honest. */
  medianExceeded?: Maybe<Scalars['Float']['output']>;
  /** Quantile by quantile: .1, .25, .5, .75 and .9. */
  pinball: Array<ForecastPinball>;
  /** Stated against what came true, by tenths; a tenth that was never stated is left out. */
  reliability: Array<ForecastReliability>;
};

/** What being said to be at risk was worth, of batches that had a deadline and have ended. */
export type ForecastAlerts = {
  __typename?: 'ForecastAlerts';
  /** Those said to be at risk, late or not. */
  alerted: Scalars['Int']['output'];
  /** How many. */
  batches: Scalars['Int']['output'];
  /** Those said to be at risk and in time. */
  falseAlerts: Scalars['Int']['output'];
  /** Of these, from the first word to the deadline, by the median. */
  leadHours?: Maybe<Scalars['Float']['output']>;
  /** Those that were late. */
  missed: Scalars['Int']['output'];
  /** Those of the late that had been said to be at risk. */
  warned: Scalars['Int']['output'];
};

/** How much a forecast is worth. */
export type ForecastConfidence =
  /** Learned from twenty finished batches or more. */
  | 'HIGH'
  /** From too few finished batches, or of too few experts (one or two who can do it): wide. */
  | 'LOW'
  /** Learned from five finished batches or more. */
  | 'MEDIUM';

/** Hours that are lacking in a skill. */
export type ForecastExtraHours = {
  __typename?: 'ForecastExtraHours';
  /** Hours more, until the deadline. */
  hours: Scalars['Float']['output'];
  /** Which skill. */
  skill?: Maybe<Skill>;
};

/** What would make the deadline, nine times in ten: each by itself. */
export type ForecastFixes = {
  __typename?: 'ForecastFixes';
  /** Or so many open tasks less; null where that would be all of them. */
  dropTasks?: Maybe<Scalars['Int']['output']>;
  /** Hours of experts more. */
  expertHours: Array<ForecastExtraHours>;
  /** Or this deadline; null beyond ten years. */
  safeDeadline?: Maybe<Scalars['DateTime']['output']>;
};

/** How good one quantile was. */
export type ForecastPinball = {
  __typename?: 'ForecastPinball';
  /** Its mean pinball loss; 0 is best. */
  hours: Scalars['Float']['output'];
  /** Which quantile. */
  probability: Scalars['Float']['output'];
};

/** A moment by which work will be done with a probability. */
export type ForecastQuantile = {
  __typename?: 'ForecastQuantile';
  /** By when; null beyond ten years. */
  at?: Maybe<Scalars['DateTime']['output']>;
  /** How likely, 0 to 1. */
  probability: Scalars['Float']['output'];
};

/** What became of the forecasts that stated a probability of a tenth. */
export type ForecastReliability = {
  __typename?: 'ForecastReliability';
  /** How many. */
  forecasts: Scalars['Int']['output'];
  /** The tenth begins here. */
  from: Scalars['Float']['output'];
  /** The share of them whose batch was done in time. */
  happened: Scalars['Float']['output'];
  /** The mean of what they stated. */
  stated: Scalars['Float']['output'];
  /** And ends here. */
  to: Scalars['Float']['output'];
};

/** What there is of work and of experts’ hours, in one skill or in some together: each hour is counted once. */
export type ForecastSkill = {
  __typename?: 'ForecastSkill';
  /** Experts who can do it. */
  experts: Scalars['Int']['output'];
  /** That they work until the deadline; without one, until it is expected to be done. Null to customers: others’ work is done in them too. */
  hoursByDeadline?: Maybe<Scalars['Float']['output']>;
  /** That they work in a week, all of them together. */
  hoursPerWeek: Scalars['Float']['output'];
  /** Hours more with which nine of ten possible futures make the deadline: 0 where they do as it is. Null without a deadline, and where other skills lack them. */
  missingHours?: Maybe<Scalars['Float']['output']>;
  /** Hours of other work that is due before, of the same experts; null to customers. */
  othersHours?: Maybe<Scalars['Float']['output']>;
  /** How likely these experts suffice by the deadline for what is due of it, were there nothing else for them; of several together that all make it, and to customers always that. Null without a deadline. */
  probabilityOnTime?: Maybe<Scalars['Float']['output']>;
  /** Which skill; null of all together. */
  skill?: Maybe<Skill>;
  /** Hours of work that are left of this. */
  workHours: Scalars['Float']['output'];
};

/** What is to be otherwise than it is. Nothing is changed: it is only asked what would become of it. */
export type ForecastWith = {
  /** Another deadline. */
  deadline?: InputMaybe<Scalars['DateTime']['input']>;
  /** Open tasks less; fewer than there are. */
  dropTasks?: InputMaybe<Scalars['Int']['input']>;
  /** Experts more; at most 20 kinds. */
  extraExperts?: InputMaybe<Array<ExtraExpertsInput>>;
};

/** Answers by the client and form that they were given on. */
export type FormQuality = {
  __typename?: 'FormQuality';
  /** The share of answers on gold that are right; null to customers, and where there are none. */
  accuracyOnGold?: Maybe<Scalars['Float']['output']>;
  /** Mean share of a task’s other answers that say the same; null where no task has others. */
  agreed?: Maybe<Scalars['Float']['output']>;
  /** How many, of the latest 20,000 that say so. */
  answers: Scalars['Int']['output'];
  /** The client. */
  clientVersion?: Maybe<Scalars['String']['output']>;
  /** Answers that `agreed` rests on. */
  compared: Scalars['Int']['output'];
  /** The variant of the form. */
  formVariant?: Maybe<Scalars['String']['output']>;
  /** Answers on gold that it rests on; 0 to customers. */
  goldAnswers: Scalars['Int']['output'];
  /** From claim to submit. */
  medianSeconds: Scalars['Float']['output'];
};

/** Skills that an expert needs beside the project’s own. */
export type FurtherSkills = {
  __typename?: 'FurtherSkills';
  /** All of these. */
  allOf: Array<Skill>;
  /** At least one of these; empty asks for none. */
  anyOf: Array<Skill>;
  /** Proven quality that counts in each of them, 0 to 1. */
  minQuality: Scalars['Float']['output'];
};

/** Skills that an expert needs beside the project’s own. */
export type FurtherSkillsInput = {
  /** All of these; at most 10. */
  allOf?: InputMaybe<Array<Scalars['ID']['input']>>;
  /** At least one of these; at most 10, none of which is in `allOf`. */
  anyOf?: InputMaybe<Array<Scalars['ID']['input']>>;
  /** Proven quality that counts in each of them, 0 to 1, at most two decimals (default 0). */
  minQuality?: InputMaybe<Scalars['Float']['input']>;
};

/** A task whose answer is known, given to experts among their other work. Nobody who may act as an expert sees it. */
export type Gold = {
  __typename?: 'Gold';
  /** Why it is given to nobody though it is active: experts would know it. It is given again once a task looks like it; sent again (`importGold`), it looks as it is sent then. Null: it may be given. */
  aside?: Maybe<GoldAside>;
  /** When it was made. */
  createdAt: Scalars['DateTime']['output'];
  /** When it was retired or suspended. */
  endedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Experts it was shown to. */
  exposures: Scalars['Int']['output'];
  /** Experts it may be shown to. */
  exposuresMax: Scalars['Int']['output'];
  /** What is right. */
  key: Array<GoldKey>;
  /** Its class, over which showings are balanced. */
  label: Scalars['String']['output'];
  /** Why it was retired or suspended. */
  reason?: Maybe<Scalars['String']['output']>;
  /** Where it comes from. */
  source: GoldSource;
  /** Where it stands. */
  state: GoldState;
  /** The task; of no batch and no customer. */
  task?: Maybe<Task>;
};

/** What of a gold, that experts see, is like none of its project’s tasks. */
export type GoldAside =
  /** The media type. */
  | 'CONTENT_TYPE'
  /** `externalId`: it has none, or tasks have none. */
  | 'NAME'
  /** Its payload is less than half as long as any task’s, or more than twice. */
  | 'SIZE';

/** A page of golds. */
export type GoldConnection = {
  __typename?: 'GoldConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<GoldEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the golds of a page. */
export type GoldEdge = {
  __typename?: 'GoldEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Gold;
};

/** The gold has ended already, in another way or for another reason; it stays as it is. */
export type GoldEndedError = DomainError & {
  __typename?: 'GoldEndedError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
  /** Why it ended, which it keeps. */
  reason: Scalars['String']['output'];
  /** How it ended. */
  state: GoldState;
};

/** What is right, of one dimension: a text or a number. */
export type GoldKey = {
  __typename?: 'GoldKey';
  /** The dimension of the task type. */
  dimension: Scalars['String']['output'];
  /** Of a dimension in numbers. */
  number?: Maybe<Scalars['Float']['output']>;
  /** Of a nominal or ordinal dimension in words. */
  text?: Maybe<Scalars['String']['output']>;
  /** How far off a number may be and still be right. */
  tolerance: Scalars['Float']['output'];
};

/** Where a gold comes from. */
export type GoldSource =
  /** Made by hand. */
  | 'HAND'
  /** Imported with others. */
  | 'IMPORT'
  /** Made from a finished task whose answer is beyond doubt. */
  | 'MINTED';

/** Where a gold stands. */
export type GoldState =
  /** Given to experts. */
  | 'ACTIVE'
  /** Given to nobody more; what it graded counts. */
  | 'RETIRED'
  /** Was not right: what it graded does not count. */
  | 'SUSPENDED';

/** How far off a number may be and still be right. */
export type GoldToleranceInput = {
  /** A dimension of the answer that is a number on an interval scale. */
  dimension: Scalars['String']['input'];
  /** From 0, in the unit of the answers. */
  tolerance: Scalars['Float']['input'];
};

/** Something to be said of gold that was taken. */
export type GoldWarning = {
  __typename?: 'GoldWarning';
  /** Of which. */
  golds: Array<Gold>;
  /** What. */
  kind: GoldWarningKind;
  /** In a sentence, with what can be done. */
  message: Scalars['String']['output'];
};

/** What is to be said of gold that was taken. */
export type GoldWarningKind =
  /** Set aside: no task has its media type. */
  | 'CONTENT_TYPE'
  /** Set aside: `externalId` is like that of no task. */
  | 'NAME'
  /** The project has no tasks yet. Gold that looks otherwise than they will is set aside when they come; what only lacks a name is given one. */
  | 'NO_TASKS'
  /** Set aside: its payload is far shorter or longer than those of tasks. */
  | 'SIZE';

/** What `heartbeat` needs. */
export type HeartbeatInput = {
  /** What you hold. */
  assignmentId: Scalars['ID']['input'];
  /** What was typed so far, at most 64 KiB; kept even when the lease has just ended. */
  draft?: InputMaybe<Scalars['JSON']['input']>;
  /** Seconds since a person last did anything: past 600 the lease is not extended. */
  lastActivitySeconds: Scalars['Int']['input'];
  /** The epoch of its lease. */
  leaseEpoch: Scalars['Int']['input'];
};

/** The lease as it is now. */
export type HeartbeatPayload = {
  __typename?: 'HeartbeatPayload';
  /** False where it ends as it did: no activity, the last possible end reached, the project or you stopped. */
  extended: Scalars['Boolean']['output'];
  /** The lease. */
  lease: Lease;
};

/** What was done, or a refusal that the caller can act on. */
export type HeartbeatResult = AlreadyFlaggedError | AlreadySubmittedError | AssignmentNotFoundError | DraftTooLargeError | HeartbeatPayload | InputInvalidError | LeaseExpiredError | LeaseWithdrawnError | ProjectCancelledError | StaleLeaseError;

/** You hold another task, and may hold only one. */
export type HoldsAnotherError = DomainError & {
  __typename?: 'HoldsAnotherError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** The assignment that you hold. */
  heldAssignmentId: Scalars['ID']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** A pause that a human set or took back, in their words. */
export type HumanPause = {
  __typename?: 'HumanPause';
  /** Since when. */
  pausedAt: Scalars['DateTime']['output'];
  /** Why. */
  reason: Scalars['String']['output'];
  /** Why it was taken back; null: it holds, or nobody said. */
  resumeReason?: Maybe<Scalars['String']['output']>;
  /** Until when; null: it holds. */
  resumedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Which skill; null: all work. */
  skill?: Maybe<Skill>;
  /** Whether what they held ended with it. */
  withdrewHeld: Scalars['Boolean']['output'];
};

/** The idempotency key was used before with other content; what was done then stands. */
export type IdempotencyConflictError = DomainError & {
  __typename?: 'IdempotencyConflictError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** Whom access tokens speak for inside the tenant. You see yourself; an OPERATOR sees all. */
export type Identity = Node & {
  __typename?: 'Identity';
  /** When the tenant came to know it. */
  createdAt: Scalars['DateTime']['output'];
  /** How the identity is called. */
  displayName: Scalars['String']['output'];
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
  /** Who issues its tokens. */
  issuer: Scalars['String']['output'];
  /** Its name at the issuer. */
  subject: Scalars['String']['output'];
};

/** What `importGold` needs. */
export type ImportGoldInput = {
  /** The golds, 1 to 1,000. */
  golds: Array<NewGoldInput>;
  /** They are used in this project only. */
  projectId: Scalars['ID']['input'];
};

/** What `importGold` did. */
export type ImportGoldPayload = {
  __typename?: 'ImportGoldPayload';
  /** The golds, in the order given. */
  golds: Array<Gold>;
  /** Why some of them are given to nobody yet, or may not be one day; each kind once. */
  warnings: Array<GoldWarning>;
};

/** What was done, or a refusal that the caller can act on. */
export type ImportGoldResult = ImportGoldPayload | InputInvalidError | NotFoundError | ProjectNotRunningError;

/** Fields of the input are not acceptable; nothing was done. */
export type InputInvalidError = DomainError & {
  __typename?: 'InputInvalidError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** Every fault, at most 100. */
  issues: Array<Issue>;
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** One fault of what was sent. */
export type Issue = {
  __typename?: 'Issue';
  /** What is wrong with it. */
  message: Scalars['String']['output'];
  /** Where, as a JSON pointer; empty for the whole. */
  path: Scalars['String']['output'];
};

/** By what one dimension of a project is judged: chosen on the project’s gold, each item of it judged as a task of the project would be, none by its own truth. */
export type JudgingMethod = {
  __typename?: 'JudgingMethod';
  /** Answers to the project’s tasks that were learnt from. */
  answers?: Maybe<Scalars['Int']['output']>;
  /** Answers that a task has, on average, and an item at least. */
  answersAnItem?: Maybe<Scalars['Int']['output']>;
  /** When it was fitted. */
  chosenAt?: Maybe<Scalars['DateTime']['output']>;
  /** Which dimension. */
  dimension: Scalars['String']['output'];
  /** Answers to it. */
  goldAnswers?: Maybe<Scalars['Int']['output']>;
  /** Items that were made of those answers, each with as many as a task has. */
  goldItems?: Maybe<Scalars['Int']['output']>;
  /** Gold that was answered. Null, as the figures below, before the first version. */
  goldTasks?: Maybe<Scalars['Int']['output']>;
  /** The method. */
  method: JudgingMethodName;
  /** Why. */
  reason: MethodReason;
  /** How each method did on the same items; none where there is too little gold. */
  trials: Array<MethodTrial>;
  /** Counts up with each fit; results say which they are from. Null before the first. */
  version?: Maybe<Scalars['Int']['output']>;
};

/** How the truth is inferred from answers. */
export type JudgingMethodName =
  /** By a confusion matrix an expert, learnt from all answers of the project. */
  | 'DAWID_SKENE'
  /** Each answer weighs what its expert’s score says: the default. */
  | 'GOLD_BAYES'
  /** By a matrix for experts of many answers, by one accuracy for the others. */
  | 'HYBRID'
  /** Each answer weighs the same. */
  | 'MAJORITY'
  /** Numbers: by how far off an expert’s score says that they are. */
  | 'NUMBERS'
  /** By one accuracy an expert, learnt from all answers of the project. */
  | 'ONE_COIN'
  /** By how far off an expert is on the ordered scale. */
  | 'ORDINAL';

/** The time in which a claimed task may be worked on, by the database’s clock. */
export type Lease = {
  __typename?: 'Lease';
  /** Fencing token of this claim: repeat it in every call about the assignment. */
  epoch: Scalars['Int']['output'];
  /** When it ends. */
  expiresAt: Scalars['DateTime']['output'];
  /** How long one lease of the project is. */
  leaseSeconds: Scalars['Int']['output'];
  /** What was left of it when this was answered. */
  secondsLeft: Scalars['Float']['output'];
};

/** What happened to a lease. Of a CURRENT item everything but the kind and cursor is null. */
export type LeaseEvent = {
  __typename?: 'LeaseEvent';
  /** Whose lease it is. */
  assignmentId?: Maybe<Scalars['ID']['output']>;
  /** When. */
  at?: Maybe<Scalars['DateTime']['output']>;
  /** A later subscription `after` this goes on without gap or repeat. */
  cursor: Scalars['String']['output'];
  /** Who holds it: told to operators only. */
  expertId?: Maybe<Scalars['ID']['output']>;
  /** What happened. */
  kind: LeaseEventKind;
  /** When the lease ends, or ended. */
  leaseUntil?: Maybe<Scalars['DateTime']['output']>;
  /** Forget what you know: this begins the state afresh, because the cursor given could not be resumed from. */
  reset: Scalars['Boolean']['output'];
  /** With `reset`: how many events were passed over and will not be told; null where that is not known, and without `reset`. */
  skipped?: Maybe<Scalars['Int']['output']>;
  /** The task. */
  taskId?: Maybe<Scalars['ID']['output']>;
};

/** What can be heard of a lease. */
export type LeaseEventKind =
  /** The lease ended with its project. */
  | 'CANCELLED'
  /** Not a change: the present state has been told, changes follow. */
  | 'CURRENT'
  /** The lease ended; the slot is free again. */
  | 'EXPIRED'
  /** The lease ends soon: a quarter of it is left, at most two minutes. */
  | 'EXPIRING'
  /** The expert said that the task cannot be answered. */
  | 'FLAGGED'
  /** A task was claimed; at the start, that it is held. */
  | 'LEASED'
  /** The task was given back. */
  | 'RELEASED'
  /** Its answer came in. */
  | 'SUBMITTED';

/** The lease has ended. What was sent is kept as a draft. */
export type LeaseExpiredError = DomainError & {
  __typename?: 'LeaseExpiredError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
  /** Whether `reclaimAssignment` could take the task back just now. */
  reclaimable: Scalars['Boolean']['output'];
};

/** The task was withdrawn from you by an operator. */
export type LeaseWithdrawnError = DomainError & {
  __typename?: 'LeaseWithdrawnError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** Why a dimension is judged as it is. */
export type MethodReason =
  /** It does best on the project’s gold, or nothing does better. */
  | 'CHOSEN_ON_GOLD'
  /** The default: the task type declares no classes and no tolerance. */
  | 'NOTHING_TO_CHOOSE'
  /** The default: nothing was looked at yet, for no gold was answered, or not since the last look, which comes every ten minutes. Nothing is calibrated. */
  | 'NOT_LOOKED_YET'
  /** The default: fewer than 10 tasks of gold were answered, or fewer than 50 items as large as a task. Nothing is calibrated. */
  | 'TOO_LITTLE_GOLD';

/** How a method did on gold. */
export type MethodTrial = {
  __typename?: 'MethodTrial';
  /** How right its results are; on an ordered scale, how near. */
  accuracy: Scalars['Float']['output'];
  /** Which. */
  method: JudgingMethodName;
  /** How sure its calibrated results are, on average. */
  stated: Scalars['Float']['output'];
};

/** An amount of money, exact; nothing here is ever converted or rounded. */
export type Money = {
  __typename?: 'Money';
  /** The currency of the amount. */
  currency: Scalars['CurrencyCode']['output'];
  /** In the smallest unit of the currency, such as cents. */
  minorUnits: Scalars['BigInt']['output'];
};

/** An amount of money. */
export type MoneyInput = {
  /** The currency of the amount. */
  currency: Scalars['CurrencyCode']['input'];
  /** In the smallest unit of the currency. */
  minorUnits: Scalars['BigInt']['input'];
};

/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type Mutation = {
  __typename?: 'Mutation';
  /** Takes an alert upon oneself. The first one stands: again by the same person changes nothing, by somebody else it is refused. */
  acknowledgeAlert?: Maybe<AcknowledgeAlertResult>;
  /** Keeps an expert from all work of a customer (conflict of interest): no claim that follows gives them any. What they hold stays theirs. Again: the new reason. */
  addConflict?: Maybe<AddConflictResult>;
  /** Cancels a project for good: nothing of it is claimed any more; what was submitted is paid. */
  cancelProject?: Maybe<CancelProjectResult>;
  /** Takes the next task. You hold one at a time: while you do, this answers that one again. */
  claimTask?: Maybe<ClaimTaskResult>;
  /** Takes tasks into a project. Answers once they are durable; they become claimable as they are stored. */
  createBatch?: Maybe<CreateBatchResult>;
  /** Adds a customer to the tenant, and who acts for it: tokens come from the issuer that this server trusts. */
  createCustomer?: Maybe<CreateCustomerResult>;
  /** Adds an expert to the tenant, and the identity that acts as them. */
  createExpert?: Maybe<CreateExpertResult>;
  /** Makes one gold by hand. The same payload again is the same gold. With another answer it is refused until that one is suspended; the corrected one is then shown to nobody who was shown the wrong one. What has ended is refused with its own answer. Refused to whoever may act as an expert. */
  createGold?: Maybe<CreateGoldResult>;
  /** Creates a running project without tasks. */
  createProject?: Maybe<CreateProjectResult>;
  /** Adds a skill to the tenant. */
  createSkill?: Maybe<CreateSkillResult>;
  /** Makes a task type, or the next version of one. */
  createTaskType?: Maybe<CreateTaskTypeResult>;
  /** Sends nothing until it is set again; what happens meanwhile is kept for two weeks. */
  disableWebhook?: Maybe<DisableWebhookResult>;
  /** Says that a finding means nothing. It stays on record and is not told again; what followed from it is taken back, as far as that is right. */
  dismissFinding?: Maybe<DismissFindingResult>;
  /** Sends a task that is done to a stronger expert who has not seen it, and does not see what was answered. The answer counts as one more, by its expert’s record. */
  escalateTask?: Maybe<EscalateTaskResult>;
  /** Says that a task cannot be answered. When enough experts agree it is closed; nobody is paid for a flag. */
  flagTask?: Maybe<FlagTaskResult>;
  /** Extends a live lease, up to four leases in all, and keeps the draft. */
  heartbeat?: Maybe<HeartbeatResult>;
  /** Makes many golds, all of them or none. Else as `createGold`. */
  importGold?: Maybe<ImportGoldResult>;
  /** Pauses an expert, or one skill of theirs: no claim that follows gives them such work. While a pause holds its first reason stands. */
  pauseExpert?: Maybe<PauseExpertResult>;
  /** Pauses an expert whom a finding names, for the skill of its project, as `pauseExpert` does; a human resumes them. */
  pauseFromFinding?: Maybe<PauseFromFindingResult>;
  /** Weighs the deadlines of a skill’s projects against its capacity, and moves the next tasks of those that would be late. It also comes by itself, each minute and when capacity has changed by more than a tenth. */
  rebalanceSkill?: Maybe<RebalanceSkillResult>;
  /** Takes an expired assignment back at the next epoch, if its slot is still free. What you gave back yourself cannot be taken back. */
  reclaimAssignment?: Maybe<ReclaimAssignmentResult>;
  /** Gives a live assignment back. It is offered to you again only when nothing else is left. */
  releaseAssignment?: Maybe<ReleaseAssignmentResult>;
  /** Takes a conflict of interest back. Where there is none, nothing is done. */
  removeConflict?: Maybe<RemoveConflictResult>;
  /** Sends deliveries again that were delivered or given up, under the message ids that they had, so that a receiver that drops what it has seen gets what it has missed. */
  replayWebhook?: Maybe<ReplayWebhookResult>;
  /** Takes a pause back; a skill is on probation or active again, as it was before. Where nothing is paused, nothing is done. */
  resumeExpert?: Maybe<ResumeExpertResult>;
  /** Shows a gold to nobody more. What it graded counts. The same again changes nothing; with another reason, or of one that was suspended, it is refused. */
  retireGold?: Maybe<RetireGoldResult>;
  /** Gives the webhook a new secret; the present one signs beside it for a while. */
  rotateWebhookSecret?: Maybe<RotateWebhookSecretResult>;
  /** Sets what a project may cost at most, everything counted that it has cost and that its tasks and adjudications may still cost. Gold is not the customer’s and costs nothing of it. */
  setBudget?: Maybe<SetBudgetResult>;
  /** Gives an expert a skill, or changes its status or quality. A pause holds for every claim that follows. */
  setExpertSkill?: Maybe<SetExpertSkillResult>;
  /**
   * Pauses an expert in all skills without a reason, or takes the pause back.
   * @deprecated Use pauseExpert and resumeExpert: they keep the reason.
   */
  setExpertStatus?: Maybe<SetExpertStatusResult>;
  /** Sets how many doors of a skill’s newcomers chance opens from now on: with each result one is drawn, and kept with the share it was drawn by. */
  setExplorationShare?: Maybe<SetExplorationShareResult>;
  /** Sets how long later claims of a project may be held; leases that are held keep theirs. */
  setLease?: Maybe<SetLeaseResult>;
  /** Sets how many answers a project’s tasks get. Each task is judged when it has all that it wanted: it is done, wants more, or goes to a stronger expert who has not seen it. What a task wants is never lowered. Tasks reserved for named experts go on as far as their list reaches. */
  setRedundancy?: Maybe<SetRedundancyResult>;
  /** Sets from which chance on the deadlines of a project are at risk, and whether that lifts its tasks. Each change is kept; it holds from the next forecast on, seconds later. */
  setRiskPolicy?: Maybe<SetRiskPolicyResult>;
  /** Says how you like a skill of yours. It weighs where there is a choice; it neither refuses nor promises work. */
  setSkillPreference?: Maybe<SetSkillPreferenceResult>;
  /** Sets where the tenant is told of what happens, and enables it: what waits is sent there. See docs/webhooks.md. */
  setWebhook?: Maybe<SetWebhookResult>;
  /** Stores the answer of a live lease and pays for it. The same answer again gets the same receipt; a late one is kept as a draft. */
  submit?: Maybe<SubmitResult>;
  /** Takes a gold for wrong: what it graded counts no longer, and scores are folded without it. The same again changes nothing; with another reason it is refused. */
  suspendGold?: Maybe<SuspendGoldResult>;
  /** Sends a message of type "webhook.test" the way that all others go. */
  testWebhook?: Maybe<TestWebhookResult>;
  /** Changes what an expert brings beside skills. It holds for every claim that follows. */
  updateExpert?: Maybe<UpdateExpertResult>;
  /** Changes the name, deadline or weight of a project. Skills, quality, languages and tags that it asks for cannot be changed: make another project for other experts. */
  updateProject?: Maybe<UpdateProjectResult>;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationAcknowledgeAlertArgs = {
  input: AcknowledgeAlertInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationAddConflictArgs = {
  input: AddConflictInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationCancelProjectArgs = {
  input: CancelProjectInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationClaimTaskArgs = {
  input: ClaimTaskInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationCreateBatchArgs = {
  input: CreateBatchInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationCreateCustomerArgs = {
  input: CreateCustomerInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationCreateExpertArgs = {
  input: CreateExpertInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationCreateGoldArgs = {
  input: CreateGoldInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationCreateProjectArgs = {
  input: CreateProjectInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationCreateSkillArgs = {
  input: CreateSkillInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationCreateTaskTypeArgs = {
  input: CreateTaskTypeInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationDisableWebhookArgs = {
  input: DisableWebhookInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationDismissFindingArgs = {
  input: DismissFindingInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationEscalateTaskArgs = {
  input: EscalateTaskInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationFlagTaskArgs = {
  input: FlagTaskInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationHeartbeatArgs = {
  input: HeartbeatInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationImportGoldArgs = {
  input: ImportGoldInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationPauseExpertArgs = {
  input: PauseExpertInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationPauseFromFindingArgs = {
  input: PauseFromFindingInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationRebalanceSkillArgs = {
  input: RebalanceSkillInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationReclaimAssignmentArgs = {
  input: ReclaimAssignmentInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationReleaseAssignmentArgs = {
  input: ReleaseAssignmentInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationRemoveConflictArgs = {
  input: RemoveConflictInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationReplayWebhookArgs = {
  input: ReplayWebhookInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationResumeExpertArgs = {
  input: ResumeExpertInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationRetireGoldArgs = {
  input: RetireGoldInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationRotateWebhookSecretArgs = {
  input: RotateWebhookSecretInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationSetBudgetArgs = {
  input: SetBudgetInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationSetExpertSkillArgs = {
  input: SetExpertSkillInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationSetExpertStatusArgs = {
  input: SetExpertStatusInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationSetExplorationShareArgs = {
  input: SetExplorationShareInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationSetLeaseArgs = {
  input: SetLeaseInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationSetRedundancyArgs = {
  input: SetRedundancyInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationSetRiskPolicyArgs = {
  input: SetRiskPolicyInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationSetSkillPreferenceArgs = {
  input: SetSkillPreferenceInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationSetWebhookArgs = {
  input: SetWebhookInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationSubmitArgs = {
  input: SubmitInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationSuspendGoldArgs = {
  input: SuspendGoldInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationTestWebhookArgs = {
  input: TestWebhookInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationUpdateExpertArgs = {
  input: UpdateExpertInput;
};


/** Changes. Each answers what it did or a refusal; null only together with a top-level error. */
export type MutationUpdateProjectArgs = {
  input: UpdateProjectInput;
};

/** The name is taken already. */
export type NameTakenError = DomainError & {
  __typename?: 'NameTakenError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** One gold: what is shown, and what is right. */
export type NewGoldInput = {
  /** The right answer, as an expert would send it. */
  answer: Scalars['JSON']['input'];
  /** Media type of the payload. */
  contentType?: InputMaybe<Scalars['String']['input']>;
  /** Give one where other tasks of the project have one: experts see it. */
  externalId?: InputMaybe<Scalars['String']['input']>;
  /** What is shown, as of any task. */
  payload: Scalars['JSON']['input'];
  /** Of its numbers (default: each dimension’s own). */
  tolerances?: InputMaybe<Array<GoldToleranceInput>>;
};

/** One item to be answered. */
export type NewTaskInput = {
  /** Only these experts may answer it. */
  allowExpertIds?: InputMaybe<Array<Scalars['ID']['input']>>;
  /** These experts may not answer it. */
  blockExpertIds?: InputMaybe<Array<Scalars['ID']['input']>>;
  /** Media type of the payload. */
  contentType?: InputMaybe<Scalars['String']['input']>;
  /** Gets three to five answers, whatever the project’s policy says. */
  critical?: InputMaybe<Scalars['Boolean']['input']>;
  /** Your own name for the item, unique in the batch. */
  externalId?: InputMaybe<Scalars['String']['input']>;
  /** What is shown to whoever answers: text as it is, anything else as JSON. */
  payload: Scalars['JSON']['input'];
  /** Independent answers wanted (default: the project’s). */
  redundancy?: InputMaybe<Scalars['Int']['input']>;
};

/** What claims took an expert for who is new, or below a bar that they reached. No exception for newcomers reaches where adjudications wait. */
export type NewcomerDoor = {
  __typename?: 'NewcomerDoor';
  /** The uniform number that chose an accuracy out of what may be true; null where nothing was drawn. */
  drawnAccuracy?: Maybe<Scalars['Float']['output']>;
  /** The uniform number that decided whether to explore: below `exploreShare`; null where nothing was drawn. */
  drawnToExplore?: Maybe<Scalars['Float']['output']>;
  /** Who. */
  expert?: Maybe<Expert>;
  /** The share of doors that chance opened then; null where nothing was drawn, or before shares were kept. */
  exploreShare?: Maybe<Scalars['Float']['output']>;
  /** By what right. */
  kind: NewcomerDoorKind;
  /** The accuracy that they were above with probability .95. */
  lower: Scalars['Float']['output'];
  /** The best guess of their accuracy then. */
  mean: Scalars['Float']['output'];
  /** Since when. */
  openedAt: Scalars['DateTime']['output'];
  /** Proven experts of the skill then; counted up to three, and only where a newcomer’s door depends on it. */
  provenExperts: Scalars['Int']['output'];
  /** What a project’s minimum was compared with. */
  quality: Scalars['Float']['output'];
  /** Graded answers that it rests on. */
  results: Scalars['Int']['output'];
  /** In which skill. */
  skill?: Maybe<Skill>;
};

/** A page of doors. */
export type NewcomerDoorConnection = {
  __typename?: 'NewcomerDoorConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<NewcomerDoorEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the doors of a page. */
export type NewcomerDoorEdge = {
  __typename?: 'NewcomerDoorEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: NewcomerDoor;
};

/** By what right a newcomer is taken for a quality. */
export type NewcomerDoorKind =
  /** An exception by chance, one in ten or as the skill says: drawn from what may be true of them. */
  | 'EXPLORATION'
  /** An exception because all that the skill has asks for .80 or more: the least of those bars, while they may be that good. */
  | 'HIGH_BARS'
  /** An exception because they reached it before, and results do not say with probability .9 that they are below it. */
  | 'KEPT'
  /** The rule: what is proven. */
  | 'LOWER_BOUND'
  /** An exception while somebody whom results paused is tested anew: by the results of the test. */
  | 'RETEST'
  /** An exception because the skill has fewer than three proven experts. */
  | 'SCARCE_SKILL'
  /** An exception after some days below: to be measured at a bar anew, by the results that follow alone. */
  | 'TRIAL';

/** Why there is no Fleiss’ kappa. */
export type NoFleissReason =
  /** Values are numbers, or too many, and are not counted by class: read alpha. */
  | 'NOT_CLASSES'
  /** No finished task has two answers. */
  | 'NO_PAIRS'
  /** Tasks differ in how many answers they have, which it is not defined for: read alpha, or AC1. */
  | 'UNEQUAL_ANSWERS';

/** Anything that has an opaque, permanent id. */
export type Node = {
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
};

/** The task is not done yet, is adjudicated already, or its project was cancelled. */
export type NotEscalatableError = DomainError & {
  __typename?: 'NotEscalatableError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** A thing that the input names does not exist, or is not yours. */
export type NotFoundError = DomainError & {
  __typename?: 'NotFoundError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** You may not work on this project just now: paused, not qualified, a conflict of interest, or all that one expert may have of it. */
export type NotQualifiedError = DomainError & {
  __typename?: 'NotQualifiedError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** Where a page stands in its list. */
export type PageInfo = {
  __typename?: 'PageInfo';
  /** Cursor of the last item: send it as `after` for the next page. */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** Whether there is more after this page. */
  hasNextPage: Scalars['Boolean']['output'];
  /** Whether this page was asked for with `after`. */
  hasPreviousPage: Scalars['Boolean']['output'];
  /** Cursor of the first item. */
  startCursor?: Maybe<Scalars['String']['output']>;
};

/** How far two experts agree beyond chance in one dimension. */
export type PairAgreement = {
  __typename?: 'PairAgreement';
  /** The share of pairs of answers that say the same; null where values are numbers. */
  agreed?: Maybe<Scalars['Float']['output']>;
  /** Krippendorff’s alpha of these pairs of answers by the chance of all: 1 where they always agree, 0 at chance. */
  alpha?: Maybe<Scalars['Float']['output']>;
  /** Which dimension. */
  dimension: Scalars['String']['output'];
  /** The two. */
  experts: Array<Expert>;
  /** Gwet’s AC1 of the two, which does not fall apart where nearly everything has one value. Null as kappa. */
  gwetAc1?: Maybe<Scalars['Float']['output']>;
  /** kappa less and plus 1.96 standard errors; null where both always say one and the same. */
  interval?: Maybe<Array<Scalars['Float']['output']>>;
  /** Cohen’s kappa: 1 where they always agree, 0 at chance, below 0 for less than that; null where values are too many to be counted by class. */
  kappa?: Maybe<Scalars['Float']['output']>;
  /** Scott’s pi, which is Fleiss’ kappa of two experts: chance by how often the two together say each value. It is below kappa where one says a value more often than the other. Null as kappa. */
  scottPi?: Maybe<Scalars['Float']['output']>;
  /** Finished tasks that both have answered. */
  tasks: Scalars['Int']['output'];
};

/** Why and since when an expert, or one skill of theirs, is given no work. */
export type Pause = {
  __typename?: 'Pause';
  /** Since when. */
  pausedAt: Scalars['DateTime']['output'];
  /** By whom; null: by results on gold and adjudications. */
  pausedBy?: Maybe<Identity>;
  /** Why. */
  reason: Scalars['String']['output'];
  /** Which skill; null: all work. */
  skill?: Maybe<Skill>;
  /** Whether what they held ended with it. */
  withdrewHeld: Scalars['Boolean']['output'];
};

/** What `pauseExpert` needs. */
export type PauseExpertInput = {
  /** Who. */
  expertId: Scalars['ID']['input'];
  /** Why; 1 to 500 characters. The expert reads it: name no gold. */
  reason: Scalars['String']['input'];
  /** Only this skill of theirs (default: all work). */
  skillId?: InputMaybe<Scalars['ID']['input']>;
  /** For fraud: what they hold of it ends at once, unpaid, and goes to somebody else (default: it may be submitted and is paid, but is not extended). */
  withdrawHeld?: InputMaybe<Scalars['Boolean']['input']>;
};

/** What `pauseExpert` did. */
export type PauseExpertPayload = {
  __typename?: 'PauseExpertPayload';
  /** The expert as they are now. */
  expert?: Maybe<Expert>;
};

/** What was done, or a refusal that the caller can act on. */
export type PauseExpertResult = InputInvalidError | NotFoundError | PauseExpertPayload;

/** What `pauseFromFinding` needs. */
export type PauseFromFindingInput = {
  /** One of its experts. */
  expertId: Scalars['ID']['input'];
  /** The finding. */
  findingId: Scalars['ID']['input'];
  /** Why; 1 to 500 characters, kept with the pause too. The expert does not read it. */
  reason: Scalars['String']['input'];
  /** Ends what they hold at once: for fraud (default: false). */
  withdrawHeld?: InputMaybe<Scalars['Boolean']['input']>;
};

/** What `pauseFromFinding` did. */
export type PauseFromFindingPayload = {
  __typename?: 'PauseFromFindingPayload';
  /** The finding. */
  finding?: Maybe<QualityFinding>;
};

/** What was done, or a refusal that the caller can act on. */
export type PauseFromFindingResult = InputInvalidError | NotFoundError | PauseFromFindingPayload;

/** What one assignment earned: posted once, never changed. */
export type Payout = Node & {
  __typename?: 'Payout';
  /** How much. */
  amount: Money;
  /** The assignment that earned it. */
  assignment?: Maybe<Assignment>;
  /** When it was posted. */
  at: Scalars['DateTime']['output'];
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
  /** An earning, or its reversal. */
  kind: PayoutKind;
};

/** A page of payouts. */
export type PayoutConnection = {
  __typename?: 'PayoutConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<PayoutEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the payouts of a page. */
export type PayoutEdge = {
  __typename?: 'PayoutEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Payout;
};

/** What was booked for an expert in one currency. */
export type PayoutEvent = {
  __typename?: 'PayoutEvent';
  /** What was booked since the last event; null of CURRENT. */
  amount?: Maybe<Money>;
  /** When. */
  at?: Maybe<Scalars['DateTime']['output']>;
  /** What is owed after it. */
  balance?: Maybe<Money>;
  /** A later subscription `after` this goes on without gap or repeat. */
  cursor: Scalars['String']['output'];
  /** What happened. */
  kind: PayoutEventKind;
  /** In how many postings. */
  postings: Scalars['Int']['output'];
  /** Forget what you know: this begins the state afresh, because the cursor given could not be resumed from. */
  reset: Scalars['Boolean']['output'];
  /** With `reset`: how many events were passed over and will not be told; null where that is not known, and without `reset`. */
  skipped?: Maybe<Scalars['Int']['output']>;
};

/** What can be heard of an expert’s account. */
export type PayoutEventKind =
  /** Not a change: the balance as it is. Without a currency: nothing was ever booked. */
  | 'CURRENT'
  /** Earnings, or reversals of them, were booked. */
  | 'POSTED';

/** What a payout is. */
export type PayoutKind =
  /** What an answer earned. */
  | 'EARNING'
  /** Takes an earning back. */
  | 'REVERSAL';

/** No rule: tasks that are added get so many answers and are done with them, whatever they say. */
export type PlainRedundancyInput = {
  /** 1 to 100. */
  answers: Scalars['Int']['input'];
};

/** What waits of one skill and task type. */
export type Pool = {
  __typename?: 'Pool';
  /** Answers an hour in the skill, of all task types. */
  capacityPerHour?: Maybe<Scalars['Float']['output']>;
  /** When it was measured. */
  computedAt: Scalars['DateTime']['output'];
  /** Age of the oldest task that waits; null where none does. */
  oldestOpenSeconds?: Maybe<Scalars['Int']['output']>;
  /** Answers that these tasks still want. */
  openAnswers: Scalars['BigInt']['output'];
  /** Hours of work in the skill, of all task types, for each expert who is there. */
  pressure?: Maybe<Scalars['Float']['output']>;
  /** Tasks that wait for somebody. */
  queueDepth: Scalars['Int']['output'];
  /** The skill. */
  skill?: Maybe<Skill>;
  /** The whole skill: experts are there for all task types, so capacity and pressure are the skill’s. */
  skillPool?: Maybe<SkillPool>;
  /** The task type. */
  taskType?: Maybe<TaskType>;
};

/** A page of pools. */
export type PoolConnection = {
  __typename?: 'PoolConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<PoolEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the pools of a page. */
export type PoolEdge = {
  __typename?: 'PoolEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Pool;
};

/** How a skill stands: at first, and each time it has changed by a fifth or more. */
export type PoolEvent = {
  __typename?: 'PoolEvent';
  /** Answers an hour that the available experts can give (the qualified ones, where nobody is available). */
  capacityPerHour: Scalars['Float']['output'];
  /** When it was measured; null before it ever was. */
  computedAt?: Maybe<Scalars['DateTime']['output']>;
  /** A later subscription `after` this goes on without gap or repeat. */
  cursor: Scalars['String']['output'];
  /** Experts who qualify for some of it and were at work in the last half hour. */
  expertsAvailable: Scalars['Int']['output'];
  /** Experts who qualify for some of it and are not paused, at work or not. */
  expertsQualified: Scalars['Int']['output'];
  /** Since when the oldest of them waits. */
  oldestOpenAt?: Maybe<Scalars['DateTime']['output']>;
  /** Answers that these tasks still want. */
  openAnswers: Scalars['BigInt']['output'];
  /** Hours of work that wait for each expert who is there. */
  pressure: Scalars['Float']['output'];
  /** Tasks that wait for somebody. */
  queueDepth: Scalars['Int']['output'];
  /** Forget what you know: this begins the state afresh, because the cursor given could not be resumed from. */
  reset: Scalars['Boolean']['output'];
  /** With `reset`: how many events were passed over and will not be told; null where that is not known, and without `reset`. */
  skipped?: Maybe<Scalars['Int']['output']>;
};

/** Until the most probable answer is as probable as asked, by what is known of those who answered. */
export type PosteriorRedundancyInput = {
  /** What a wrong result costs, in minor units of the project’s currency: an answer that saves less than its price is not bought (default: buy up to the maximum). */
  errorCost?: InputMaybe<Scalars['BigInt']['input']>;
  /** Answers at most, to 100. */
  max: Scalars['Int']['input'];
  /** Answers at least, from 2. */
  min: Scalars['Int']['input'];
  /** 0.5 to 0.999. */
  posterior: Scalars['Float']['input'];
};

/** How far the work has come, counted when it was asked for. */
export type Progress = {
  __typename?: 'Progress';
  /** Tasks that went to a stronger expert: as many answers more, which are paid as others are. */
  adjudications: Scalars['Int']['output'];
  /** Of these, those that wait for their answer. */
  adjudicationsOpen: Scalars['Int']['output'];
  /** Answers that are in. */
  answersCounted: Scalars['Int']['output'];
  /** Answers that all tasks together want. */
  answersWanted: Scalars['Int']['output'];
  /** Answers that are being worked on just now. */
  leased: Scalars['Int']['output'];
  /** Tasks that wanted more answers when their project was cancelled. */
  tasksCancelled: Scalars['Int']['output'];
  /** Tasks with all the answers that they want. */
  tasksDone: Scalars['Int']['output'];
  /** Tasks that experts agree cannot be answered. */
  tasksFlagged: Scalars['Int']['output'];
  /** Tasks that want more answers; none of a cancelled project. */
  tasksOpen: Scalars['Int']['output'];
  /** Tasks that are claimable or were; adjudications are not among them. */
  tasksTotal: Scalars['Int']['output'];
};

/** A customer’s work: what is asked, of whom, for how much, until when. */
export type Project = Node & {
  __typename?: 'Project';
  /** Adjudications that no expert may take, as things are; null where there are none. */
  adjudicationWait?: Maybe<AdjudicationWait>;
  /** Its answers, in the order in which their tasks were first claimed. */
  answers: AnswerConnection;
  /** Its uploads, oldest first. */
  batches: BatchConnection;
  /** What it may cost at most; null: as much as it takes. See `setBudget`. */
  budget?: Maybe<ProjectBudget>;
  /** How it was cancelled. */
  cancelPolicy?: Maybe<CancelPolicy>;
  /** When it was created. */
  createdAt: Scalars['DateTime']['output'];
  /** Whose it is. */
  customer?: Maybe<Customer>;
  /** When it should be done. */
  deadline?: Maybe<Scalars['DateTime']['output']>;
  /** Finished tasks that may go to a stronger expert, at its customer’s cost, while the project has no gold to measure experts by; only under a redundancy policy. See `setRedundancy`. */
  firstGoldMax: Scalars['Int']['output'];
  /** When its open batches will be done, all together; null while nothing is known. */
  forecast?: Maybe<Forecast>;
  /** Skills that experts need beside that one. */
  furtherSkills: FurtherSkills;
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
  /** Whether its rule is held to 3 to 5 answers. */
  isCritical: Scalars['Boolean']['output'];
  /** Languages (BCP 47, lower case) that experts need, all of them. */
  languages: Array<Scalars['String']['output']>;
  /** How long one lease is. */
  leaseSeconds: Scalars['Int']['output'];
  /** Tasks of the project that one expert may take; null: as many as there are. */
  maxPerExpert?: Maybe<Scalars['Int']['output']>;
  /** Proven quality that an expert needs, 0 to 1. */
  minQuality: Scalars['Float']['output'];
  /** Its name. */
  name: Scalars['String']['output'];
  /** For one answer; fixed for an assignment when it is claimed. */
  price: Money;
  /** How far it has come. */
  progress: Progress;
  /** Independent answers that a task wants, unless it says otherwise. */
  redundancy: Scalars['Int']['output'];
  /** How many answers a task gets, decided by its answers; null: as many as it was opened with. See `setRedundancy`. */
  redundancyPolicy?: Maybe<Scalars['JSON']['output']>;
  /** When its deadlines are at risk, and what follows. See `setRiskPolicy`. */
  riskPolicy?: Maybe<RiskPolicy>;
  /** What experts need to be able to do. */
  skill?: Maybe<Skill>;
  /** What its answers have cost so far. */
  spend: Money;
  /** Whether it gives out work. */
  state: ProjectState;
  /** Tags that experts need, all of them. */
  tags: Array<Scalars['String']['output']>;
  /** What form an answer has. */
  taskType?: Maybe<TaskType>;
  /** Its tasks of one kind, oldest first. */
  tasks: TaskConnection;
  /** Priority as a share, 1 to 1000: of the claims that a lane gives out while several projects wait in it, each has its weight’s part of the sum. Never strict: a project of weight 1 waits at most until the others have had the sum of their weights. */
  weight: Scalars['Int']['output'];
};


/** A customer’s work: what is asked, of whom, for how much, until when. */
export type ProjectAnswersArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** A customer’s work: what is asked, of whom, for how much, until when. */
export type ProjectBatchesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** A customer’s work: what is asked, of whom, for how much, until when. */
export type ProjectForecastArgs = {
  with?: InputMaybe<ForecastWith>;
};


/** A customer’s work: what is asked, of whom, for how much, until when. */
export type ProjectTasksArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  kind?: InputMaybe<TaskKind>;
  state?: InputMaybe<TaskState>;
};

/** What a project may cost at most. Tasks that would cost more than what is available are not opened; tasks that would want more answers stop with what they have (`Task.waitsForBudget`), and go on when there is budget again. */
export type ProjectBudget = {
  __typename?: 'ProjectBudget';
  /** What is neither spent nor reserved. */
  available: Money;
  /** The budget. */
  limit: Money;
  /** What its open tasks and adjudications may still cost. Nothing once it is cancelled, though what is held then may still be paid. */
  reserved: Money;
  /** What its answers have cost. */
  spent: Money;
  /** How many tasks have stopped short of what they would want; 10,000: so many or more. */
  stopped: Scalars['Int']['output'];
};

/** The project was cancelled. */
export type ProjectCancelledError = DomainError & {
  __typename?: 'ProjectCancelledError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** A page of projects. */
export type ProjectConnection = {
  __typename?: 'ProjectConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<ProjectEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the projects of a page. */
export type ProjectEdge = {
  __typename?: 'ProjectEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Project;
};

/** When a project will be done. */
export type ProjectForecast = {
  __typename?: 'ProjectForecast';
  /** Its open batches each, the oldest hundred. */
  batches: Array<BatchForecast>;
  /** A later subscription `after` this goes on without gap or repeat. */
  cursor: Scalars['String']['output'];
  /** Its open batches taken together; null where nothing is open. */
  project?: Maybe<Forecast>;
  /** Forget what you know: this begins the state afresh, because the cursor given could not be resumed from. */
  reset: Scalars['Boolean']['output'];
  /** With `reset`: how many events were passed over and will not be told; null where that is not known, and without `reset`. */
  skipped?: Maybe<Scalars['Int']['output']>;
};

/** The project was cancelled: it takes no further work, and nothing of it can be changed. */
export type ProjectNotRunningError = DomainError & {
  __typename?: 'ProjectNotRunningError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** How far a project has come. */
export type ProjectProgress = {
  __typename?: 'ProjectProgress';
  /** A later subscription `after` this goes on without gap or repeat. */
  cursor: Scalars['String']['output'];
  /** Its tasks and answers, counted. */
  progress: Progress;
  /** Forget what you know: this begins the state afresh, because the cursor given could not be resumed from. */
  reset: Scalars['Boolean']['output'];
  /** With `reset`: how many events were passed over and will not be told; null where that is not known, and without `reset`. */
  skipped?: Maybe<Scalars['Int']['output']>;
  /** What its answers have cost. */
  spent: Money;
  /** Whether it gives out work. */
  state: ProjectState;
};

/** The quality of a project’s answers: how all of them agree, the rest by the latest. */
export type ProjectQuality = {
  __typename?: 'ProjectQuality';
  /** Of these, how many were decided. */
  adjudicationsDone: Scalars['Int']['output'];
  /** Tasks that went to a stronger expert. */
  adjudicationsOpened: Scalars['Int']['output'];
  /** Each dimension that was answered. */
  dimensions: Array<DimensionQuality>;
  /** By client and form; at most 100. */
  forms: Array<FormQuality>;
  /** By what each dimension of the task type is judged, and on what evidence. */
  methods: Array<JudgingMethod>;
};

/** Whether a project gives out work. */
export type ProjectState =
  /** Nothing of it can be claimed any more; what was submitted is paid. */
  | 'CANCELLED'
  /** Its tasks can be claimed. */
  | 'RUNNING';

/** What somebody who works on a project needs to know of it. */
export type ProjectSummary = {
  __typename?: 'ProjectSummary';
  /** How long one lease is. */
  leaseSeconds: Scalars['Int']['output'];
  /** How the customer calls it. */
  name: Scalars['String']['output'];
  /** Whether it gives out work. */
  state: ProjectState;
  /** What form an answer has. */
  taskType?: Maybe<TaskType>;
};

/** What became of quality. What a kind has nothing to say of is null. */
export type QualityEvent = {
  __typename?: 'QualityEvent';
  /** When. */
  at?: Maybe<Scalars['DateTime']['output']>;
  /** A later subscription `after` this goes on without gap or repeat. */
  cursor: Scalars['String']['output'];
  /** Whose standing it is. */
  expertId?: Maybe<Scalars['ID']['output']>;
  /** Of FINDING: what was found. */
  finding?: Maybe<QualityFindingKind>;
  /** What happened. */
  kind: QualityEventKind;
  /** Of STANDING: what it became. */
  phase?: Maybe<StandingPhase>;
  /** In which project. */
  projectId?: Maybe<Scalars['ID']['output']>;
  /** Why. */
  reason?: Maybe<Scalars['String']['output']>;
  /** Forget what you know: this begins the state afresh, because the cursor given could not be resumed from. */
  reset: Scalars['Boolean']['output'];
  /** In which skill. */
  skillId?: Maybe<Scalars['ID']['output']>;
  /** With `reset`: how many events were passed over and will not be told; null where that is not known, and without `reset`. */
  skipped?: Maybe<Scalars['Int']['output']>;
  /** Which task or gold. */
  taskId?: Maybe<Scalars['ID']['output']>;
};

/** What can be heard of quality. */
export type QualityEventKind =
  /** A task goes to a further, stronger expert. */
  | 'ADJUDICATION'
  /** Somebody may take them again, or none waits. */
  | 'ADJUDICATIONS_GO_ON'
  /** Adjudications of a project wait: no expert may take them. */
  | 'ADJUDICATIONS_WAIT'
  /** Not a change: the present state has been told, changes follow. */
  | 'CURRENT'
  /** The watch found something. */
  | 'FINDING'
  /** A gold is given to nobody any more. */
  | 'GOLD_ENDED'
  /** Gold of a project is unlike its tasks, and given to nobody (`gold(isAside: true)`). */
  | 'GOLD_SET_ASIDE'
  /** An expert stands differently in a skill; at the start, how they stand. */
  | 'STANDING';

/** What the watch found of gold or of experts: a reading of numbers, not a judgement. Nobody who may act as an expert sees it. */
export type QualityFinding = {
  __typename?: 'QualityFinding';
  /** What humans decided about it, oldest first; none: it is open. */
  decisions: Array<FindingDecision>;
  /** The experts whom it is about. */
  experts: Array<Expert>;
  /** The numbers. */
  figures: Array<FindingFigure>;
  /** When. */
  foundAt: Scalars['DateTime']['output'];
  /** The gold; null with findings about experts. */
  gold?: Maybe<Task>;
  /** For `dismissFinding` and `pauseFromFinding`. */
  id: Scalars['ID']['output'];
  /** What was found. */
  kind: QualityFindingKind;
  /** In whose work. */
  project?: Maybe<Project>;
  /** What was found, in words, with the numbers. */
  summary: Scalars['String']['output'];
};

/** A page of findings. */
export type QualityFindingConnection = {
  __typename?: 'QualityFindingConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<QualityFindingEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the findings of a page. */
export type QualityFindingEdge = {
  __typename?: 'QualityFindingEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: QualityFinding;
};

/** What the watch over gold and experts found. */
export type QualityFindingKind =
  /** A gold that seems to be known: retired, and later answers to it do not count. */
  | 'LEAKED'
  /** An expert who is better on gold than their agreement with others says. Moves no score: agreement alone never does. */
  | 'PEER_GAP'
  /** An expert who is quicker on gold than on other work, as who knows it. What they knew is retired and says nothing of them. */
  | 'QUICK_ON_GOLD'
  /** Experts who give the same wrong answers more often than their errors explain. */
  | 'SHARED_ERRORS'
  /** An expert who takes longer on gold than on other work, as who can tell it. */
  | 'SLOW_ON_GOLD'
  /** A gold whose key seems wrong: suspended, nothing that it graded counts. */
  | 'UNHEALTHY';

/** Reads. Every list is bounded; what is not yours is not there. */
export type Query = {
  __typename?: 'Query';
  /** Who was given sight of payloads, newest first: all, of one task’s payload, or to one identity. */
  accessLog: AccessLogEntryConnection;
  /** Alerts, newest first: to customers those of their projects, to staff all. Of gold nothing to whoever may act as an expert. */
  alerts: AlertConnection;
  /** Assignments, newest first: an expert’s own, or all of the tenant. */
  assignments: AssignmentConnection;
  /** What you hold under a live lease, with a fresh payload URL; null where that is nothing. */
  currentAssignment?: Maybe<Assignment>;
  /** The tenant’s customers, oldest first. */
  customers: CustomerConnection;
  /** What is known of an expert’s work: of yourself, or as analyst or operator of anybody. */
  expertQuality?: Maybe<ExpertQuality>;
  /** How the sessions of experts fare who have been connected or hold a lease: who is there now, and whom the network interrupts. */
  expertSessions: ExpertSessionConnection;
  /** The tenant’s experts, oldest first. */
  experts: ExpertConnection;
  /** How good forecasts were; null where there is no such project. */
  forecastAccuracy?: Maybe<ForecastAccuracy>;
  /** Gold of a project, of one state and source or of all, oldest first. Refused to whoever may act as an expert. */
  gold: GoldConnection;
  /** By what the dimensions of a project are judged, or were by an earlier version; nothing where there is no such thing. */
  judgingMethods: Array<JudgingMethod>;
  /** What experts on probation were taken for, newest first, with each exception and its draw. Refused to whoever may act as an expert. */
  newcomerDoors: NewcomerDoorConnection;
  /** The thing behind an id, or null where there is none that you may see. */
  node?: Maybe<Node>;
  /** The things behind at most 100 ids, in their order; null where there is none that you may see. */
  nodes: Array<Maybe<Node>>;
  /** Pairs of experts with the most tasks of a project in common, at most 100. Agreement moves nobody’s score: those who collude agree. */
  pairAgreement?: Maybe<Array<PairAgreement>>;
  /** What waits, by skill and task type, and who is there for it; oldest pools first. */
  pools: PoolConnection;
  /** How well the answers of a project agree, and on which forms they were given. */
  projectQuality?: Maybe<ProjectQuality>;
  /** Projects that you may see, oldest first. */
  projects: ProjectConnection;
  /** What the watch found of gold and of experts, newest first. Refused to whoever may act as an expert. */
  qualityFindings: QualityFindingConnection;
  /** How the answers of a skill agree, a task type and dimension each, and how each expert agrees with their peers. Agreement moves nobody’s score. */
  skillAgreement?: Maybe<Array<SkillAgreement>>;
  /** The tenant’s skills, oldest first. */
  skills: SkillConnection;
  /** What your projects (or one of them) have cost so far, by project and currency. */
  spend: Array<Spend>;
  /** What you have earned. */
  statement: Statement;
  /** Experts who could qualify for a skill in which work waits, at most 50: what is easiest to mend first. Nobody is ranked. Empty where nothing waits. */
  suggestedExperts: Array<SuggestedExpert>;
  /** What the answers of a task amount to now: the most probable class of each dimension first, and each number; null where there is no such task. */
  taskConsensus?: Maybe<Array<TaskClass>>;
  /** Task types that you may use, oldest first: your own and those offered to everybody. */
  taskTypes: TaskTypeConnection;
  /** Who asks. */
  viewer: Viewer;
  /** The tenant’s webhook; null before one was set. */
  webhook?: Maybe<Webhook>;
  /** What the webhook was told, and is to be told, newest first. */
  webhookDeliveries: WebhookDeliveryConnection;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryAccessLogArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  payload?: InputMaybe<Scalars['ID']['input']>;
  viewer?: InputMaybe<Scalars['ID']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryAlertsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  kinds?: InputMaybe<Array<AlertKind>>;
  projectId?: InputMaybe<Scalars['ID']['input']>;
  states?: InputMaybe<Array<AlertState>>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryAssignmentsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryCustomersArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryExpertQualityArgs = {
  expertId?: InputMaybe<Scalars['ID']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryExpertSessionsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  connected?: InputMaybe<Scalars['Boolean']['input']>;
  expertId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryExpertsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryForecastAccuracyArgs = {
  projectId?: InputMaybe<Scalars['ID']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryGoldArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  isAside?: InputMaybe<Scalars['Boolean']['input']>;
  projectId: Scalars['ID']['input'];
  source?: InputMaybe<GoldSource>;
  state?: InputMaybe<GoldState>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryJudgingMethodsArgs = {
  dimension?: InputMaybe<Scalars['String']['input']>;
  projectId: Scalars['ID']['input'];
  version?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryNewcomerDoorsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  exceptionsOnly?: InputMaybe<Scalars['Boolean']['input']>;
  expertId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  skillId?: InputMaybe<Scalars['ID']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryNodeArgs = {
  id: Scalars['ID']['input'];
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryNodesArgs = {
  ids: Array<Scalars['ID']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryPairAgreementArgs = {
  projectId: Scalars['ID']['input'];
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryPoolsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  skillId?: InputMaybe<Scalars['ID']['input']>;
  taskTypeId?: InputMaybe<Scalars['ID']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryProjectQualityArgs = {
  projectId: Scalars['ID']['input'];
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryProjectsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryQualityFindingsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  expertId?: InputMaybe<Scalars['ID']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  isOpen?: InputMaybe<Scalars['Boolean']['input']>;
  projectId?: InputMaybe<Scalars['ID']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QuerySkillAgreementArgs = {
  skillId: Scalars['ID']['input'];
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QuerySkillsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QuerySpendArgs = {
  projectId?: InputMaybe<Scalars['ID']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryStatementArgs = {
  currency?: InputMaybe<Scalars['CurrencyCode']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QuerySuggestedExpertsArgs = {
  skillId: Scalars['ID']['input'];
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryTaskConsensusArgs = {
  taskId: Scalars['ID']['input'];
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryTaskTypesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};


/** Reads. Every list is bounded; what is not yours is not there. */
export type QueryWebhookDeliveriesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  states?: InputMaybe<Array<WebhookDeliveryState>>;
};

/** What waits in a skill: at first, and each time it has changed by a fifth or more. */
export type QueueDepth = {
  __typename?: 'QueueDepth';
  /** When it was measured; null before it ever was. */
  computedAt?: Maybe<Scalars['DateTime']['output']>;
  /** A later subscription `after` this goes on without gap or repeat. */
  cursor: Scalars['String']['output'];
  /** Since when the oldest of them waits. */
  oldestOpenAt?: Maybe<Scalars['DateTime']['output']>;
  /** Answers that these tasks still want. */
  openAnswers: Scalars['BigInt']['output'];
  /** Tasks that wait for somebody. */
  queueDepth: Scalars['Int']['output'];
  /** Forget what you know: this begins the state afresh, because the cursor given could not be resumed from. */
  reset: Scalars['Boolean']['output'];
  /** With `reset`: how many events were passed over and will not be told; null where that is not known, and without `reset`. */
  skipped?: Maybe<Scalars['Int']['output']>;
};

/** What `rebalanceSkill` needs. */
export type RebalanceSkillInput = {
  /** Which skill. */
  skillId: Scalars['ID']['input'];
};

/** What `rebalanceSkill` did. */
export type RebalanceSkillPayload = {
  __typename?: 'RebalanceSkillPayload';
  /** Projects that need more than their share; the others go by their weights. */
  lifts: Array<DeadlineLift>;
  /** What the deadlines were weighed against. */
  skillPool?: Maybe<SkillPool>;
};

/** What was done, or a refusal that the caller can act on. */
export type RebalanceSkillResult = InputInvalidError | NotFoundError | RebalanceSkillPayload;

/** Proof that an answer was stored: the same one every time, with no later state in it. */
export type Receipt = {
  __typename?: 'Receipt';
  /** What was answered. */
  assignmentId: Scalars['ID']['output'];
  /** SHA-256 of the answer’s canonical form (RFC 8785), in hex. */
  digest: Scalars['String']['output'];
  /** What it earned. */
  price: Money;
  /** When it was stored. */
  submittedAt: Scalars['DateTime']['output'];
};

/** What `reclaimAssignment` needs. */
export type ReclaimAssignmentInput = {
  /** What you held. */
  assignmentId: Scalars['ID']['input'];
};

/** The assignment under a live lease again, with its draft. */
export type ReclaimAssignmentPayload = {
  __typename?: 'ReclaimAssignmentPayload';
  /** What you hold now. */
  assignment: Assignment;
};

/** What was done, or a refusal that the caller can act on. */
export type ReclaimAssignmentResult = AlreadyFlaggedError | AlreadySubmittedError | AssignmentNotFoundError | HoldsAnotherError | NotQualifiedError | ProjectCancelledError | ReclaimAssignmentPayload | SlotTakenError;

/** What `releaseAssignment` needs. */
export type ReleaseAssignmentInput = {
  /** What you hold. */
  assignmentId: Scalars['ID']['input'];
  /** The epoch of its lease. */
  leaseEpoch: Scalars['Int']['input'];
};

/** The assignment was given back; its draft is kept. */
export type ReleaseAssignmentPayload = {
  __typename?: 'ReleaseAssignmentPayload';
  /** As it is now. */
  assignment?: Maybe<Assignment>;
};

/** What was done, or a refusal that the caller can act on. */
export type ReleaseAssignmentResult = AlreadyFlaggedError | AlreadySubmittedError | AssignmentNotFoundError | LeaseExpiredError | LeaseWithdrawnError | ProjectCancelledError | ReleaseAssignmentPayload | StaleLeaseError;

/** What `removeConflict` needs. */
export type RemoveConflictInput = {
  /** Whose work they may see again. */
  customerId: Scalars['ID']['input'];
  /** Who. */
  expertId: Scalars['ID']['input'];
};

/** What `removeConflict` did. */
export type RemoveConflictPayload = {
  __typename?: 'RemoveConflictPayload';
  /** The expert as they are now. */
  expert?: Maybe<Expert>;
};

/** What was done, or a refusal that the caller can act on. */
export type RemoveConflictResult = NotFoundError | RemoveConflictPayload;

/** What `replayWebhook` needs: exactly one of these. */
export type ReplayWebhookInput = {
  /** All after this one. */
  afterDeliveryId?: InputMaybe<Scalars['ID']['input']>;
  /** This one. */
  deliveryId?: InputMaybe<Scalars['ID']['input']>;
  /** All of what happened from then on. */
  since?: InputMaybe<Scalars['DateTime']['input']>;
};

/** What `replayWebhook` did. */
export type ReplayWebhookPayload = {
  __typename?: 'ReplayWebhookPayload';
  /** There may be more: go on with `afterDeliveryId`. A call takes at most a thousand. */
  hasMore: Scalars['Boolean']['output'];
  /** The last of them. */
  lastDeliveryId?: Maybe<Scalars['ID']['output']>;
  /** How many are sent again, oldest first. */
  replayed: Scalars['Int']['output'];
};

/** What was done, or a refusal that the caller can act on. */
export type ReplayWebhookResult = InputInvalidError | NotFoundError | ReplayWebhookPayload;

/** What `resumeExpert` needs. */
export type ResumeExpertInput = {
  /** Who. */
  expertId: Scalars['ID']['input'];
  /** Why; 1 to 500 characters. The expert reads it: name no gold. */
  reason: Scalars['String']['input'];
  /** The skill whose pause ends (default: the pause of all work; pauses of skills stay). */
  skillId?: InputMaybe<Scalars['ID']['input']>;
};

/** What `resumeExpert` did. */
export type ResumeExpertPayload = {
  __typename?: 'ResumeExpertPayload';
  /** The expert as they are now. */
  expert?: Maybe<Expert>;
};

/** What was done, or a refusal that the caller can act on. */
export type ResumeExpertResult = InputInvalidError | NotFoundError | ResumeExpertPayload;

/** What `retireGold` needs. */
export type RetireGoldInput = {
  /** Why; 1 to 500 characters, kept. */
  reason: Scalars['String']['input'];
  /** The gold’s task. */
  taskId: Scalars['ID']['input'];
};

/** What `retireGold` did. */
export type RetireGoldPayload = {
  __typename?: 'RetireGoldPayload';
  /** The golds, in the order given. */
  golds: Array<Gold>;
};

/** What was done, or a refusal that the caller can act on. */
export type RetireGoldResult = GoldEndedError | InputInvalidError | NotFoundError | RetireGoldPayload;

/** From which chance on a deadline of a project is at risk, and what follows. */
export type RiskPolicy = {
  __typename?: 'RiskPolicy';
  /** How many times its weight the project counts while a batch of it is at risk, at most 8; null: it is not lifted for that. */
  lift?: Maybe<Scalars['Float']['output']>;
  /** Since when it is lifted for a deadline at risk; null: it is not. */
  liftedSince?: Maybe<Scalars['DateTime']['output']>;
  /** A batch is at risk once its chance is below this, until it is above half of the way from here to 1. */
  threshold: Scalars['Float']['output'];
};

/** What a token acts as: exactly one of these. */
export type Role =
  /** Reads across the tenant, changes nothing. */
  | 'ANALYST'
  /** Owns projects and sees only those. */
  | 'CUSTOMER'
  /** Sends people to places. */
  | 'DISPATCHER'
  /** Does the work: claims tasks, submits answers, is paid. */
  | 'EXPERT'
  /** Runs the tenant. */
  | 'OPERATOR';

/** What `rotateWebhookSecret` needs. */
export type RotateWebhookSecretInput = {
  /** How long messages are signed with the present secret too: 0 to 604800 (default 86400). */
  keepPreviousSeconds?: InputMaybe<Scalars['Int']['input']>;
};

/** What `rotateWebhookSecret` did. */
export type RotateWebhookSecretPayload = {
  __typename?: 'RotateWebhookSecretPayload';
  /** A new secret that messages are signed with, shown this once; null: there is none. */
  secret?: Maybe<Scalars['String']['output']>;
  /** The webhook. */
  webhook?: Maybe<Webhook>;
};

/** What was done, or a refusal that the caller can act on. */
export type RotateWebhookSecretResult = InputInvalidError | NotFoundError | RotateWebhookSecretPayload;

/** What made the difference when a task was chosen for an expert. */
export type RoutingReason =
  /** It was begun or given back, and wants an answer still. Told to staff; an expert sees NEXT. */
  | 'BEGUN'
  /** Its project was moved forward to make a deadline. */
  | 'DEADLINE'
  /** It was next in the fair order of its skill. */
  | 'NEXT'
  /** The expert prefers its skill, and no other was much shorter. */
  | 'PREFERRED'
  /** It is reserved for experts who were chosen for it. */
  | 'RESERVED'
  /** Its skill is the shortest of the expert’s. */
  | 'SCARCE_SKILL';

/** Short interruptions of the last 24 hours: the last connection was lost, and the expert was back within ten minutes. */
export type SessionInterruptions = {
  __typename?: 'SessionInterruptions';
  /** How long they were away on average. */
  averageSeconds?: Maybe<Scalars['Float']['output']>;
  /** How many. */
  count: Scalars['Int']['output'];
  /** Of them, those that the lease outlived which was held at the loss. */
  leasesHeld: Scalars['Int']['output'];
  /** Of them, those that it did not: it had run out when the expert was back. */
  leasesLost: Scalars['Int']['output'];
  /** How long they were away the longest time. */
  longestSeconds?: Maybe<Scalars['Float']['output']>;
};

/** What `setBudget` needs. */
export type SetBudgetInput = {
  /** In minor units of the project’s currency; null: as much as it takes. Has to be said, null too. */
  budget?: InputMaybe<Scalars['BigInt']['input']>;
  /** Which project. */
  projectId: Scalars['ID']['input'];
};

/** What `setBudget` did. */
export type SetBudgetPayload = {
  __typename?: 'SetBudgetPayload';
  /** The budget as this change made it, before anything that came later; null: it took the bound away. */
  budget?: Maybe<ProjectBudget>;
  /** The project as it is now. */
  project?: Maybe<Project>;
};

/** What was done, or a refusal that the caller can act on. */
export type SetBudgetResult = BudgetTooLowError | InputInvalidError | NotFoundError | ProjectNotRunningError | SetBudgetPayload;

/** What `setExpertSkill` needs. */
export type SetExpertSkillInput = {
  /** Whose skill. */
  expertId: Scalars['ID']['input'];
  /** The quality that is proven, 0 to `qualityMean`. */
  qualityLower?: InputMaybe<Scalars['Float']['input']>;
  /** What you vouch for, 0 to 1, until quality is measured, which starts from it and refuses other figures; with `qualityLower` or not at all. */
  qualityMean?: InputMaybe<Scalars['Float']['input']>;
  /** Which skill. */
  skillId: Scalars['ID']['input'];
  /** Whether work may be given. */
  status: SkillStatus;
};

/** What `setExpertSkill` did. */
export type SetExpertSkillPayload = {
  __typename?: 'SetExpertSkillPayload';
  /** The expert as they are now. */
  expert?: Maybe<Expert>;
};

/** What was done, or a refusal that the caller can act on. */
export type SetExpertSkillResult = InputInvalidError | NotFoundError | SetExpertSkillPayload;

/** What `setExpertStatus` needs. */
export type SetExpertStatusInput = {
  /** Which expert. */
  expertId: Scalars['ID']['input'];
  /** Whether work may be given at all. */
  status: ExpertStatus;
};

/** What `setExpertStatus` did. */
export type SetExpertStatusPayload = {
  __typename?: 'SetExpertStatusPayload';
  /** The expert as they are now. */
  expert?: Maybe<Expert>;
};

/** What was done, or a refusal that the caller can act on. */
export type SetExpertStatusResult = NotFoundError | SetExpertStatusPayload;

/** What `setExplorationShare` needs. */
export type SetExplorationShareInput = {
  /** 0 to 0.5; null: the default, 0.1. Has to be said, null too. */
  share?: InputMaybe<Scalars['Float']['input']>;
  /** Which skill. */
  skillId: Scalars['ID']['input'];
};

/** What `setExplorationShare` did. */
export type SetExplorationSharePayload = {
  __typename?: 'SetExplorationSharePayload';
  /** The skill as it is now. */
  skill?: Maybe<Skill>;
};

/** What was done, or a refusal that the caller can act on. */
export type SetExplorationShareResult = InputInvalidError | NotFoundError | SetExplorationSharePayload;

/** What `setLease` needs. */
export type SetLeaseInput = {
  /** How long one lease is, 60 to 28800. */
  leaseSeconds: Scalars['Int']['input'];
  /** Which project. */
  projectId: Scalars['ID']['input'];
};

/** What `setLease` did. */
export type SetLeasePayload = {
  __typename?: 'SetLeasePayload';
  /** The project as it is now. */
  project?: Maybe<Project>;
};

/** What was done, or a refusal that the caller can act on. */
export type SetLeaseResult = InputInvalidError | NotFoundError | SetLeasePayload;

/** What `setRedundancy` changes: the rule by one of `fixed`, `agree`, `posterior`, `plain`; without them it stays as it was, and only `isCritical` or `firstGoldMax` change. */
export type SetRedundancyInput = {
  /** Until some agree. */
  agree?: InputMaybe<AgreeRedundancyInput>;
  /** While the project has no gold, at most so many of its finished tasks go to a stronger expert, to make the first: adjudications, which you pay for as for others. 0 to 20, at first 20; 0: none, and gold is made by hand or from unanimous tasks. By default as before. */
  firstGoldMax?: InputMaybe<Scalars['Int']['input']>;
  /** Always so many. */
  fixed?: InputMaybe<FixedRedundancyInput>;
  /** Whatever the rule says, no task has fewer than three answers or more than five (default: as it was). Not with `plain`. */
  isCritical?: InputMaybe<Scalars['Boolean']['input']>;
  /** No rule any more, which has to be said: nothing is judged, and nothing adjudicated. */
  plain?: InputMaybe<PlainRedundancyInput>;
  /** Until it is sure enough. */
  posterior?: InputMaybe<PosteriorRedundancyInput>;
  /** Which project. */
  projectId: Scalars['ID']['input'];
};

/** What `setRedundancy` did. */
export type SetRedundancyPayload = {
  __typename?: 'SetRedundancyPayload';
  /** The project as it is now. */
  project?: Maybe<Project>;
};

/** What was done, or a refusal that the caller can act on. */
export type SetRedundancyResult = InputInvalidError | NotFoundError | ProjectNotRunningError | SetRedundancyPayload;

/** What `setRiskPolicy` changes; what is left out stays as it is. */
export type SetRiskPolicyInput = {
  /** How many times its weight the project is to count while a batch of it is at risk: more than 1, at most 8; null: it is not lifted. For operators, for it is at the cost of the others. */
  lift?: InputMaybe<Scalars['Float']['input']>;
  /** Which project. */
  projectId: Scalars['ID']['input'];
  /** A batch is at risk while its chance is below this: .5 to .99; .8 where nobody said otherwise. */
  threshold?: InputMaybe<Scalars['Float']['input']>;
};

/** What `setRiskPolicy` did. */
export type SetRiskPolicyPayload = {
  __typename?: 'SetRiskPolicyPayload';
  /** The project as it is now. */
  project?: Maybe<Project>;
};

/** What was done, or a refusal that the caller can act on. */
export type SetRiskPolicyResult = InputInvalidError | NotFoundError | SetRiskPolicyPayload;

/** What `setSkillPreference` needs. */
export type SetSkillPreferenceInput = {
  /** How you like it. */
  preference: SkillPreference;
  /** Which of your skills. */
  skillId: Scalars['ID']['input'];
};

/** What `setSkillPreference` did. */
export type SetSkillPreferencePayload = {
  __typename?: 'SetSkillPreferencePayload';
  /** The expert as they are now. */
  expert?: Maybe<Expert>;
};

/** What was done, or a refusal that the caller can act on. */
export type SetSkillPreferenceResult = NotFoundError | SetSkillPreferencePayload;

/** What `setWebhook` needs. */
export type SetWebhookInput = {
  /** Where it goes: https, at an address of the public internet; on development also http on this machine. */
  url: Scalars['String']['input'];
};

/** What `setWebhook` did. */
export type SetWebhookPayload = {
  __typename?: 'SetWebhookPayload';
  /** A new secret that messages are signed with, shown this once; null: there is none. */
  secret?: Maybe<Scalars['String']['output']>;
  /** The webhook. */
  webhook?: Maybe<Webhook>;
};

/** What was done, or a refusal that the caller can act on. */
export type SetWebhookResult = InputInvalidError | SetWebhookPayload;

/** Something that experts can do, and that projects ask for. */
export type Skill = Node & {
  __typename?: 'Skill';
  /** When it was added. */
  createdAt: Scalars['DateTime']['output'];
  /** The share of newcomers’ doors that chance opens (see `newcomerDoors`); null for experts and customers. */
  explorationShare?: Maybe<Scalars['Float']['output']>;
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
  /** Unique inside the tenant. */
  name: Scalars['String']['output'];
};

/** How answers agree in one dimension of a task type, over all projects of a skill. */
export type SkillAgreement = {
  __typename?: 'SkillAgreement';
  /** Krippendorff’s alpha: 1 where all agree, 0 at chance. */
  alpha?: Maybe<Scalars['Float']['output']>;
  /** Fleiss’ kappa and Gwet’s AC1. */
  chanceCorrected: ChanceCorrectedAgreement;
  /** Which dimension. */
  dimension: Scalars['String']['output'];
  /** Each expert with their peers, those with the most tasks first; at most 500 in the answer. */
  experts: Array<ExpertAgreement>;
  /** What it is measured on: NOMINAL, ORDINAL, INTERVAL or RATIO. */
  scale: Scalars['String']['output'];
  /** Whose dimension. */
  taskType?: Maybe<TaskType>;
  /** Finished tasks with two answers or more. */
  tasks: Scalars['Int']['output'];
};

/** A page of skills. */
export type SkillConnection = {
  __typename?: 'SkillConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<SkillEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the skills of a page. */
export type SkillEdge = {
  __typename?: 'SkillEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Skill;
};

/** What waits in a skill and who is there for it, as measured some seconds ago. */
export type SkillPool = {
  __typename?: 'SkillPool';
  /** Answers an hour that the available experts can give (the qualified ones, where nobody is available), each shared evenly between their skills that have work. */
  capacityPerHour: Scalars['Float']['output'];
  /** When it was measured. */
  computedAt: Scalars['DateTime']['output'];
  /** Experts who qualify for some of it and were at work in the last half hour. */
  expertsAvailable: Scalars['Int']['output'];
  /** Experts who qualify for some of it and are not paused, at work or not. */
  expertsQualified: Scalars['Int']['output'];
  /** Age of the oldest task that waits; null where none does. */
  oldestOpenSeconds?: Maybe<Scalars['Int']['output']>;
  /** Answers that these tasks still want. */
  openAnswers: Scalars['BigInt']['output'];
  /** Hours of work that wait for each of these experts: openAnswers over capacity. */
  pressure: Scalars['Float']['output'];
  /** Tasks that wait for somebody, of all task types. */
  queueDepth: Scalars['Int']['output'];
  /** How long an answer takes, by the latest ones of each expert within a day, and as last measured where there are none; 300 before there was any. */
  secondsPerAnswer: Scalars['Float']['output'];
};

/** How an expert likes work of a skill. It weighs where there is a choice, and never refuses work. */
export type SkillPreference =
  /** Rather others; still given where it is pressing, or nothing else waits. */
  | 'AVOID'
  /** Like any other. */
  | 'NEUTRAL'
  /** Rather this than others. */
  | 'PREFER';

/** How right an expert’s answers of one skill and task type are, by gold and adjudications. */
export type SkillScore = {
  __typename?: 'SkillScore';
  /** The UTC day of which it is; to experts, the day of the state that they were shown. */
  day: Scalars['DateTime']['output'];
  /** Above this with probability .95: what work is gated by. */
  lower: Scalars['Float']['output'];
  /** The best guess, 0 to 1. */
  mean: Scalars['Float']['output'];
  /** Graded answers that it rests on. */
  results: Scalars['Int']['output'];
  /** The skill. */
  skill?: Maybe<Skill>;
  /** The task type, where you may see it; null with the skill as a whole. */
  taskType?: Maybe<TaskType>;
  /** Below this with probability .95. */
  upper: Scalars['Float']['output'];
};

/** Where an expert stands in a skill, and why. */
export type SkillStanding = {
  __typename?: 'SkillStanding';
  /** False between a decision from results and its effect, some minutes and answers later: its instant must not tell which answer was gold. */
  isInEffect: Scalars['Boolean']['output'];
  /** The phase. */
  phase: StandingPhase;
  /** Why; null in the beginning. */
  reason?: Maybe<Scalars['String']['output']>;
  /** When the re-test begins of somebody whom results paused. */
  retestFrom?: Maybe<Scalars['DateTime']['output']>;
  /** Since when. */
  since?: Maybe<Scalars['DateTime']['output']>;
  /** The skill. */
  skill?: Maybe<Skill>;
};

/** Whether an expert may be given work of one skill. */
export type SkillStatus =
  /** Works in this skill. */
  | 'ACTIVE'
  /** Is given no work of this skill. */
  | 'PAUSED'
  /** Is being measured: works like ACTIVE, within the quality that is proven or a recorded exception. */
  | 'PROBATION';

/** You gave the task back, or it was given to somebody else, or is done. */
export type SlotTakenError = DomainError & {
  __typename?: 'SlotTakenError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** What the answers of one project have cost. */
export type Spend = {
  __typename?: 'Spend';
  /** How much, less what was reversed. */
  amount: Money;
  /** Answers that were paid for. */
  answers: Scalars['Int']['output'];
  /** The project. */
  project?: Maybe<Project>;
};

/** The call names an earlier claim of this assignment than the one that is held now. */
export type StaleLeaseError = DomainError & {
  __typename?: 'StaleLeaseError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** The lease epoch of the present claim. */
  currentEpoch: Scalars['Int']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** A change of standing, with what it was decided on. */
export type StandingNotice = {
  __typename?: 'StandingNotice';
  /** When it was decided; to experts, when they were told. */
  at: Scalars['DateTime']['output'];
  /** What it became. */
  phase: StandingPhase;
  /** How sure it was that the accuracy is below the bar. */
  probabilityBelow: Scalars['Float']['output'];
  /** Why. */
  reason: Scalars['String']['output'];
  /** Results looked at. */
  results: Scalars['Int']['output'];
  /** Right answers among the results looked at; to experts, among the last results of the state shown with it. */
  right: Scalars['Float']['output'];
  /** The skill. */
  skill?: Maybe<Skill>;
};

/** Where an expert stands in a skill. */
export type StandingPhase =
  /** Works. */
  | 'CLEAR'
  /** Is given no work of the skill; past answers stay. */
  | 'PAUSED'
  /** Is tested anew: only results from now on count. */
  | 'RETEST'
  /** Works, and may be paused if results stay as they are. */
  | 'WARNED';

/** An expert’s earnings, to the cent. */
export type Statement = {
  __typename?: 'Statement';
  /** What is owed to you now, a currency each. */
  balances: Array<Money>;
  /** Each amount with the assignment that it comes from, newest first. */
  lines: PayoutConnection;
};


/** An expert’s earnings, to the cent. */
export type StatementLinesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
};

/** What `submit` needs. */
export type SubmitInput = {
  /** In the form of the task type; at most 64 KiB. */
  answer: Scalars['JSON']['input'];
  /** What you hold. */
  assignmentId: Scalars['ID']['input'];
  /** Take the next task with the same call. */
  claimNext?: InputMaybe<Scalars['Boolean']['input']>;
  /** Which client you are, 1 to 100 letters, digits and _ . : + -; kept, so that a change of interface can be judged. */
  clientVersion?: InputMaybe<Scalars['String']['input']>;
  /** How sure you are, 0 to 1. */
  confidence?: InputMaybe<Scalars['Float']['input']>;
  /** Which variant of the form was shown; kept like the client’s version. */
  formVariant?: InputMaybe<Scalars['String']['input']>;
  /** The epoch of its lease. */
  leaseEpoch: Scalars['Int']['input'];
  /** With `claimNext`: only work of this skill. */
  nextSkillId?: InputMaybe<Scalars['ID']['input']>;
};

/** The answer was stored and paid for. */
export type SubmitPayload = {
  __typename?: 'SubmitPayload';
  /** With `claimNext`: the next task, or why there is none; null where the server has no room for it just now: claim by yourself. */
  next?: Maybe<ClaimTaskPayload>;
  /** The receipt. */
  receipt: Receipt;
};

/** What was done, or a refusal that the caller can act on. */
export type SubmitResult = AlreadyFlaggedError | AlreadySubmittedError | AnswerInvalidError | AssignmentNotFoundError | LeaseExpiredError | LeaseWithdrawnError | ProjectCancelledError | StaleLeaseError | SubmitPayload;

/** What happens, told as it happens, over WebSockets. */
export type Subscription = {
  __typename?: 'Subscription';
  /** Alerts: those that last, then CURRENT, then what becomes of them; a customer’s own, to staff all. With cursors like `leaseEvents`. */
  alertEvents: AlertEvent;
  /** The risk of each batch of a project as it is, then each change; with cursors like `leaseEvents`. */
  deadlineRisk: DeadlineRisk;
  /** The forecast of a project, then each change; with cursors like `leaseEvents`. */
  forecast: ProjectForecast;
  /** The leases of a project, or an expert’s own: the present ones, then CURRENT, then what happens. Every item has a cursor; with `after` nothing is missed and nothing told twice, or `reset` says to start afresh. */
  leaseEvents: LeaseEvent;
  /** The balances of an expert, then what is booked for them, some answers at a time; with cursors like `leaseEvents`. */
  payoutEvents: PayoutEvent;
  /** What waits in a skill and who is there for it, then each change; with cursors like `leaseEvents`. */
  poolEvents: PoolEvent;
  /** How far a project has come, then each change, at most a few a second; with cursors like `leaseEvents`. */
  projectProgress: ProjectProgress;
  /** What becomes of quality: an expert’s own standing; what of a customer’s project goes to adjudication; to staff all of it, or of one project. With cursors like `leaseEvents`. */
  qualityEvents: QualityEvent;
  /** What waits in a skill, then each change; with cursors like `leaseEvents`. Who is there for it, `poolEvents` tells. */
  queueDepth: QueueDepth;
};


/** What happens, told as it happens, over WebSockets. */
export type SubscriptionAlertEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
};


/** What happens, told as it happens, over WebSockets. */
export type SubscriptionDeadlineRiskArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  projectId: Scalars['ID']['input'];
};


/** What happens, told as it happens, over WebSockets. */
export type SubscriptionForecastArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  projectId: Scalars['ID']['input'];
};


/** What happens, told as it happens, over WebSockets. */
export type SubscriptionLeaseEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  kinds?: InputMaybe<Array<LeaseEventKind>>;
  projectId?: InputMaybe<Scalars['ID']['input']>;
};


/** What happens, told as it happens, over WebSockets. */
export type SubscriptionPayoutEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  expertId?: InputMaybe<Scalars['ID']['input']>;
};


/** What happens, told as it happens, over WebSockets. */
export type SubscriptionPoolEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  skillId: Scalars['ID']['input'];
};


/** What happens, told as it happens, over WebSockets. */
export type SubscriptionProjectProgressArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  projectId: Scalars['ID']['input'];
};


/** What happens, told as it happens, over WebSockets. */
export type SubscriptionQualityEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  projectId?: InputMaybe<Scalars['ID']['input']>;
};


/** What happens, told as it happens, over WebSockets. */
export type SubscriptionQueueDepthArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  skillId: Scalars['ID']['input'];
};

/** An expert who is given no work of a skill, or not all that waits, and could be. */
export type SuggestedExpert = {
  __typename?: 'SuggestedExpert';
  /** Who. */
  expert?: Maybe<Expert>;
  /** What keeps them from it, and what would mend it. */
  reason: Scalars['String']['output'];
};

/** What `suspendGold` needs. */
export type SuspendGoldInput = {
  /** Why; 1 to 500 characters, kept. */
  reason: Scalars['String']['input'];
  /** The gold’s task. */
  taskId: Scalars['ID']['input'];
};

/** What `suspendGold` did. */
export type SuspendGoldPayload = {
  __typename?: 'SuspendGoldPayload';
  /** The golds, in the order given. */
  golds: Array<Gold>;
};

/** What was done, or a refusal that the caller can act on. */
export type SuspendGoldResult = GoldEndedError | InputInvalidError | NotFoundError | SuspendGoldPayload;

/** One item to be answered. Experts see of it only what the first four fields say. */
export type Task = Node & {
  __typename?: 'Task';
  /** The task that it is an adjudication of; null where it is none. */
  adjudicates?: Maybe<Task>;
  /** The task by which a stronger expert judges it; null where it went to none. */
  adjudication?: Maybe<Task>;
  /** Why it waits, where it is an open adjudication and its project has some that no expert may take; else null. */
  adjudicationWait?: Maybe<AdjudicationWait>;
  /** The upload that it came with. */
  batch?: Maybe<Batch>;
  /** Media type of the payload. */
  contentType: Scalars['String']['output'];
  /** Answers that it has. */
  counted?: Maybe<Scalars['Int']['output']>;
  /** When it became claimable. */
  createdAt?: Maybe<Scalars['DateTime']['output']>;
  /** The customer’s own name for the item, where they gave one. */
  externalId?: Maybe<Scalars['String']['output']>;
  /** How many experts said that it cannot be answered. */
  flags?: Maybe<Scalars['Int']['output']>;
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
  /** Whether it gets three to five answers, whatever the project’s policy says. */
  isCritical?: Maybe<Scalars['Boolean']['output']>;
  /** What it is for. */
  kind?: Maybe<TaskKind>;
  /** Size of the payload. */
  payloadBytes: Scalars['Int']['output'];
  /** Where it stands. */
  state?: Maybe<TaskState>;
  /** Whether it is done with fewer answers than it would want because its project’s budget does not reach. It goes on when there is budget again. */
  waitsForBudget?: Maybe<Scalars['Boolean']['output']>;
  /** Independent answers that it wants. */
  wanted?: Maybe<Scalars['Int']['output']>;
};

/** A class that was named in a dimension of a task, or what its answers say of a number. */
export type TaskClass = {
  __typename?: 'TaskClass';
  /** How far from the number the truth is, by all answers: the root of the mean square. Null of a class. */
  deviation?: Maybe<Scalars['Float']['output']>;
  /** Which dimension. */
  dimension: Scalars['String']['output'];
  /** The class; of a number, the number. */
  label: Scalars['String']['output'];
  /** By what it was judged. */
  method: JudgingMethodName;
  /** The likeliest number; null of a class. */
  number?: Maybe<Scalars['Float']['output']>;
  /** That it is right, by all answers and what is known of those who gave them, as it turned out on the project’s gold; of a number, that the truth is within the tolerance of it. */
  probability: Scalars['Float']['output'];
  /** How far apart numbers may be that say the same. */
  tolerance?: Maybe<Scalars['Float']['output']>;
  /** By which version of the method: see `judgingMethods`; null before any was made. */
  version?: Maybe<Scalars['Int']['output']>;
  /** Answers that say so, an adjudication’s among them; of a number, those within the tolerance. */
  votes: Scalars['Int']['output'];
};

/** A page of tasks. */
export type TaskConnection = {
  __typename?: 'TaskConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<TaskEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the tasks of a page. */
export type TaskEdge = {
  __typename?: 'TaskEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: Task;
};

/** What a task is for. */
export type TaskKind =
  /** A further answer by a stronger expert to a task that others have answered. */
  | 'ADJUDICATION'
  /** It was uploaded. */
  | 'WORK';

/** Where a task stands. */
export type TaskState =
  /** Ended with its project. */
  | 'CANCELLED'
  /** Has all the answers that it wants. */
  | 'DONE'
  /** Enough experts said that it cannot be answered. */
  | 'FLAGGED'
  /** Wants more answers. */
  | 'OPEN';

/** A form of answers: never changed once made; a new version of the same name is a new task type. */
export type TaskType = Node & {
  __typename?: 'TaskType';
  /** The JSON Schema that every answer is held against. */
  answerSchema?: Maybe<Scalars['JSON']['output']>;
  /** When it was made. */
  createdAt: Scalars['DateTime']['output'];
  /** What was asked for: options, criteria, or a schema. */
  definition?: Maybe<Scalars['JSON']['output']>;
  /** The values in an answer that answers are compared by. */
  dimensions?: Maybe<Scalars['JSON']['output']>;
  /** Opaque and permanent; it tells nothing and sorts nothing. */
  id: Scalars['ID']['output'];
  /** Shown beside each task. Markdown. */
  instructions: Scalars['String']['output'];
  /** What kind of answer. */
  kind: TaskTypeKind;
  /** Its name; with `version` unique for its owner. */
  name: Scalars['String']['output'];
  /** Counts from 1 with each task type of this name. */
  version: Scalars['Int']['output'];
};

/** A page of task types. */
export type TaskTypeConnection = {
  __typename?: 'TaskTypeConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<TaskTypeEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the task types of a page. */
export type TaskTypeEdge = {
  __typename?: 'TaskTypeEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: TaskType;
};

/** The definition of the task type cannot be used. */
export type TaskTypeInvalidError = DomainError & {
  __typename?: 'TaskTypeInvalidError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** Every fault, at most 100. */
  issues: Array<Issue>;
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** What kind of answer a task asks for. */
export type TaskTypeKind =
  /** Anything that a JSON Schema describes. */
  | 'FREE_FORM'
  /** Which of two is better, or a tie. */
  | 'PAIRWISE'
  /** A score for each of several criteria. */
  | 'RUBRIC'
  /** One of several options. */
  | 'SINGLE_CHOICE';

/** What `testWebhook` needs. */
export type TestWebhookInput = {
  /** Comes with the message; 1 to 500 characters. */
  note?: InputMaybe<Scalars['String']['input']>;
};

/** What `testWebhook` did. */
export type TestWebhookPayload = {
  __typename?: 'TestWebhookPayload';
  /** The message: PENDING at first, in a moment what became of it. */
  delivery?: Maybe<WebhookDelivery>;
};

/** What was done, or a refusal that the caller can act on. */
export type TestWebhookResult = InputInvalidError | NotFoundError | TestWebhookPayload | WebhookDisabledError;

/** What `updateExpert` changes; what is left out stays as it is. */
export type UpdateExpertInput = {
  /** Claims that the expert may take in a UTC day, 1 to 10000; null: no cap. */
  dailyCap?: InputMaybe<Scalars['Int']['input']>;
  /** Which expert. */
  expertId: Scalars['ID']['input'];
  /** All languages of the expert, as BCP 47 has them. A project that asks for "pt-br" is not met by "pt": list both where both are meant. */
  languages?: InputMaybe<Array<Scalars['String']['input']>>;
  /** All tags of the expert: at most 20 of 1 to 50 letters, digits and _ . : - */
  tags?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** What `updateExpert` did. */
export type UpdateExpertPayload = {
  __typename?: 'UpdateExpertPayload';
  /** The expert as they are now. */
  expert?: Maybe<Expert>;
};

/** What was done, or a refusal that the caller can act on. */
export type UpdateExpertResult = InputInvalidError | NotFoundError | UpdateExpertPayload;

/** What `updateProject` changes; what is left out stays as it is. */
export type UpdateProjectInput = {
  /** When it should be done; null: no deadline any more. */
  deadline?: InputMaybe<Scalars['DateTime']['input']>;
  /** 1 to 200 characters. */
  name?: InputMaybe<Scalars['String']['input']>;
  /** Which project. */
  projectId: Scalars['ID']['input'];
  /** Priority as a share, 1 to 1000. A greater one holds within minutes for what waits, too; a smaller one for tasks that are added from now on. */
  weight?: InputMaybe<Scalars['Int']['input']>;
};

/** What `updateProject` did. */
export type UpdateProjectPayload = {
  __typename?: 'UpdateProjectPayload';
  /** The project as it is now. */
  project?: Maybe<Project>;
};

/** What was done, or a refusal that the caller can act on. */
export type UpdateProjectResult = InputInvalidError | NotFoundError | ProjectNotRunningError | UpdateProjectPayload;

/** Who asks: the identity behind the access token, in the one role that it acts in. */
export type Viewer = {
  __typename?: 'Viewer';
  /** The customer that a CUSTOMER acts for. */
  customer?: Maybe<Customer>;
  /** How the identity is called. */
  displayName: Scalars['String']['output'];
  /** The expert that an EXPERT acts as. */
  expert?: Maybe<Expert>;
  /** The identity itself. */
  identity?: Maybe<Identity>;
  /** The acting role. */
  role: Role;
  /** The tenant, by its short name. */
  tenant: Scalars['String']['output'];
  /** When the access token ends. */
  tokenExpiresAt: Scalars['DateTime']['output'];
};

/** Where a tenant is told of what happens: see docs/webhooks.md. Its secret is never shown again. */
export type Webhook = {
  __typename?: 'Webhook';
  /** When it was set or disabled. */
  changedAt: Scalars['DateTime']['output'];
  /** When a delivery last succeeded, to ten seconds. */
  deliveredAt?: Maybe<Scalars['DateTime']['output']>;
  /** When the first of the attempts failed since which none has succeeded; null: the last one did. */
  failingSince?: Maybe<Scalars['DateTime']['output']>;
  /** What the last of them met. */
  lastError?: Maybe<Scalars['String']['output']>;
  /** Why it is disabled. */
  reason?: Maybe<Scalars['String']['output']>;
  /** Whether it is sent to. */
  state: WebhookState;
  /** Where it goes. */
  url: Scalars['String']['output'];
};

/** One message to the webhook, kept for two weeks. */
export type WebhookDelivery = {
  __typename?: 'WebhookDelivery';
  /** How often it was tried, since it was last replayed. */
  attempts: Scalars['Int']['output'];
  /** When it happened. */
  createdAt: Scalars['DateTime']['output'];
  /** When it was delivered or given up. */
  endedAt?: Maybe<Scalars['DateTime']['output']>;
  /** Why the last attempt failed. */
  error?: Maybe<Scalars['String']['output']>;
  /** For `replayWebhook`. */
  id: Scalars['ID']['output'];
  /** The `webhook-id` that it is sent with, each time. */
  messageId: Scalars['String']['output'];
  /** Of PENDING: not before then, and not before earlier ones of its subject. */
  nextAttemptAt?: Maybe<Scalars['DateTime']['output']>;
  /** What became of it. */
  state: WebhookDeliveryState;
  /** What the receiver last answered; null: nothing. */
  statusCode?: Maybe<Scalars['Int']['output']>;
  /** What it tells, such as "alert.raised". */
  type: Scalars['String']['output'];
};

/** A page of deliveries. */
export type WebhookDeliveryConnection = {
  __typename?: 'WebhookDeliveryConnection';
  /** The items of this page, each with its cursor. */
  edges: Array<WebhookDeliveryEdge>;
  /** Where this page stands, and whether there is another. */
  pageInfo: PageInfo;
};

/** One of the deliveries of a page. */
export type WebhookDeliveryEdge = {
  __typename?: 'WebhookDeliveryEdge';
  /** Where this item stands: send it as `after` to go on behind it. */
  cursor: Scalars['String']['output'];
  /** The item. */
  node: WebhookDelivery;
};

/** What became of a delivery. */
export type WebhookDeliveryState =
  /** It was tried for three days in vain; `replayWebhook` tries again. */
  | 'DEAD'
  /** The receiver has answered 2xx. */
  | 'DELIVERED'
  /** It waits, or is tried again. */
  | 'PENDING';

/** The webhook is disabled: nothing is sent. */
export type WebhookDisabledError = DomainError & {
  __typename?: 'WebhookDisabledError';
  /** Stable and machine-readable. */
  code: Scalars['String']['output'];
  /** What happened and what to do, in English. */
  message: Scalars['String']['output'];
};

/** Whether a webhook is sent to. */
export type WebhookState =
  /** It is not; what happens is kept, and sent when it is set again. */
  | 'DISABLED'
  /** It is sent to. */
  | 'ENABLED';

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { __typename?: 'Query', viewer: { __typename?: 'Viewer', displayName: string, role: Role, tenant: string, tokenExpiresAt: string, identity?: { __typename?: 'Identity', id: string } | null, expert?: { __typename?: 'Expert', id: string, handle: string } | null, customer?: { __typename?: 'Customer', id: string, name: string } | null } };

export type AmountFragment = { __typename?: 'Money', minorUnits: string, currency: string };

export type OutlookFragment = { __typename?: 'Forecast', confidence: ForecastConfidence, finishedBatches: number, answersPerHour: number, remainingAnswers: number, expectedDoneAt?: string | null, probabilityOnTime?: number | null, computedAt: string, limits: Array<string>, quantiles: Array<{ __typename?: 'ForecastQuantile', probability: number, at?: string | null }>, fixes?: { __typename?: 'ForecastFixes', dropTasks?: number | null, safeDeadline?: string | null, expertHours: Array<{ __typename?: 'ForecastExtraHours', hours: number, skill?: { __typename?: 'Skill', id: string, name: string } | null }> } | null };

export type HowFarFragment = { __typename?: 'Progress', tasksTotal: number, tasksDone: number, tasksOpen: number, tasksFlagged: number, answersWanted: number, answersCounted: number, leased: number, adjudicationsOpen: number };

export type ProjectsQueryVariables = Exact<{
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type ProjectsQuery = { __typename?: 'Query', projects: { __typename?: 'ProjectConnection', edges: Array<{ __typename?: 'ProjectEdge', node: { __typename?: 'Project', id: string, name: string, state: ProjectState, deadline?: string | null, skill?: { __typename?: 'Skill', id: string, name: string } | null, progress: { __typename?: 'Progress', tasksTotal: number, tasksDone: number, tasksOpen: number, tasksFlagged: number, answersWanted: number, answersCounted: number, leased: number, adjudicationsOpen: number }, spend: { __typename?: 'Money', minorUnits: string, currency: string }, forecast?: { __typename?: 'Forecast', confidence: ForecastConfidence, expectedDoneAt?: string | null, probabilityOnTime?: number | null, answersPerHour: number } | null } }>, pageInfo: { __typename?: 'PageInfo', endCursor?: string | null, hasNextPage: boolean } } };

export type ProjectQueryVariables = Exact<{
  id: Scalars['ID']['input'];
}>;


export type ProjectQuery = { __typename?: 'Query', node?: { __typename?: 'AccessLogEntry' } | { __typename?: 'Assignment' } | { __typename?: 'Batch' } | { __typename?: 'Customer' } | { __typename?: 'Expert' } | { __typename?: 'Identity' } | { __typename?: 'Payout' } | { __typename?: 'Project', id: string, name: string, state: ProjectState, deadline?: string | null, createdAt: string, redundancy: number, leaseSeconds: number, price: { __typename?: 'Money', minorUnits: string, currency: string }, skill?: { __typename?: 'Skill', id: string, name: string } | null, taskType?: { __typename?: 'TaskType', id: string, name: string } | null, progress: { __typename?: 'Progress', tasksTotal: number, tasksDone: number, tasksOpen: number, tasksFlagged: number, answersWanted: number, answersCounted: number, leased: number, adjudicationsOpen: number }, spend: { __typename?: 'Money', minorUnits: string, currency: string }, budget?: { __typename?: 'ProjectBudget', stopped: number, limit: { __typename?: 'Money', minorUnits: string, currency: string }, reserved: { __typename?: 'Money', minorUnits: string, currency: string }, available: { __typename?: 'Money', minorUnits: string, currency: string } } | null, forecast?: { __typename?: 'Forecast', confidence: ForecastConfidence, finishedBatches: number, answersPerHour: number, remainingAnswers: number, expectedDoneAt?: string | null, probabilityOnTime?: number | null, computedAt: string, limits: Array<string>, quantiles: Array<{ __typename?: 'ForecastQuantile', probability: number, at?: string | null }>, fixes?: { __typename?: 'ForecastFixes', dropTasks?: number | null, safeDeadline?: string | null, expertHours: Array<{ __typename?: 'ForecastExtraHours', hours: number, skill?: { __typename?: 'Skill', id: string, name: string } | null }> } | null } | null } | { __typename?: 'Skill' } | { __typename?: 'Task' } | { __typename?: 'TaskType' } | null };

export type BatchRowFragment = { __typename?: 'Batch', id: string, name: string, state: BatchState, deadline?: string | null, createdAt: string, taskCount: string, rowsDone: string, errorCount: string, failure?: string | null, progress: { __typename?: 'Progress', tasksTotal: number, tasksDone: number, tasksOpen: number, tasksFlagged: number, answersWanted: number, answersCounted: number, leased: number, adjudicationsOpen: number }, forecast?: { __typename?: 'Forecast', confidence: ForecastConfidence, finishedBatches: number, answersPerHour: number, remainingAnswers: number, expectedDoneAt?: string | null, probabilityOnTime?: number | null, computedAt: string, limits: Array<string>, quantiles: Array<{ __typename?: 'ForecastQuantile', probability: number, at?: string | null }>, fixes?: { __typename?: 'ForecastFixes', dropTasks?: number | null, safeDeadline?: string | null, expertHours: Array<{ __typename?: 'ForecastExtraHours', hours: number, skill?: { __typename?: 'Skill', id: string, name: string } | null }> } | null } | null, burnUp: Array<{ __typename?: 'BurnUpPoint', at: string, answers: number }> };

export type BatchesQueryVariables = Exact<{
  projectId: Scalars['ID']['input'];
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type BatchesQuery = { __typename?: 'Query', node?: { __typename?: 'AccessLogEntry' } | { __typename?: 'Assignment' } | { __typename?: 'Batch' } | { __typename?: 'Customer' } | { __typename?: 'Expert' } | { __typename?: 'Identity' } | { __typename?: 'Payout' } | { __typename?: 'Project', id: string, batches: { __typename?: 'BatchConnection', edges: Array<{ __typename?: 'BatchEdge', node: { __typename?: 'Batch', id: string, name: string, state: BatchState, deadline?: string | null, createdAt: string, taskCount: string, rowsDone: string, errorCount: string, failure?: string | null, progress: { __typename?: 'Progress', tasksTotal: number, tasksDone: number, tasksOpen: number, tasksFlagged: number, answersWanted: number, answersCounted: number, leased: number, adjudicationsOpen: number }, forecast?: { __typename?: 'Forecast', confidence: ForecastConfidence, finishedBatches: number, answersPerHour: number, remainingAnswers: number, expectedDoneAt?: string | null, probabilityOnTime?: number | null, computedAt: string, limits: Array<string>, quantiles: Array<{ __typename?: 'ForecastQuantile', probability: number, at?: string | null }>, fixes?: { __typename?: 'ForecastFixes', dropTasks?: number | null, safeDeadline?: string | null, expertHours: Array<{ __typename?: 'ForecastExtraHours', hours: number, skill?: { __typename?: 'Skill', id: string, name: string } | null }> } | null } | null, burnUp: Array<{ __typename?: 'BurnUpPoint', at: string, answers: number }> } }>, pageInfo: { __typename?: 'PageInfo', endCursor?: string | null, hasNextPage: boolean } } } | { __typename?: 'Skill' } | { __typename?: 'Task' } | { __typename?: 'TaskType' } | null };

export type BatchErrorsQueryVariables = Exact<{
  batchId: Scalars['ID']['input'];
  first: Scalars['Int']['input'];
}>;


export type BatchErrorsQuery = { __typename?: 'Query', node?: { __typename?: 'AccessLogEntry' } | { __typename?: 'Assignment' } | { __typename?: 'Batch', id: string, state: BatchState, failure?: string | null, rowsDone: string, taskCount: string, errorCount: string, errors: { __typename?: 'BatchErrorConnection', edges: Array<{ __typename?: 'BatchErrorEdge', node: { __typename?: 'BatchError', line: string, reason: string } }>, pageInfo: { __typename?: 'PageInfo', endCursor?: string | null, hasNextPage: boolean } } } | { __typename?: 'Customer' } | { __typename?: 'Expert' } | { __typename?: 'Identity' } | { __typename?: 'Payout' } | { __typename?: 'Project' } | { __typename?: 'Skill' } | { __typename?: 'Task' } | { __typename?: 'TaskType' } | null };

export type HowGoodQueryVariables = Exact<{
  projectId: Scalars['ID']['input'];
}>;


export type HowGoodQuery = { __typename?: 'Query', projectQuality?: { __typename?: 'ProjectQuality', adjudicationsDone: number, adjudicationsOpened: number, dimensions: Array<{ __typename?: 'DimensionQuality', dimension: string, alpha?: number | null, stated?: number | null, statedTasks: number, tasks: number }> } | null };

export type ProgressingSubscriptionVariables = Exact<{
  projectId: Scalars['ID']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type ProgressingSubscription = { __typename?: 'Subscription', projectProgress: { __typename?: 'ProjectProgress', cursor: string, reset: boolean, state: ProjectState, spent: { __typename?: 'Money', minorUnits: string, currency: string }, progress: { __typename?: 'Progress', tasksTotal: number, tasksDone: number, tasksOpen: number, tasksFlagged: number, answersWanted: number, answersCounted: number, leased: number, adjudicationsOpen: number } } };

export type ForecastingSubscriptionVariables = Exact<{
  projectId: Scalars['ID']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type ForecastingSubscription = { __typename?: 'Subscription', forecast: { __typename?: 'ProjectForecast', cursor: string, reset: boolean, project?: { __typename?: 'Forecast', confidence: ForecastConfidence, finishedBatches: number, answersPerHour: number, remainingAnswers: number, expectedDoneAt?: string | null, probabilityOnTime?: number | null, computedAt: string, limits: Array<string>, quantiles: Array<{ __typename?: 'ForecastQuantile', probability: number, at?: string | null }>, fixes?: { __typename?: 'ForecastFixes', dropTasks?: number | null, safeDeadline?: string | null, expertHours: Array<{ __typename?: 'ForecastExtraHours', hours: number, skill?: { __typename?: 'Skill', id: string, name: string } | null }> } | null } | null, batches: Array<{ __typename?: 'BatchForecast', batchId: string, deadline?: string | null, forecast: { __typename?: 'Forecast', confidence: ForecastConfidence, finishedBatches: number, answersPerHour: number, remainingAnswers: number, expectedDoneAt?: string | null, probabilityOnTime?: number | null, computedAt: string, limits: Array<string>, quantiles: Array<{ __typename?: 'ForecastQuantile', probability: number, at?: string | null }>, fixes?: { __typename?: 'ForecastFixes', dropTasks?: number | null, safeDeadline?: string | null, expertHours: Array<{ __typename?: 'ForecastExtraHours', hours: number, skill?: { __typename?: 'Skill', id: string, name: string } | null }> } | null } }> } };

export type EarningsQueryVariables = Exact<{
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type EarningsQuery = { __typename?: 'Query', statement: { __typename?: 'Statement', balances: Array<{ __typename?: 'Money', minorUnits: string, currency: string }>, lines: { __typename?: 'PayoutConnection', edges: Array<{ __typename?: 'PayoutEdge', node: { __typename?: 'Payout', id: string, kind: PayoutKind, at: string, amount: { __typename?: 'Money', minorUnits: string, currency: string }, assignment?: { __typename?: 'Assignment', id: string, project?: { __typename?: 'ProjectSummary', name: string } | null, task: { __typename?: 'Task', id: string, externalId?: string | null } } | null } }>, pageInfo: { __typename?: 'PageInfo', endCursor?: string | null, hasNextPage: boolean } } } };

export type BookedSubscriptionVariables = Exact<{
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type BookedSubscription = { __typename?: 'Subscription', payoutEvents: { __typename?: 'PayoutEvent', cursor: string, reset: boolean, kind: PayoutEventKind, balance?: { __typename?: 'Money', minorUnits: string, currency: string } | null } };

export type QualityQueryVariables = Exact<{ [key: string]: never; }>;


export type QualityQuery = { __typename?: 'Query', viewer: { __typename?: 'Viewer', expert?: { __typename?: 'Expert', id: string, skills: Array<{ __typename?: 'ExpertSkill', status: SkillStatus, skill?: { __typename?: 'Skill', id: string, name: string } | null }> } | null }, expertQuality?: { __typename?: 'ExpertQuality', calibration?: { __typename?: 'ConfidenceCalibration', stated: number, actual: number, error: number, pairs: number, isUsed: boolean } | null, scores: Array<{ __typename?: 'SkillScore', day: string, mean: number, lower: number, upper: number, results: number, skill?: { __typename?: 'Skill', id: string, name: string } | null, taskType?: { __typename?: 'TaskType', id: string, name: string } | null }>, standings: Array<{ __typename?: 'SkillStanding', phase: StandingPhase, reason?: string | null, since?: string | null, retestFrom?: string | null, skill?: { __typename?: 'Skill', id: string, name: string } | null }>, notices: Array<{ __typename?: 'StandingNotice', at: string, phase: StandingPhase, reason: string, results: number, right: number, skill?: { __typename?: 'Skill', id: string, name: string } | null }> } | null };

export type HistoryQueryVariables = Exact<{
  first: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type HistoryQuery = { __typename?: 'Query', assignments: { __typename?: 'AssignmentConnection', edges: Array<{ __typename?: 'AssignmentEdge', node: { __typename?: 'Assignment', id: string, state: AssignmentState, price: { __typename?: 'Money', minorUnits: string, currency: string }, project?: { __typename?: 'ProjectSummary', name: string } | null, task: { __typename?: 'Task', id: string, externalId?: string | null }, answer?: { __typename?: 'Answer', submittedAt: string, confidence?: number | null, body?: unknown | null } | null } }>, pageInfo: { __typename?: 'PageInfo', endCursor?: string | null, hasNextPage: boolean } } };

export const AmountFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Amount"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Money"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"minorUnits"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}}]} as unknown as DocumentNode<AmountFragment, unknown>;
export const HowFarFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HowFar"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Progress"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tasksTotal"}},{"kind":"Field","name":{"kind":"Name","value":"tasksDone"}},{"kind":"Field","name":{"kind":"Name","value":"tasksOpen"}},{"kind":"Field","name":{"kind":"Name","value":"tasksFlagged"}},{"kind":"Field","name":{"kind":"Name","value":"answersWanted"}},{"kind":"Field","name":{"kind":"Name","value":"answersCounted"}},{"kind":"Field","name":{"kind":"Name","value":"leased"}},{"kind":"Field","name":{"kind":"Name","value":"adjudicationsOpen"}}]}}]} as unknown as DocumentNode<HowFarFragment, unknown>;
export const OutlookFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Outlook"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Forecast"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"confidence"}},{"kind":"Field","name":{"kind":"Name","value":"finishedBatches"}},{"kind":"Field","name":{"kind":"Name","value":"answersPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"remainingAnswers"}},{"kind":"Field","name":{"kind":"Name","value":"expectedDoneAt"}},{"kind":"Field","name":{"kind":"Name","value":"probabilityOnTime"}},{"kind":"Field","name":{"kind":"Name","value":"computedAt"}},{"kind":"Field","name":{"kind":"Name","value":"limits"}},{"kind":"Field","name":{"kind":"Name","value":"quantiles"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"probability"}},{"kind":"Field","name":{"kind":"Name","value":"at"}}]}},{"kind":"Field","name":{"kind":"Name","value":"fixes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dropTasks"}},{"kind":"Field","name":{"kind":"Name","value":"safeDeadline"}},{"kind":"Field","name":{"kind":"Name","value":"expertHours"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hours"}},{"kind":"Field","name":{"kind":"Name","value":"skill"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]} as unknown as DocumentNode<OutlookFragment, unknown>;
export const BatchRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"BatchRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Batch"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"deadline"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"taskCount"}},{"kind":"Field","name":{"kind":"Name","value":"rowsDone"}},{"kind":"Field","name":{"kind":"Name","value":"errorCount"}},{"kind":"Field","name":{"kind":"Name","value":"failure"}},{"kind":"Field","name":{"kind":"Name","value":"progress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"HowFar"}}]}},{"kind":"Field","name":{"kind":"Name","value":"forecast"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Outlook"}}]}},{"kind":"Field","name":{"kind":"Name","value":"burnUp"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"answers"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HowFar"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Progress"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tasksTotal"}},{"kind":"Field","name":{"kind":"Name","value":"tasksDone"}},{"kind":"Field","name":{"kind":"Name","value":"tasksOpen"}},{"kind":"Field","name":{"kind":"Name","value":"tasksFlagged"}},{"kind":"Field","name":{"kind":"Name","value":"answersWanted"}},{"kind":"Field","name":{"kind":"Name","value":"answersCounted"}},{"kind":"Field","name":{"kind":"Name","value":"leased"}},{"kind":"Field","name":{"kind":"Name","value":"adjudicationsOpen"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Outlook"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Forecast"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"confidence"}},{"kind":"Field","name":{"kind":"Name","value":"finishedBatches"}},{"kind":"Field","name":{"kind":"Name","value":"answersPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"remainingAnswers"}},{"kind":"Field","name":{"kind":"Name","value":"expectedDoneAt"}},{"kind":"Field","name":{"kind":"Name","value":"probabilityOnTime"}},{"kind":"Field","name":{"kind":"Name","value":"computedAt"}},{"kind":"Field","name":{"kind":"Name","value":"limits"}},{"kind":"Field","name":{"kind":"Name","value":"quantiles"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"probability"}},{"kind":"Field","name":{"kind":"Name","value":"at"}}]}},{"kind":"Field","name":{"kind":"Name","value":"fixes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dropTasks"}},{"kind":"Field","name":{"kind":"Name","value":"safeDeadline"}},{"kind":"Field","name":{"kind":"Name","value":"expertHours"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hours"}},{"kind":"Field","name":{"kind":"Name","value":"skill"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]} as unknown as DocumentNode<BatchRowFragment, unknown>;
export const ViewerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"tenant"}},{"kind":"Field","name":{"kind":"Name","value":"tokenExpiresAt"}},{"kind":"Field","name":{"kind":"Name","value":"identity"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"expert"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"handle"}}]}},{"kind":"Field","name":{"kind":"Name","value":"customer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<ViewerQuery, ViewerQueryVariables>;
export const ProjectsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Projects"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"projects"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"deadline"}},{"kind":"Field","name":{"kind":"Name","value":"skill"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"progress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"HowFar"}}]}},{"kind":"Field","name":{"kind":"Name","value":"spend"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"forecast"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"confidence"}},{"kind":"Field","name":{"kind":"Name","value":"expectedDoneAt"}},{"kind":"Field","name":{"kind":"Name","value":"probabilityOnTime"}},{"kind":"Field","name":{"kind":"Name","value":"answersPerHour"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HowFar"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Progress"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tasksTotal"}},{"kind":"Field","name":{"kind":"Name","value":"tasksDone"}},{"kind":"Field","name":{"kind":"Name","value":"tasksOpen"}},{"kind":"Field","name":{"kind":"Name","value":"tasksFlagged"}},{"kind":"Field","name":{"kind":"Name","value":"answersWanted"}},{"kind":"Field","name":{"kind":"Name","value":"answersCounted"}},{"kind":"Field","name":{"kind":"Name","value":"leased"}},{"kind":"Field","name":{"kind":"Name","value":"adjudicationsOpen"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Amount"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Money"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"minorUnits"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}}]} as unknown as DocumentNode<ProjectsQuery, ProjectsQueryVariables>;
export const ProjectDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Project"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Project"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"deadline"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"redundancy"}},{"kind":"Field","name":{"kind":"Name","value":"leaseSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"price"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"skill"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"taskType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"progress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"HowFar"}}]}},{"kind":"Field","name":{"kind":"Name","value":"spend"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"budget"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"limit"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reserved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"available"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"stopped"}}]}},{"kind":"Field","name":{"kind":"Name","value":"forecast"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Outlook"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Amount"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Money"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"minorUnits"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HowFar"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Progress"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tasksTotal"}},{"kind":"Field","name":{"kind":"Name","value":"tasksDone"}},{"kind":"Field","name":{"kind":"Name","value":"tasksOpen"}},{"kind":"Field","name":{"kind":"Name","value":"tasksFlagged"}},{"kind":"Field","name":{"kind":"Name","value":"answersWanted"}},{"kind":"Field","name":{"kind":"Name","value":"answersCounted"}},{"kind":"Field","name":{"kind":"Name","value":"leased"}},{"kind":"Field","name":{"kind":"Name","value":"adjudicationsOpen"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Outlook"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Forecast"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"confidence"}},{"kind":"Field","name":{"kind":"Name","value":"finishedBatches"}},{"kind":"Field","name":{"kind":"Name","value":"answersPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"remainingAnswers"}},{"kind":"Field","name":{"kind":"Name","value":"expectedDoneAt"}},{"kind":"Field","name":{"kind":"Name","value":"probabilityOnTime"}},{"kind":"Field","name":{"kind":"Name","value":"computedAt"}},{"kind":"Field","name":{"kind":"Name","value":"limits"}},{"kind":"Field","name":{"kind":"Name","value":"quantiles"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"probability"}},{"kind":"Field","name":{"kind":"Name","value":"at"}}]}},{"kind":"Field","name":{"kind":"Name","value":"fixes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dropTasks"}},{"kind":"Field","name":{"kind":"Name","value":"safeDeadline"}},{"kind":"Field","name":{"kind":"Name","value":"expertHours"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hours"}},{"kind":"Field","name":{"kind":"Name","value":"skill"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ProjectQuery, ProjectQueryVariables>;
export const BatchesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Batches"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"projectId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"projectId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Project"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"batches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"BatchRow"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HowFar"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Progress"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tasksTotal"}},{"kind":"Field","name":{"kind":"Name","value":"tasksDone"}},{"kind":"Field","name":{"kind":"Name","value":"tasksOpen"}},{"kind":"Field","name":{"kind":"Name","value":"tasksFlagged"}},{"kind":"Field","name":{"kind":"Name","value":"answersWanted"}},{"kind":"Field","name":{"kind":"Name","value":"answersCounted"}},{"kind":"Field","name":{"kind":"Name","value":"leased"}},{"kind":"Field","name":{"kind":"Name","value":"adjudicationsOpen"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Outlook"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Forecast"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"confidence"}},{"kind":"Field","name":{"kind":"Name","value":"finishedBatches"}},{"kind":"Field","name":{"kind":"Name","value":"answersPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"remainingAnswers"}},{"kind":"Field","name":{"kind":"Name","value":"expectedDoneAt"}},{"kind":"Field","name":{"kind":"Name","value":"probabilityOnTime"}},{"kind":"Field","name":{"kind":"Name","value":"computedAt"}},{"kind":"Field","name":{"kind":"Name","value":"limits"}},{"kind":"Field","name":{"kind":"Name","value":"quantiles"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"probability"}},{"kind":"Field","name":{"kind":"Name","value":"at"}}]}},{"kind":"Field","name":{"kind":"Name","value":"fixes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dropTasks"}},{"kind":"Field","name":{"kind":"Name","value":"safeDeadline"}},{"kind":"Field","name":{"kind":"Name","value":"expertHours"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hours"}},{"kind":"Field","name":{"kind":"Name","value":"skill"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"BatchRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Batch"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"deadline"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"taskCount"}},{"kind":"Field","name":{"kind":"Name","value":"rowsDone"}},{"kind":"Field","name":{"kind":"Name","value":"errorCount"}},{"kind":"Field","name":{"kind":"Name","value":"failure"}},{"kind":"Field","name":{"kind":"Name","value":"progress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"HowFar"}}]}},{"kind":"Field","name":{"kind":"Name","value":"forecast"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Outlook"}}]}},{"kind":"Field","name":{"kind":"Name","value":"burnUp"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"answers"}}]}}]}}]} as unknown as DocumentNode<BatchesQuery, BatchesQueryVariables>;
export const BatchErrorsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"BatchErrors"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"batchId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"batchId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"InlineFragment","typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Batch"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"failure"}},{"kind":"Field","name":{"kind":"Name","value":"rowsDone"}},{"kind":"Field","name":{"kind":"Name","value":"taskCount"}},{"kind":"Field","name":{"kind":"Name","value":"errorCount"}},{"kind":"Field","name":{"kind":"Name","value":"errors"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"line"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<BatchErrorsQuery, BatchErrorsQueryVariables>;
export const HowGoodDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"HowGood"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"projectId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"projectQuality"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"projectId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"projectId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"adjudicationsDone"}},{"kind":"Field","name":{"kind":"Name","value":"adjudicationsOpened"}},{"kind":"Field","name":{"kind":"Name","value":"dimensions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dimension"}},{"kind":"Field","name":{"kind":"Name","value":"alpha"}},{"kind":"Field","name":{"kind":"Name","value":"stated"}},{"kind":"Field","name":{"kind":"Name","value":"statedTasks"}},{"kind":"Field","name":{"kind":"Name","value":"tasks"}}]}}]}}]}}]} as unknown as DocumentNode<HowGoodQuery, HowGoodQueryVariables>;
export const ProgressingDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"Progressing"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"projectId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"projectProgress"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"projectId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"projectId"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"reset"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"spent"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"progress"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"HowFar"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Amount"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Money"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"minorUnits"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"HowFar"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Progress"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tasksTotal"}},{"kind":"Field","name":{"kind":"Name","value":"tasksDone"}},{"kind":"Field","name":{"kind":"Name","value":"tasksOpen"}},{"kind":"Field","name":{"kind":"Name","value":"tasksFlagged"}},{"kind":"Field","name":{"kind":"Name","value":"answersWanted"}},{"kind":"Field","name":{"kind":"Name","value":"answersCounted"}},{"kind":"Field","name":{"kind":"Name","value":"leased"}},{"kind":"Field","name":{"kind":"Name","value":"adjudicationsOpen"}}]}}]} as unknown as DocumentNode<ProgressingSubscription, ProgressingSubscriptionVariables>;
export const ForecastingDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"Forecasting"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"projectId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"forecast"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"projectId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"projectId"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"reset"}},{"kind":"Field","name":{"kind":"Name","value":"project"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Outlook"}}]}},{"kind":"Field","name":{"kind":"Name","value":"batches"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"batchId"}},{"kind":"Field","name":{"kind":"Name","value":"deadline"}},{"kind":"Field","name":{"kind":"Name","value":"forecast"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"Outlook"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Outlook"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Forecast"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"confidence"}},{"kind":"Field","name":{"kind":"Name","value":"finishedBatches"}},{"kind":"Field","name":{"kind":"Name","value":"answersPerHour"}},{"kind":"Field","name":{"kind":"Name","value":"remainingAnswers"}},{"kind":"Field","name":{"kind":"Name","value":"expectedDoneAt"}},{"kind":"Field","name":{"kind":"Name","value":"probabilityOnTime"}},{"kind":"Field","name":{"kind":"Name","value":"computedAt"}},{"kind":"Field","name":{"kind":"Name","value":"limits"}},{"kind":"Field","name":{"kind":"Name","value":"quantiles"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"probability"}},{"kind":"Field","name":{"kind":"Name","value":"at"}}]}},{"kind":"Field","name":{"kind":"Name","value":"fixes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"dropTasks"}},{"kind":"Field","name":{"kind":"Name","value":"safeDeadline"}},{"kind":"Field","name":{"kind":"Name","value":"expertHours"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hours"}},{"kind":"Field","name":{"kind":"Name","value":"skill"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]} as unknown as DocumentNode<ForecastingSubscription, ForecastingSubscriptionVariables>;
export const EarningsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Earnings"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"statement"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"balances"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"minorUnits"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"lines"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"amount"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"minorUnits"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"assignment"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"project"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"task"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"externalId"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]}}]} as unknown as DocumentNode<EarningsQuery, EarningsQueryVariables>;
export const BookedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"Booked"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"payoutEvents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cursor"}},{"kind":"Field","name":{"kind":"Name","value":"reset"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"balance"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"minorUnits"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}}]}}]}}]} as unknown as DocumentNode<BookedSubscription, BookedSubscriptionVariables>;
export const QualityDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Quality"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"expert"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"skills"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"skill"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"expertQuality"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"calibration"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"stated"}},{"kind":"Field","name":{"kind":"Name","value":"actual"}},{"kind":"Field","name":{"kind":"Name","value":"error"}},{"kind":"Field","name":{"kind":"Name","value":"pairs"}},{"kind":"Field","name":{"kind":"Name","value":"isUsed"}}]}},{"kind":"Field","name":{"kind":"Name","value":"scores"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"day"}},{"kind":"Field","name":{"kind":"Name","value":"mean"}},{"kind":"Field","name":{"kind":"Name","value":"lower"}},{"kind":"Field","name":{"kind":"Name","value":"upper"}},{"kind":"Field","name":{"kind":"Name","value":"results"}},{"kind":"Field","name":{"kind":"Name","value":"skill"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"taskType"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"standings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"phase"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"since"}},{"kind":"Field","name":{"kind":"Name","value":"retestFrom"}},{"kind":"Field","name":{"kind":"Name","value":"skill"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"notices"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"phase"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"results"}},{"kind":"Field","name":{"kind":"Name","value":"right"}},{"kind":"Field","name":{"kind":"Name","value":"skill"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]}}]} as unknown as DocumentNode<QualityQuery, QualityQueryVariables>;
export const HistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"History"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"assignments"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"edges"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"node"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"price"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"minorUnits"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}}]}},{"kind":"Field","name":{"kind":"Name","value":"project"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"task"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"externalId"}}]}},{"kind":"Field","name":{"kind":"Name","value":"answer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"submittedAt"}},{"kind":"Field","name":{"kind":"Name","value":"confidence"}},{"kind":"Field","name":{"kind":"Name","value":"body"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]} as unknown as DocumentNode<HistoryQuery, HistoryQueryVariables>;