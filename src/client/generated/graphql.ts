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
  /** A whole number of 64 bits, as a string of digits; a plain number is accepted too. */
  BigInt: { input: string; output: string; }
  /** An ISO 4217 code: three capital letters, such as "EUR". */
  CurrencyCode: { input: string; output: string; }
  /** An instant: ISO 8601 with date, time and zone; answers are in UTC with milliseconds, such as "2027-01-31T09:30:00.000Z". */
  DateTime: { input: string; output: string; }
  /** Any JSON value, nested at most 64 deep. */
  JSON: { input: unknown; output: unknown; }
};

/** What `acceptOffer` needs. */
export type AcceptOfferInput = {
  /** Which offer. */
  offerId: Scalars['ID']['input'];
};

/** What `acknowledgeAlert` needs. */
export type AcknowledgeAlertInput = {
  /** Which alert. */
  alertId: Scalars['ID']['input'];
  /** What is done about it; 1 to 500 characters, kept. */
  note?: InputMaybe<Scalars['String']['input']>;
};

/** What can go on. */
export type ActivityKind =
  /** An expert took a task. */
  | 'CLAIM'
  /** A lease ended unanswered. */
  | 'EXPIRY'
  /** An answer to gold was looked at. */
  | 'GOLD_RESULT'
  /** An amount was booked for an expert. */
  | 'PAYOUT'
  /** An answer came in. */
  | 'SUBMIT';

