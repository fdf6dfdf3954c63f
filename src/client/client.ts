import { DEFAULT_RETRY, type RetryHooks, type RetryPolicy, withRetries } from './backoff.js';
import { ClientError } from './errors.js';
import * as documents from './generated/graphql.js';
import { createTransport, type TransportOptions, type TypedOperation } from './transport.js';

export interface ClientOptions extends TransportOptions {
  /** How calls that got no answer are sent again. Each part has a default of its own. */
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** Told of each try that failed and will be repeated. */
  readonly onRetry?: RetryHooks['onRetry'];
}

/** The result union of a mutation: its payload, or a refusal with `code` and `message`. */
type ResultOf<Mutation, Field extends keyof Mutation> = NonNullable<Mutation[Field]>;

export type ClaimTaskResult = ResultOf<documents.ClaimTaskMutation, 'claimTask'>;
export type HeartbeatResult = ResultOf<documents.HeartbeatMutation, 'heartbeat'>;
export type SubmitResult = ResultOf<documents.SubmitMutation, 'submit'>;
export type ReclaimAssignmentResult = ResultOf<documents.ReclaimAssignmentMutation, 'reclaimAssignment'>;
export type ReleaseAssignmentResult = ResultOf<documents.ReleaseAssignmentMutation, 'releaseAssignment'>;
export type FlagTaskResult = ResultOf<documents.FlagTaskMutation, 'flagTask'>;
export type CreateProjectResult = ResultOf<documents.CreateProjectMutation, 'createProject'>;
export type CreateBatchResult = ResultOf<documents.CreateBatchMutation, 'createBatch'>;
export type SetLeaseResult = ResultOf<documents.SetLeaseMutation, 'setLease'>;

/** Input of a creating mutation. Without a key of one's own, a fresh one makes its retries the same request. */
type Keyed<Input extends { idempotencyKey: string }> = Omit<Input, 'idempotencyKey'> & {
  readonly idempotencyKey?: string | undefined;
};

/**
 * The API as functions. Each call is sent again, with growing waits, until it is answered: everything here can be
 * repeated without harm (a claim gives what is held already, a submit its first receipt, a creation what its key
 * created). A refusal is a result; {@link ClientError} is thrown when there was no answer, the signal's reason when
 * the call was aborted.
 */
export interface Client {
  /** Any other operation of the API, typed by code generation. */
  call<Result, Variables>(
    operation: TypedOperation<Result, Variables>,
    variables: Variables,
    signal?: AbortSignal,
  ): Promise<Result>;
  currentAssignment(signal?: AbortSignal): Promise<documents.HeldAssignmentFragment | null>;
  claimTask(input: documents.ClaimTaskInput, signal?: AbortSignal): Promise<ClaimTaskResult>;
  heartbeat(input: documents.HeartbeatInput, signal?: AbortSignal): Promise<HeartbeatResult>;
  submit(input: documents.SubmitInput, signal?: AbortSignal): Promise<SubmitResult>;
  reclaimAssignment(
    input: documents.ReclaimAssignmentInput,
    signal?: AbortSignal,
  ): Promise<ReclaimAssignmentResult>;
  releaseAssignment(
    input: documents.ReleaseAssignmentInput,
    signal?: AbortSignal,
  ): Promise<ReleaseAssignmentResult>;
  flagTask(input: documents.FlagTaskInput, signal?: AbortSignal): Promise<FlagTaskResult>;
  createProject(
    input: Keyed<documents.CreateProjectInput>,
    signal?: AbortSignal,
  ): Promise<CreateProjectResult>;
  createBatch(input: Keyed<documents.CreateBatchInput>, signal?: AbortSignal): Promise<CreateBatchResult>;
  setLease(input: documents.SetLeaseInput, signal?: AbortSignal): Promise<SetLeaseResult>;
}

/** A client of one address for one token. Holds no state but the token. */
export function createClient(options: ClientOptions): Client {
  const send = createTransport(options);
  const policy = { ...DEFAULT_RETRY, ...options.retry };
  const call: Client['call'] = (operation, variables, signal) =>
    withRetries(policy, () => send(operation, variables, signal), { signal, onRetry: options.onRetry });
  return {
    call,
    currentAssignment: async (signal) =>
      (await call(documents.CurrentAssignmentDocument, {}, signal)).currentAssignment ?? null,
    claimTask: async (input, signal) =>
      answered((await call(documents.ClaimTaskDocument, { input }, signal)).claimTask),
    heartbeat: async (input, signal) =>
      answered((await call(documents.HeartbeatDocument, { input }, signal)).heartbeat),
    submit: async (input, signal) =>
      answered((await call(documents.SubmitDocument, { input }, signal)).submit),
    reclaimAssignment: async (input, signal) =>
      answered((await call(documents.ReclaimAssignmentDocument, { input }, signal)).reclaimAssignment),
    releaseAssignment: async (input, signal) =>
      answered((await call(documents.ReleaseAssignmentDocument, { input }, signal)).releaseAssignment),
    flagTask: async (input, signal) =>
      answered((await call(documents.FlagTaskDocument, { input }, signal)).flagTask),
    createProject: async (input, signal) =>
      answered((await call(documents.CreateProjectDocument, { input: keyed(input) }, signal)).createProject),
    createBatch: async (input, signal) =>
      answered((await call(documents.CreateBatchDocument, { input: keyed(input) }, signal)).createBatch),
    setLease: async (input, signal) =>
      answered((await call(documents.SetLeaseDocument, { input }, signal)).setLease),
  };
}

/** The key is drawn once a call, before its first try, so that every retry is the same request. */
function keyed<Input extends { idempotencyKey?: string | undefined }>(input: Input) {
  return { ...input, idempotencyKey: input.idempotencyKey ?? crypto.randomUUID() };
}

/** What a mutation answered. @throws ClientError where that is nothing */
export function answered<Result>(result: Result | null | undefined): Result {
  if (result === null || result === undefined) {
    throw new ClientError('MALFORMED', 'The server answered a mutation with nothing.');
  }
  return result;
}
