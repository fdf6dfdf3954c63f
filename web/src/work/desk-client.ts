import { answered, type Client, createClient } from '../../../src/client/client.js';
import {
  ClaimForDeskDocument,
  CurrentForDeskDocument,
  type DeskAssignmentFragment,
  KeptForDeskDocument,
  type KeptForDeskQuery,
  ReclaimForDeskDocument,
  SubmitForDeskDocument,
  TaskTypeForDeskDocument,
  type TaskTypeForDeskQuery,
} from '../../../src/client/generated/graphql.js';
import { session } from '../api/session.js';

/** What the desk shows of an assignment beside what the client needs of it. */
export type DeskDetails = Pick<DeskAssignmentFragment, 'project' | 'taskType' | 'routing'>;

export type TaskType = Extract<TaskTypeForDeskQuery['node'], { kind: unknown }>;

/** What the server has of an earlier assignment. */
export type KeptAssignment = Extract<KeptForDeskQuery['nodes'][number], { state: unknown }>;

/** A client whose answers about assignments carry what the desk shows, and which never stops trying. */
export interface DeskClient extends Client {
  /** Of an assignment that this client has been told of. */
  detailsOf(assignmentId: string): DeskDetails | null;
  /** Read once: versions of task types never change. */
  taskType(id: string): Promise<TaskType>;
  /** Of earlier assignments, at most 100; those that nobody may see, or there are not, are left out. */
  keptOf(ids: readonly string[]): Promise<KeptAssignment[]>;
}

/** A network that is away for an hour is no reason to give up an answer; short waits, for somebody sits before it. */
export const DESK_RETRY = { baseMs: 200, capMs: 3_000, patienceMs: Number.POSITIVE_INFINITY };

/** Of so many assignments it is known how they are called: the one at hand, and those just before it. */
const KNOWN_MAX = 8;

const apiUrl = (): string => new URL('/graphql', location.href).href;

/** @param onRetry told of each try that got no answer */
export function createDeskClient(onRetry: () => void): DeskClient {
  const details = new Map<string, DeskDetails>();
  const types = new Map<string, Promise<TaskType>>();
  const keep = (assignment: DeskAssignmentFragment | null | undefined) => {
    if (assignment) {
      const { id, project = null, taskType = null, routing = null } = assignment;
      details.delete(id);
      details.set(id, { project, taskType, routing });
      const [oldest] = details.keys();
      if (details.size > KNOWN_MAX && oldest !== undefined) {
        details.delete(oldest);
      }
    }
  };
  const client = createClient({ url: apiUrl(), token: session.token, retry: DESK_RETRY, onRetry });
  return {
    ...client,
    detailsOf: (assignmentId) => details.get(assignmentId) ?? null,
    taskType(id) {
      const known = types.get(id) ?? readTaskType(client, id);
      types.set(id, known);
      known.catch(() => types.delete(id));
      return known;
    },
    async keptOf(ids) {
      const { nodes } = await client.call(KeptForDeskDocument, { ids: [...ids] });
      return nodes.flatMap((node) => (node?.__typename === 'Assignment' ? [node] : []));
    },
    async currentAssignment(signal) {
      const { currentAssignment } = await client.call(CurrentForDeskDocument, {}, signal);
      keep(currentAssignment);
      return currentAssignment ?? null;
    },
    async claimTask(input, signal) {
      const claimTask = answered((await client.call(ClaimForDeskDocument, { input }, signal)).claimTask);
      keep(claimTask.__typename === 'ClaimTaskPayload' ? claimTask.assignment : null);
      return claimTask;
    },
    async submit(input, signal) {
      const submit = answered((await client.call(SubmitForDeskDocument, { input }, signal)).submit);
      keep(submit.__typename === 'SubmitPayload' ? submit.next?.assignment : null);
      return submit;
    },
    async reclaimAssignment(input, signal) {
      const reclaimAssignment = answered(
        (await client.call(ReclaimForDeskDocument, { input }, signal)).reclaimAssignment,
      );
      keep(reclaimAssignment.__typename === 'ReclaimAssignmentPayload' ? reclaimAssignment.assignment : null);
      return reclaimAssignment;
    },
  };
}

async function readTaskType(client: Client, id: string): Promise<TaskType> {
  const { node } = await client.call(TaskTypeForDeskDocument, { id });
  if (node?.__typename !== 'TaskType') {
    throw new Error('The form of this task cannot be read.');
  }
  return node;
}