/** What `addConflict` needs. */
export type AddConflictInput = {
  /** Whose work they must not see. */
  customerId: Scalars['ID']['input'];
  /** Who. */
  expertId: Scalars['ID']['input'];
  /** Why; 1 to 500 characters, for operators only. */
  reason: Scalars['String']['input'];
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
  /** Jobs that nobody has are due soon (`alertDueSoonSeconds`); ends when none is. */
  | 'JOBS_DUE_SOON'
  /** Whoever accepted a job has not come; ends when they check in, or it is reassigned or cancelled. */
  | 'JOB_NO_SHOW'
  /** Nobody can be sent to a job; ends when somebody is, or it is cancelled. */
  | 'JOB_UNASSIGNED'
  /** A hundred leases or more ended unanswered within a minute; ends five minutes after the last such minute. */
  | 'LEASES_LAPSED'
  /** Many offers of a quarter of an hour ended unanswered (`alertExpiredShare`); ends below `alertCalmShare`. */
  | 'OFFERS_EXPIRING'
  /** Somebody is tested anew, and nothing of theirs was graded for a week; ends with a grading or the test. */
  | 'RETEST_STALLED'
  /** Many offers of ten minutes rest on estimates (`alertGuessedShare`), and a road router was there within a week; ends below `alertCalmShare`. */
  | 'ROUTES_GUESSED'
  /** Eight hours of work or more wait for each expert who is there; ends below six. */
  | 'SKILL_SHORT'
  /** Work waits and no expert qualifies for any of it; ends with the work, or with one who does. */
  | 'SKILL_STARVED'
  /** The webhook has failed for a quarter of an hour; ends with the first delivery that succeeds. */
  | 'WEBHOOK_FAILING'
  /** Nobody came in time in a window of late (`alertMissedSeconds`); ends so long after the last one. */
  | 'WINDOWS_MISSED'
  /** Many workers on shift have said nothing for a while (`alertSilentShare`); ends below `alertCalmShare`. */
  | 'WORKERS_SILENT';

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

/** What `assignJob` needs. */
export type AssignJobInput = {
  /** Which job. */
  jobId: Scalars['ID']['input'];
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

/** What `cancelJob` needs. */
export type CancelJobInput = {
  /** Which job. */
  jobId: Scalars['ID']['input'];
  /** Why, 1 to 500 characters. */
  reason: Scalars['String']['input'];
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

/** What `checkIn` needs. */
export type CheckInInput = {
  /** The six digits that the customer has. */
  code: Scalars['String']['input'];
  /** Which job. */
  jobId: Scalars['ID']['input'];
};

/** What `claimTask` needs. */
export type ClaimTaskInput = {
  /** Only work of this skill (default: any of yours). */
  skillId?: InputMaybe<Scalars['ID']['input']>;
};

/** What `completeJob` needs. */
export type CompleteJobInput = {
  /** Which job. */
  jobId: Scalars['ID']['input'];
  /** What proves that it was done, 1 to 5. */
  proofs: Array<ProofInput>;
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

/** What `createGold` needs. */
export type CreateGoldInput = {
  /** The gold. */
  gold: NewGoldInput;
  /** It is used in this project only. */
  projectId: Scalars['ID']['input'];
};

/** What `createJob` needs. */
export type CreateJobInput = {
  /** Whose it is: staff must say, a customer’s are its own. */
  customerId?: InputMaybe<Scalars['ID']['input']>;
  /** By when somebody is to be there. */
  dueBy: Scalars['DateTime']['input'];
  /** How long it takes, 60 to 86400. */
  durationSeconds: Scalars['Int']['input'];
  /** Of your making, 1 to 200 characters: the same key with the same content answers the first job again. */
  idempotencyKey: Scalars['ID']['input'];
  /** When somebody is wanted. */
  kind: JobKind;
  /** Proven quality that is asked for in each skill, 0 to 1 (default 0). */
  minQuality?: InputMaybe<Scalars['Float']['input']>;
  /** When it may begin (default: now); a scheduled job must say. */
  notBefore?: InputMaybe<Scalars['DateTime']['input']>;
  /** Where it is. */
  place: PlaceInput;
  /** 1 to 10 (default 5): how much an early arrival weighs, and what may be preempted. */
  priority?: InputMaybe<Scalars['Int']['input']>;
  /** What who comes has to be able to do, all of it; at most 20. */
  skillIds: Array<Scalars['ID']['input']>;
  /** What sort of work, 1 to 200 characters. */
  type: Scalars['String']['input'];
};

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

/** What `createSkill` needs. */
export type CreateSkillInput = {
  /** Unique inside the tenant; 1 to 200 characters. */
  name: Scalars['String']['input'];
};

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

/** What `declineOffer` needs. */
export type DeclineOfferInput = {
  /** Which offer. */
  offerId: Scalars['ID']['input'];
};

/** What `disableWebhook` needs. */
export type DisableWebhookInput = {
  /** Why; 1 to 500 characters, shown with the webhook. */
  reason: Scalars['String']['input'];
};

/** What `dismissFinding` needs. */
export type DismissFindingInput = {
  /** The finding. */
  findingId: Scalars['ID']['input'];
  /** Why it means nothing; 1 to 500 characters, kept. */
  reason: Scalars['String']['input'];
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

/** How far an expected arrival can be trusted. */
export type EtaConfidence =
  /** A road router told it. */
  | 'HIGH'
  /** It was reckoned without a router. */
  | 'LOW'
  /** Somebody decided, whatever it is. */
  | 'MANUAL';

/** Whether an expert may be given work at all. */
export type ExpertStatus =
  /** May be given work of their skills. */
  | 'ACTIVE'
  /** Is given nothing; what they hold may still be submitted, but is not extended. */
  | 'PAUSED';

/** What `exportTrace` needs. */
export type ExportTraceInput = {
  /** Of which job. */
  jobId: Scalars['ID']['input'];
  /** What it is needed for, 10 to 500 characters. The worker reads it. */
  reason: Scalars['String']['input'];
};

/** Experts that are not there yet, and can do the work. */
export type ExtraExpertsInput = {
  /** How many; at most 1,000 in all. */
  count: Scalars['Int']['input'];
  /** Hours that each works in a week, above 0; by default as those there are, by the median. */
  hoursPerWeek?: InputMaybe<Scalars['Float']['input']>;
};

/** What was decided about a finding. */
export type FindingDecisionKind =
  /** It means nothing; it is not told again. */
  | 'DISMISSED'
  /** An expert was paused because of it. */
  | 'PAUSED';

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

/** How much a forecast is worth. */
export type ForecastConfidence =
  /** Learned from twenty finished batches or more. */
  | 'HIGH'
  /** From too few finished batches, or of too few experts (one or two who can do it): wide. */
  | 'LOW'
  /** Learned from five finished batches or more. */
  | 'MEDIUM';

/** What is to be otherwise than it is. Nothing is changed: it is only asked what would become of it. */
export type ForecastWith = {
  /** Another deadline. */
  deadline?: InputMaybe<Scalars['DateTime']['input']>;
  /** Open tasks less, of a project’s batches alike; fewer than there are. Who adjudicates decides of tasks: those decisions are none. */
  dropTasks?: InputMaybe<Scalars['Int']['input']>;
  /** Experts more; at most 20 kinds. */
  extraExperts?: InputMaybe<Array<ExtraExpertsInput>>;
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

/** What of a gold, that experts see, is like none of its project’s tasks. */
export type GoldAside =
  /** The media type. */
  | 'CONTENT_TYPE'
  /** `externalId`: it has none, or tasks have none. */
  | 'NAME'
  /** Its payload is less than half as long as any task’s, or more than twice. */
  | 'SIZE';

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

/** What `importGold` needs. */
export type ImportGoldInput = {
  /** The golds, 1 to 1,000. */
  golds: Array<NewGoldInput>;
  /** They are used in this project only. */
  projectId: Scalars['ID']['input'];
};

/** When somebody is wanted. */
export type JobKind =
  /** Now: who was just seen nearby is asked. */
  | 'ON_DEMAND'
  /** In a window that is to come: given out a day before, from home. */
  | 'SCHEDULED';

/** Where a job stands. */
export type JobState =
  /** Somebody will come. */
  | 'ACCEPTED'
  /** It was cancelled. */
  | 'CANCELLED'
  /** It was done. */
  | 'DONE'
  /** They are there. */
  | 'IN_PROGRESS'
  /** Somebody has an offer of it. */
  | 'OFFERED'
  /** Somebody is looked for, or will be. */
  | 'OPEN'
  /** Nobody can come, as far as is known; it is tried again. */
  | 'UNASSIGNED_ALERT';

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

/** Why a dimension is judged as it is. */
export type MethodReason =
  /** It does best on the project’s gold, or nothing does better. */
  | 'CHOSEN_ON_GOLD'
  /** The default: the task type declares no classes and no tolerance. */
  | 'NOTHING_TO_CHOOSE'
  /** The default: nothing was looked at yet, for no gold was answered, or not since the last look, which comes every ten minutes. Nothing is calibrated. */
  | 'NOT_LOOKED_YET'
  /** The default: fewer than 10 tasks of known truth were answered, gold that was minted left out, or fewer than 50 items as large as a task. Nothing is calibrated. */
  | 'TOO_LITTLE_GOLD';

/** An amount of money. */
export type MoneyInput = {
  /** The currency of the amount. */
  currency: Scalars['CurrencyCode']['input'];
  /** In the smallest unit of the currency. */
  minorUnits: Scalars['BigInt']['input'];
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

/** What became of an offer. */
export type OfferState =
  /** It was accepted; the worker goes there, or is there. */
  | 'ACCEPTED'
  /** The worker declined. */
  | 'DECLINED'
  /** The job was done. */
  | 'DONE'
  /** It ended unanswered. */
  | 'EXPIRED'
  /** It can be accepted or declined until it ends. */
  | 'LIVE'
  /** A job of higher priority took its place. */
  | 'PREEMPTED'
  /** The job was taken from the worker after they had accepted. */
  | 'REASSIGNED'
  /** It was taken back: the job was cancelled, or given by hand. */
  | 'WITHDRAWN';

/** What `overrideAssignment` needs. */
export type OverrideAssignmentInput = {
  /** Which job. */
  jobId: Scalars['ID']['input'];
  /** Take from them jobs of lower priority that they have at that time and are not at yet; those are assigned anew. */
  preempt?: InputMaybe<Scalars['Boolean']['input']>;
  /** Why, 1 to 500 characters. */
  reason: Scalars['String']['input'];
  /** Who is sent there. */
  workerId: Scalars['ID']['input'];
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

/** A point on earth (WGS 84). */
export type PlaceInput = {
  /** In degrees, -90 to 90. */
  latitude: Scalars['Float']['input'];
  /** In degrees, -180 to 180. */
  longitude: Scalars['Float']['input'];
};

/** No rule: tasks that are added get so many answers and are done with them, whatever they say. */
export type PlainRedundancyInput = {
  /** 1 to 100. */
  answers: Scalars['Int']['input'];
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

/** Whether a project gives out work. */
export type ProjectState =
  /** Nothing of it can be claimed any more; what was submitted is paid. */
  | 'CANCELLED'
  /** Its tasks can be claimed. */
  | 'RUNNING';

/** What proves that work was done, such as a photo or a signature. */
export type ProofInput = {
  /** Its bytes in base64, at most 262144 before that. */
  contentBase64: Scalars['String']['input'];
  /** Its media type, such as image/jpeg. */
  contentType: Scalars['String']['input'];
};

/** What can be heard of quality. */
export type QualityEventKind =
  /** A task goes to a further, stronger expert. */
  | 'ADJUDICATION'
  /** Somebody may take them again, or none waits. */
  | 'ADJUDICATIONS_GO_ON'
  /** Adjudications of a project wait: no expert may take them. */
  | 'ADJUDICATIONS_WAIT'
  /** It does so no longer. */
  | 'BAR_REACHED'
  /** All that there is to do in a skill asks for more than an expert is taken for, as is in effect; at the start, where it is so. They need do nothing but come back: see `ExpertQuality.belowBars`. */
  | 'BELOW_BAR'
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

/** What `reassignJob` needs. */
export type ReassignJobInput = {
  /** Which job. */
  jobId: Scalars['ID']['input'];
  /** Why, 1 to 500 characters. */
  reason: Scalars['String']['input'];
};

/** What `rebalanceSkill` needs. */
export type RebalanceSkillInput = {
  /** Which skill. */
  skillId: Scalars['ID']['input'];
};

/** What `reclaimAssignment` needs. */
export type ReclaimAssignmentInput = {
  /** What you held. */
  assignmentId: Scalars['ID']['input'];
};

/** What `releaseAssignment` needs. */
export type ReleaseAssignmentInput = {
  /** What you hold. */
  assignmentId: Scalars['ID']['input'];
  /** The epoch of its lease. */
  leaseEpoch: Scalars['Int']['input'];
};

/** What `removeConflict` needs. */
export type RemoveConflictInput = {
  /** Whose work they may see again. */
  customerId: Scalars['ID']['input'];
  /** Who. */
  expertId: Scalars['ID']['input'];
};

/** What `replayWebhook` needs: exactly one of these. */
export type ReplayWebhookInput = {
  /** All after this one. */
  afterDeliveryId?: InputMaybe<Scalars['ID']['input']>;
  /** This one. */
  deliveryId?: InputMaybe<Scalars['ID']['input']>;
  /** All of what happened from then on. */
  since?: InputMaybe<Scalars['DateTime']['input']>;
};

/** What `resumeExpert` needs. */
export type ResumeExpertInput = {
  /** Who. */
  expertId: Scalars['ID']['input'];
  /** Why; 1 to 500 characters. The expert reads it: name no gold. */
  reason: Scalars['String']['input'];
  /** The skill whose pause ends (default: the pause of all work; pauses of skills stay). */
  skillId?: InputMaybe<Scalars['ID']['input']>;
};

/** What `retireGold` needs. */
export type RetireGoldInput = {
  /** Why; 1 to 500 characters, kept. */
  reason: Scalars['String']['input'];
  /** The gold’s task. */
  taskId: Scalars['ID']['input'];
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

/** What `setBudget` needs. */
export type SetBudgetInput = {
  /** In minor units of the project’s currency; null: as much as it takes. Has to be said, null too. */
  budget?: InputMaybe<Scalars['BigInt']['input']>;
  /** Which project. */
  projectId: Scalars['ID']['input'];
};

/** What `setDispatchSettings` changes; what is left out stays as it is. */
export type SetDispatchSettingsInput = {
  /** 0 to 1, no more than each of the three (at first 0.3). */
  alertCalmShare?: InputMaybe<Scalars['Float']['input']>;
  /** 60 to 86400 (at first 1800). */
  alertDueSoonSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** 1 to 100000 (at first 20). */
  alertExpiredLeast?: InputMaybe<Scalars['Int']['input']>;
  /** 0.01 to 1 (at first 0.5). */
  alertExpiredShare?: InputMaybe<Scalars['Float']['input']>;
  /** 1 to 100000 (at first 10). */
  alertGuessedLeast?: InputMaybe<Scalars['Int']['input']>;
  /** 0.01 to 1 (at first 0.5). */
  alertGuessedShare?: InputMaybe<Scalars['Float']['input']>;
  /** 60 to 86400 (at first 3600). */
  alertMissedSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** 1 to 100000 (at first 10). */
  alertSilentLeast?: InputMaybe<Scalars['Int']['input']>;
  /** 90 to 900 (at first 90). */
  alertSilentSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** 0.01 to 1 (at first 0.5). */
  alertSilentShare?: InputMaybe<Scalars['Float']['input']>;
  /** 0 to 86400 (at first 600). */
  cooldownSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** 0 to 1000 (at first 1). */
  etaWeight?: InputMaybe<Scalars['Float']['input']>;
  /** 0 to 1000 (at first 2). */
  fairnessWeight?: InputMaybe<Scalars['Float']['input']>;
  /** 60 to 86400 (at first 900). */
  laterOfferSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** 60 to 86400 (at first 900). */
  noShowSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** 5 to 600 (at first 20). */
  offerSeconds?: InputMaybe<Scalars['Int']['input']>;
  /** 500 to 50000 (at first 25000). */
  searchMetres?: InputMaybe<Scalars['Int']['input']>;
  /** 0 to 1000 (at first 0.1). */
  slackWeight?: InputMaybe<Scalars['Float']['input']>;
  /** A name of the IANA database. */
  timeZone?: InputMaybe<Scalars['String']['input']>;
};

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

/** What `setExpertStatus` needs. */
export type SetExpertStatusInput = {
  /** Which expert. */
  expertId: Scalars['ID']['input'];
  /** Whether work may be given at all. */
  status: ExpertStatus;
};

/** What `setExplorationShare` needs. */
export type SetExplorationShareInput = {
  /** 0 to 0.5; null: the default, 0.1. Has to be said, null too. */
  share?: InputMaybe<Scalars['Float']['input']>;
  /** Which skill. */
  skillId: Scalars['ID']['input'];
};

/** What `setLease` needs. */
export type SetLeaseInput = {
  /** How long one lease is, 60 to 28800. */
  leaseSeconds: Scalars['Int']['input'];
  /** Which project. */
  projectId: Scalars['ID']['input'];
};

/** What `setRedundancy` changes: the rule by one of `fixed`, `agree`, `posterior`, `plain`; without them it stays as it was, and only `isCritical`, `firstGoldMax` or `auditShare` change. */
export type SetRedundancyInput = {
  /** Until some agree. */
  agree?: InputMaybe<AgreeRedundancyInput>;
  /** The share of finished tasks that go to a stronger expert all the same, drawn whatever their answers say: adjudications, which you pay for as for others. Those whose answers are at odds go in any case, and count as drawn if they are. How sure results are is held to what they say, from fifty decided ones on to that alone. 0 to 0.2, at first 0; under a redundancy policy only. By default as before. */
  auditShare?: InputMaybe<Scalars['Float']['input']>;
  /** While the project has no gold, at most so many of its first tasks are drawn to go to a stronger expert when they are done, to make the first: adjudications, which you pay for as for others. 0 to 20, at first 20; 0: none, and gold is made by hand or from unanimous tasks. By default as before. */
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

/** What `setRiskPolicy` changes; what is left out stays as it is. */
export type SetRiskPolicyInput = {
  /** How many times its weight the project is to count while a batch of it is at risk: more than 1, at most 8; null: it is not lifted. For operators, for it is at the cost of the others. */
  lift?: InputMaybe<Scalars['Float']['input']>;
  /** Which project. */
  projectId: Scalars['ID']['input'];
  /** A batch is at risk while its chance is below this: .5 to .99; .8 where nobody said otherwise. */
  threshold?: InputMaybe<Scalars['Float']['input']>;
};

/** What `setSkillPreference` needs. */
export type SetSkillPreferenceInput = {
  /** How you like it. */
  preference: SkillPreference;
  /** Which of your skills. */
  skillId: Scalars['ID']['input'];
};

/** What `setWebhook` needs. */
export type SetWebhookInput = {
  /** Where it goes: https, at an address of the public internet; on development also http on this machine. */
  url: Scalars['String']['input'];
};

/** What `setWorker` needs: the whole of it each time. */
export type SetWorkerInput = {
  /** Whether they are asked at all (default: yes). */
  active?: InputMaybe<Scalars['Boolean']['input']>;
  /** Jobs that they may have at the same time, 1 to 10 (default 1). */
  capacity?: InputMaybe<Scalars['Int']['input']>;
  /** Which expert. */
  expertId: Scalars['ID']['input'];
  /** From where they set out. */
  home: PlaceInput;
  /** The 3 to 200 corners of where they work; left out: they go wherever they are sent, and have said so. */
  serviceArea?: InputMaybe<Array<PlaceInput>>;
  /** Days on which a shift begins: 1 is Monday. */
  shiftDays: Array<Scalars['Int']['input']>;
  /** HH:MM; not later than the start: on the day after. */
  shiftEnd: Scalars['String']['input'];
  /** HH:MM by the clocks of the tenant’s time zone. */
  shiftStart: Scalars['String']['input'];
};

/** How an expert likes work of a skill. It weighs where there is a choice, and never refuses work. */
export type SkillPreference =
  /** Rather others; still given where it is pressing, or nothing else waits. */
  | 'AVOID'
  /** Like any other. */
  | 'NEUTRAL'
  /** Rather this than others. */
  | 'PREFER';

/** Whether an expert may be given work of one skill. */
export type SkillStatus =
  /** Works in this skill. */
  | 'ACTIVE'
  /** Is given no work of this skill. */
  | 'PAUSED'
  /** Is being measured: works like ACTIVE, within the quality that is proven or a recorded exception. */
  | 'PROBATION';

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

/** What `suspendGold` needs. */
export type SuspendGoldInput = {
  /** Why; 1 to 500 characters, kept. */
  reason: Scalars['String']['input'];
  /** The gold’s task. */
  taskId: Scalars['ID']['input'];
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

/** What became of a delivery. */
export type WebhookDeliveryState =
  /** It was tried for three days in vain; `replayWebhook` tries again. */
  | 'DEAD'
  /** The receiver has answered 2xx. */
  | 'DELIVERED'
  /** It waits, or is tried again. */
  | 'PENDING';

/** Whether a webhook is sent to. */
export type WebhookState =
  /** It is not; what happens is kept, and sent when it is set again. */
  | 'DISABLED'
  /** It is sent to. */
  | 'ENABLED';

export type DeskAssignmentFragment = { __typename?: 'Assignment', id: string, payloadUrl?: string | null, project?: { __typename?: 'ProjectSummary', name: string } | null, taskType?: { __typename?: 'TaskType', id: string } | null, routing?: { __typename?: 'AssignmentRouting', explanation: string } | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body?: unknown | null, savedAt: string } | null };

export type CurrentForDeskQueryVariables = Exact<{ [key: string]: never; }>;


export type CurrentForDeskQuery = { __typename?: 'Query', currentAssignment?: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, project?: { __typename?: 'ProjectSummary', name: string } | null, taskType?: { __typename?: 'TaskType', id: string } | null, routing?: { __typename?: 'AssignmentRouting', explanation: string } | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body?: unknown | null, savedAt: string } | null } | null };

export type ClaimForDeskMutationVariables = Exact<{
  input: ClaimTaskInput;
}>;


export type ClaimForDeskMutation = { __typename?: 'Mutation', claimTask?: { __typename: 'ClaimTaskPayload', assignment?: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, project?: { __typename?: 'ProjectSummary', name: string } | null, taskType?: { __typename?: 'TaskType', id: string } | null, routing?: { __typename?: 'AssignmentRouting', explanation: string } | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body?: unknown | null, savedAt: string } | null } | null, empty?: { __typename?: 'EmptyQueue', reason: EmptyReason, message: string, retryAfterSeconds: number } | null } | { __typename: 'NotFoundError', code: string, message: string } | null };

export type SubmitForDeskMutationVariables = Exact<{
  input: SubmitInput;
}>;


export type SubmitForDeskMutation = { __typename?: 'Mutation', submit?: { __typename: 'AlreadyFlaggedError', code: string, message: string } | { __typename: 'AlreadySubmittedError', code: string, message: string } | { __typename: 'AnswerInvalidError', code: string, message: string, issues: Array<{ __typename?: 'Issue', path: string, message: string }> } | { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'LeaseExpiredError', reclaimable: boolean, code: string, message: string } | { __typename: 'LeaseWithdrawnError', code: string, message: string } | { __typename: 'ProjectCancelledError', code: string, message: string } | { __typename: 'StaleLeaseError', currentEpoch: number, code: string, message: string } | { __typename: 'SubmitPayload', receipt: { __typename?: 'Receipt', assignmentId: string, digest: string, submittedAt: string, price: { __typename?: 'Money', minorUnits: string, currency: string } }, next?: { __typename?: 'ClaimTaskPayload', assignment?: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, project?: { __typename?: 'ProjectSummary', name: string } | null, taskType?: { __typename?: 'TaskType', id: string } | null, routing?: { __typename?: 'AssignmentRouting', explanation: string } | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body?: unknown | null, savedAt: string } | null } | null, empty?: { __typename?: 'EmptyQueue', reason: EmptyReason, message: string, retryAfterSeconds: number } | null } | null } | null };

export type ReclaimForDeskMutationVariables = Exact<{
  input: ReclaimAssignmentInput;
}>;


export type ReclaimForDeskMutation = { __typename?: 'Mutation', reclaimAssignment?: { __typename: 'AlreadyFlaggedError', code: string, message: string } | { __typename: 'AlreadySubmittedError', code: string, message: string } | { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'HoldsAnotherError', heldAssignmentId: string, code: string, message: string } | { __typename: 'NotQualifiedError', code: string, message: string } | { __typename: 'ProjectCancelledError', code: string, message: string } | { __typename: 'ReclaimAssignmentPayload', assignment: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, project?: { __typename?: 'ProjectSummary', name: string } | null, taskType?: { __typename?: 'TaskType', id: string } | null, routing?: { __typename?: 'AssignmentRouting', explanation: string } | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body?: unknown | null, savedAt: string } | null } } | { __typename: 'SlotTakenError', code: string, message: string } | null };

export type TaskTypeForDeskQueryVariables = Exact<{
  id: Scalars['ID']['input'];
}>;


export type TaskTypeForDeskQuery = { __typename?: 'Query', node?: { __typename: 'AccessLogEntry' } | { __typename: 'Assignment' } | { __typename: 'Batch' } | { __typename: 'Customer' } | { __typename: 'Expert' } | { __typename: 'Identity' } | { __typename: 'Job' } | { __typename: 'Offer' } | { __typename: 'Payout' } | { __typename: 'Project' } | { __typename: 'Skill' } | { __typename: 'Task' } | { __typename: 'TaskType', id: string, name: string, kind: TaskTypeKind, instructions: string, definition?: unknown | null } | null };

export type KeptForDeskQueryVariables = Exact<{
  ids: Array<Scalars['ID']['input']> | Scalars['ID']['input'];
}>;


export type KeptForDeskQuery = { __typename?: 'Query', nodes: Array<{ __typename: 'AccessLogEntry' } | { __typename: 'Assignment', id: string, state: AssignmentState, draft?: { __typename?: 'Draft', body?: unknown | null } | null } | { __typename: 'Batch' } | { __typename: 'Customer' } | { __typename: 'Expert' } | { __typename: 'Identity' } | { __typename: 'Job' } | { __typename: 'Offer' } | { __typename: 'Payout' } | { __typename: 'Project' } | { __typename: 'Skill' } | { __typename: 'Task' } | { __typename: 'TaskType' } | null> };

export type CreateProjectMutationVariables = Exact<{
  input: CreateProjectInput;
}>;


export type CreateProjectMutation = { __typename?: 'Mutation', createProject?: { __typename: 'CreateProjectPayload', project?: { __typename?: 'Project', id: string, name: string, state: ProjectState } | null } | { __typename: 'IdempotencyConflictError', code: string, message: string } | { __typename: 'InputInvalidError', code: string, message: string, issues: Array<{ __typename?: 'Issue', path: string, message: string }> } | { __typename: 'NotFoundError', code: string, message: string } | null };

export type CreateBatchMutationVariables = Exact<{
  input: CreateBatchInput;
}>;


export type CreateBatchMutation = { __typename?: 'Mutation', createBatch?: { __typename: 'BudgetExceededError', code: string, message: string } | { __typename: 'CreateBatchPayload', batch?: { __typename?: 'Batch', id: string, name: string, state: BatchState } | null } | { __typename: 'IdempotencyConflictError', code: string, message: string } | { __typename: 'InputInvalidError', code: string, message: string, issues: Array<{ __typename?: 'Issue', path: string, message: string }> } | { __typename: 'NotFoundError', code: string, message: string } | { __typename: 'ProjectNotRunningError', code: string, message: string } | null };

export type SetLeaseMutationVariables = Exact<{
  input: SetLeaseInput;
}>;


export type SetLeaseMutation = { __typename?: 'Mutation', setLease?: { __typename: 'InputInvalidError', code: string, message: string } | { __typename: 'NotFoundError', code: string, message: string } | { __typename: 'SetLeasePayload', project?: { __typename?: 'Project', id: string, leaseSeconds: number } | null } | null };

export type ProjectProgressQueryVariables = Exact<{
  id: Scalars['ID']['input'];
}>;


export type ProjectProgressQuery = { __typename?: 'Query', node?: { __typename?: 'AccessLogEntry' } | { __typename?: 'Assignment' } | { __typename?: 'Batch' } | { __typename?: 'Customer' } | { __typename?: 'Expert' } | { __typename?: 'Identity' } | { __typename?: 'Job' } | { __typename?: 'Offer' } | { __typename?: 'Payout' } | { __typename?: 'Project', id: string, name: string, state: ProjectState, progress: { __typename?: 'Progress', tasksTotal: number, tasksDone: number, tasksFlagged: number, answersWanted: number, answersCounted: number, leased: number } } | { __typename?: 'Skill' } | { __typename?: 'Task' } | { __typename?: 'TaskType' } | null };

export type ProjectListQueryVariables = Exact<{ [key: string]: never; }>;


export type ProjectListQuery = { __typename?: 'Query', projects: { __typename?: 'ProjectConnection', edges: Array<{ __typename?: 'ProjectEdge', node: { __typename?: 'Project', id: string, name: string, progress: { __typename?: 'Progress', answersWanted: number, answersCounted: number } } }> } };

export type BatchPageQueryVariables = Exact<{
  projectId: Scalars['ID']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type BatchPageQuery = { __typename?: 'Query', node?: { __typename: 'AccessLogEntry' } | { __typename: 'Assignment' } | { __typename: 'Batch' } | { __typename: 'Customer' } | { __typename: 'Expert' } | { __typename: 'Identity' } | { __typename: 'Job' } | { __typename: 'Offer' } | { __typename: 'Payout' } | { __typename: 'Project', id: string, batches: { __typename?: 'BatchConnection', edges: Array<{ __typename?: 'BatchEdge', node: { __typename?: 'Batch', id: string, state: BatchState } }>, pageInfo: { __typename?: 'PageInfo', hasNextPage: boolean, endCursor?: string | null } } } | { __typename: 'Skill' } | { __typename: 'Task' } | { __typename: 'TaskType' } | null };

export type ExpertPageQueryVariables = Exact<{
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type ExpertPageQuery = { __typename?: 'Query', experts: { __typename?: 'ExpertConnection', edges: Array<{ __typename?: 'ExpertEdge', node: { __typename?: 'Expert', id: string, handle: string } }>, pageInfo: { __typename?: 'PageInfo', hasNextPage: boolean, endCursor?: string | null } } };

export type ExpertResultsQueryVariables = Exact<{
  expertId: Scalars['ID']['input'];
}>;


export type ExpertResultsQuery = { __typename?: 'Query', expertQuality?: { __typename?: 'ExpertQuality', scores: Array<{ __typename?: 'SkillScore', results: number, taskType?: { __typename?: 'TaskType', id: string } | null }> } | null };

export type ImportGoldMutationVariables = Exact<{
  input: ImportGoldInput;
}>;


export type ImportGoldMutation = { __typename?: 'Mutation', importGold?: { __typename: 'ImportGoldPayload', golds: Array<{ __typename?: 'Gold', state: GoldState }> } | { __typename: 'InputInvalidError', code: string, message: string } | { __typename: 'NotFoundError', code: string, message: string } | { __typename: 'ProjectNotRunningError', code: string, message: string } | null };

export type SetRedundancyMutationVariables = Exact<{
  input: SetRedundancyInput;
}>;


export type SetRedundancyMutation = { __typename?: 'Mutation', setRedundancy?: { __typename: 'InputInvalidError', code: string, message: string } | { __typename: 'NotFoundError', code: string, message: string } | { __typename: 'ProjectNotRunningError', code: string, message: string } | { __typename: 'SetRedundancyPayload' } | null };

export type PauseExpertMutationVariables = Exact<{
  input: PauseExpertInput;
}>;


export type PauseExpertMutation = { __typename?: 'Mutation', pauseExpert?: { __typename: 'InputInvalidError', code: string, message: string } | { __typename: 'NotFoundError', code: string, message: string } | { __typename: 'PauseExpertPayload' } | null };

export type LeaseEndingsSubscriptionVariables = Exact<{
  projectId: Scalars['ID']['input'];
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type LeaseEndingsSubscription = { __typename?: 'Subscription', leaseEvents: { __typename?: 'LeaseEvent', kind: LeaseEventKind, cursor: string } };

export type StandingsSubscriptionVariables = Exact<{
  after?: InputMaybe<Scalars['String']['input']>;
}>;


export type StandingsSubscription = { __typename?: 'Subscription', qualityEvents: { __typename?: 'QualityEvent', kind: QualityEventKind, phase?: StandingPhase | null, expertId?: string | null, skillId?: string | null, cursor: string } };

export type HeldAssignmentFragment = { __typename?: 'Assignment', id: string, payloadUrl?: string | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body?: unknown | null, savedAt: string } | null };

export type EmptyQueueFieldsFragment = { __typename?: 'EmptyQueue', reason: EmptyReason, message: string, retryAfterSeconds: number };

export type CurrentAssignmentQueryVariables = Exact<{ [key: string]: never; }>;


export type CurrentAssignmentQuery = { __typename?: 'Query', currentAssignment?: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body?: unknown | null, savedAt: string } | null } | null };

export type ClaimTaskMutationVariables = Exact<{
  input: ClaimTaskInput;
}>;


export type ClaimTaskMutation = { __typename?: 'Mutation', claimTask?: { __typename: 'ClaimTaskPayload', assignment?: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body?: unknown | null, savedAt: string } | null } | null, empty?: { __typename?: 'EmptyQueue', reason: EmptyReason, message: string, retryAfterSeconds: number } | null } | { __typename: 'NotFoundError', code: string, message: string } | null };

export type HeartbeatMutationVariables = Exact<{
  input: HeartbeatInput;
}>;


export type HeartbeatMutation = { __typename?: 'Mutation', heartbeat?: { __typename: 'AlreadyFlaggedError', code: string, message: string } | { __typename: 'AlreadySubmittedError', code: string, message: string } | { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'DraftTooLargeError', code: string, message: string } | { __typename: 'HeartbeatPayload', extended: boolean, lease: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } } | { __typename: 'InputInvalidError', code: string, message: string } | { __typename: 'LeaseExpiredError', reclaimable: boolean, code: string, message: string } | { __typename: 'LeaseWithdrawnError', code: string, message: string } | { __typename: 'ProjectCancelledError', code: string, message: string } | { __typename: 'StaleLeaseError', currentEpoch: number, code: string, message: string } | null };

