// What the servers of this bench send, and who asks for it: the same bytes from each of them.

/** One subscription of the crowd. */
export interface Topic {
  /** As the server knows it: an opaque id of a project, or a number. */
  readonly id: string;
}

export interface SocketPlan {
  readonly token: string;
  readonly topics: readonly Topic[];
}

/** What the generator is told to do; it answers each order once. */
export type Order =
  | {
      readonly kind: 'connect';
      readonly url: string;
      readonly sockets: readonly SocketPlan[];
      /** Subscriptions go by their topics' names, so that the server can send all of a topic the same bytes. */
      readonly sharedIds: boolean;
    }
  /** Counts anew from here. */
  | { readonly kind: 'mark' }
  | { readonly kind: 'report' }
  /** Cuts every socket at once and comes back from the last cursors. */
  | { readonly kind: 'storm' }
  /** The first socket stops reading, or reads again. */
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'leave' };

/** What the generator has seen since the last mark. */
export interface Report {
  readonly delivered: number;
  /** From the row's own instant, which is before its commit, to the client. */
  readonly p99Ms: number;
  /** Numbers that a subscription passed over, or was told twice. */
  readonly wrong: number;
  /** Smallest and largest of the last numbers of all subscriptions. */
  readonly lastMin: number;
  readonly lastMax: number;
  readonly seconds: number;
  /** Sockets that the server has closed. */
  readonly closed: readonly number[];
}

export interface NumberedOrder {
  readonly number: number;
  readonly order: Order;
}

export interface NumberedReport {
  readonly number: number;
  readonly report: Report;
}

export const QUERY =
  'subscription($id: ID, $after: String) { leaseEvents(projectId: $id, after: $after) { cursor kind at assignmentId taskId } }';

const SEQ_AT = 12;
const CURSOR = /"cursor":"([A-Za-z0-9_-]{27})"/;
const AT = /"at":"([^"]+)"/;

export interface Seen {
  readonly cursor: string;
  /** Its number in the stream, which is the end of the cursor. */
  readonly seq: number;
  /** Null for the beginning. */
  readonly atMs: number | null;
}

/** Finds the number and the instant of an item without taking the message apart. */
export function seenIn(message: string): Seen | null {
  const cursor = CURSOR.exec(message)?.[1];
  const at = AT.exec(message)?.[1];
  return cursor === undefined
    ? null
    : {
        cursor,
        seq: Number(Buffer.from(cursor, 'base64url').readBigUInt64BE(SEQ_AT)),
        atMs: at === undefined ? null : Date.parse(at),
      };
}

/** A topic of the servers beside ours; as long as the ids that clients give their subscriptions. */
export const topicOf = (n: number): string => String(n).padStart(36, '0');

/** An item as our server sends it, for the servers beside it. */
export function itemOf(topic: number, seq: number): Record<string, string> {
  const bytes = Buffer.alloc(20);
  bytes.writeBigUInt64BE(BigInt(seq), SEQ_AT);
  return {
    cursor: bytes.toString('base64url'),
    kind: 'SUBMITTED',
    at: new Date().toISOString(),
    assignmentId: `assignment${String(topic).padStart(12, '0')}`,
    taskId: `taskOfThis${String(topic).padStart(12, '0')}`,
  };
}