export type SubmitMutationVariables = Exact<{
  input: SubmitInput;
}>;


export type SubmitMutation = { __typename?: 'Mutation', submit?: { __typename: 'AlreadyFlaggedError', code: string, message: string } | { __typename: 'AlreadySubmittedError', code: string, message: string } | { __typename: 'AnswerInvalidError', code: string, message: string, issues: Array<{ __typename?: 'Issue', path: string, message: string }> } | { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'LeaseExpiredError', reclaimable: boolean, code: string, message: string } | { __typename: 'LeaseWithdrawnError', code: string, message: string } | { __typename: 'ProjectCancelledError', code: string, message: string } | { __typename: 'StaleLeaseError', currentEpoch: number, code: string, message: string } | { __typename: 'SubmitPayload', receipt: { __typename?: 'Receipt', assignmentId: string, digest: string, submittedAt: string, price: { __typename?: 'Money', minorUnits: string, currency: string } }, next?: { __typename?: 'ClaimTaskPayload', assignment?: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body?: unknown | null, savedAt: string } | null } | null, empty?: { __typename?: 'EmptyQueue', reason: EmptyReason, message: string, retryAfterSeconds: number } | null } | null } | null };

export type ReclaimAssignmentMutationVariables = Exact<{
  input: ReclaimAssignmentInput;
}>;


export type ReclaimAssignmentMutation = { __typename?: 'Mutation', reclaimAssignment?: { __typename: 'AlreadyFlaggedError', code: string, message: string } | { __typename: 'AlreadySubmittedError', code: string, message: string } | { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'HoldsAnotherError', heldAssignmentId: string, code: string, message: string } | { __typename: 'NotQualifiedError', code: string, message: string } | { __typename: 'ProjectCancelledError', code: string, message: string } | { __typename: 'ReclaimAssignmentPayload', assignment: { __typename?: 'Assignment', id: string, payloadUrl?: string | null, task: { __typename?: 'Task', id: string, externalId?: string | null, contentType: string, payloadBytes: number }, lease?: { __typename?: 'Lease', epoch: number, secondsLeft: number, leaseSeconds: number } | null, price: { __typename?: 'Money', minorUnits: string, currency: string }, draft?: { __typename?: 'Draft', body?: unknown | null, savedAt: string } | null } } | { __typename: 'SlotTakenError', code: string, message: string } | null };

export type ReleaseAssignmentMutationVariables = Exact<{
  input: ReleaseAssignmentInput;
}>;


export type ReleaseAssignmentMutation = { __typename?: 'Mutation', releaseAssignment?: { __typename: 'AlreadyFlaggedError', code: string, message: string } | { __typename: 'AlreadySubmittedError', code: string, message: string } | { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'LeaseExpiredError', code: string, message: string } | { __typename: 'LeaseWithdrawnError', code: string, message: string } | { __typename: 'ProjectCancelledError', code: string, message: string } | { __typename: 'ReleaseAssignmentPayload' } | { __typename: 'StaleLeaseError', code: string, message: string } | null };

export type FlagTaskMutationVariables = Exact<{
  input: FlagTaskInput;
}>;


export type FlagTaskMutation = { __typename?: 'Mutation', flagTask?: { __typename: 'AlreadyFlaggedError', code: string, message: string } | { __typename: 'AlreadySubmittedError', code: string, message: string } | { __typename: 'AssignmentNotFoundError', code: string, message: string } | { __typename: 'FlagTaskPayload', taskClosed: boolean } | { __typename: 'InputInvalidError', code: string, message: string } | { __typename: 'LeaseExpiredError', code: string, message: string } | { __typename: 'LeaseWithdrawnError', code: string, message: string } | { __typename: 'ProjectCancelledError', code: string, message: string } | { __typename: 'StaleLeaseError', code: string, message: string } | null };

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
export const DeskAssignmentFragmentDoc = new TypedDocumentString(`
    fragment DeskAssignment on Assignment {
  ...HeldAssignment
  project {
    name
  }
  taskType {
    id
  }
  routing {
    explanation
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
}`, {"fragmentName":"DeskAssignment"}) as unknown as TypedDocumentString<DeskAssignmentFragment, unknown>;
export const EmptyQueueFieldsFragmentDoc = new TypedDocumentString(`
    fragment EmptyQueueFields on EmptyQueue {
  reason
  message
  retryAfterSeconds
}
    `, {"fragmentName":"EmptyQueueFields"}) as unknown as TypedDocumentString<EmptyQueueFieldsFragment, unknown>;
export const CurrentForDeskDocument = new TypedDocumentString(`
    query CurrentForDesk {
  currentAssignment {
    ...DeskAssignment
  }
}
    fragment DeskAssignment on Assignment {
  ...HeldAssignment
  project {
    name
  }
  taskType {
    id
  }
  routing {
    explanation
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
}`) as unknown as TypedDocumentString<CurrentForDeskQuery, CurrentForDeskQueryVariables>;
export const ClaimForDeskDocument = new TypedDocumentString(`
    mutation ClaimForDesk($input: ClaimTaskInput!) {
  claimTask(input: $input) {
    __typename
    ... on ClaimTaskPayload {
      assignment {
        ...DeskAssignment
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
    fragment DeskAssignment on Assignment {
  ...HeldAssignment
  project {
    name
  }
  taskType {
    id
  }
  routing {
    explanation
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
}`) as unknown as TypedDocumentString<ClaimForDeskMutation, ClaimForDeskMutationVariables>;
export const SubmitForDeskDocument = new TypedDocumentString(`
    mutation SubmitForDesk($input: SubmitInput!) {
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
          ...DeskAssignment
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
    fragment DeskAssignment on Assignment {
  ...HeldAssignment
  project {
    name
  }
  taskType {
    id
  }
  routing {
    explanation
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
}`) as unknown as TypedDocumentString<SubmitForDeskMutation, SubmitForDeskMutationVariables>;
export const ReclaimForDeskDocument = new TypedDocumentString(`
    mutation ReclaimForDesk($input: ReclaimAssignmentInput!) {
  reclaimAssignment(input: $input) {
    __typename
    ... on ReclaimAssignmentPayload {
      assignment {
        ...DeskAssignment
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
    fragment DeskAssignment on Assignment {
  ...HeldAssignment
  project {
    name
  }
  taskType {
    id
  }
  routing {
    explanation
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
}`) as unknown as TypedDocumentString<ReclaimForDeskMutation, ReclaimForDeskMutationVariables>;
export const TaskTypeForDeskDocument = new TypedDocumentString(`
    query TaskTypeForDesk($id: ID!) {
  node(id: $id) {
    __typename
    ... on TaskType {
      id
      name
      kind
      instructions
      definition
    }
  }
}
    `) as unknown as TypedDocumentString<TaskTypeForDeskQuery, TaskTypeForDeskQueryVariables>;
export const KeptForDeskDocument = new TypedDocumentString(`
    query KeptForDesk($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    ... on Assignment {
      id
      state
      draft {
        body
      }
    }
  }
}
    `) as unknown as TypedDocumentString<KeptForDeskQuery, KeptForDeskQueryVariables>;
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
export const ProjectListDocument = new TypedDocumentString(`
    query ProjectList {
  projects(first: 100) {
    edges {
      node {
        id
        name
        progress {
          answersWanted
          answersCounted
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ProjectListQuery, ProjectListQueryVariables>;
export const BatchPageDocument = new TypedDocumentString(`
    query BatchPage($projectId: ID!, $after: String) {
  node(id: $projectId) {
    __typename
    ... on Project {
      id
      batches(first: 100, after: $after) {
        edges {
          node {
            id
            state
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<BatchPageQuery, BatchPageQueryVariables>;
export const ExpertPageDocument = new TypedDocumentString(`
    query ExpertPage($after: String) {
  experts(first: 100, after: $after) {
    edges {
      node {
        id
        handle
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `) as unknown as TypedDocumentString<ExpertPageQuery, ExpertPageQueryVariables>;
export const ExpertResultsDocument = new TypedDocumentString(`
    query ExpertResults($expertId: ID!) {
  expertQuality(expertId: $expertId) {
    scores {
      results
      taskType {
        id
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ExpertResultsQuery, ExpertResultsQueryVariables>;
export const ImportGoldDocument = new TypedDocumentString(`
    mutation ImportGold($input: ImportGoldInput!) {
  importGold(input: $input) {
    __typename
    ... on ImportGoldPayload {
      golds {
        state
      }
    }
    ... on DomainError {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<ImportGoldMutation, ImportGoldMutationVariables>;
export const SetRedundancyDocument = new TypedDocumentString(`
    mutation SetRedundancy($input: SetRedundancyInput!) {
  setRedundancy(input: $input) {
    __typename
    ... on DomainError {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<SetRedundancyMutation, SetRedundancyMutationVariables>;
export const PauseExpertDocument = new TypedDocumentString(`
    mutation PauseExpert($input: PauseExpertInput!) {
  pauseExpert(input: $input) {
    __typename
    ... on DomainError {
      code
      message
    }
  }
}
    `) as unknown as TypedDocumentString<PauseExpertMutation, PauseExpertMutationVariables>;
export const LeaseEndingsDocument = new TypedDocumentString(`
    subscription LeaseEndings($projectId: ID!, $after: String) {
  leaseEvents(
    projectId: $projectId
    after: $after
    kinds: [EXPIRED, FLAGGED, RELEASED]
  ) {
    kind
    cursor
  }
}
    `) as unknown as TypedDocumentString<LeaseEndingsSubscription, LeaseEndingsSubscriptionVariables>;
export const StandingsDocument = new TypedDocumentString(`
    subscription Standings($after: String) {
  qualityEvents(after: $after) {
    kind
    phase
    expertId
    skillId
    cursor
  }
}
    `) as unknown as TypedDocumentString<StandingsSubscription, StandingsSubscriptionVariables>;
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