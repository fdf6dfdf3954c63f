/** What the crowd's process is told. */
export type Order =
  | { readonly kind: 'gather'; readonly crowd: CrowdPlan }
  /** Reports for so long: the sockets, the others by posts, or both. */
  | { readonly kind: 'report'; readonly forMs: number; readonly sockets: boolean; readonly posts: boolean }
  | { readonly kind: 'leave' };

export interface CrowdPlan {
  /** Of the process that takes fixes. */
  readonly url: string;
  /** Where the key lies that signs tokens, and what ids are made with. */
  readonly dataDir: string;
  readonly idKey: string;
  readonly slug: string;
  /** Subjects, and experts' numbers as text. */
  readonly workers: readonly { readonly subject: string; readonly expertId: string }[];
  /** The first so many have sockets of their own. */
  readonly socketed: number;
}

/** What a crowd has sent. */
export interface Sent {
  fixes: number;
  /** Posts that were not answered 200, and what sockets were told. */
  failures: number;
  /** How far behind its time the latest report was, at most. */
  lateMs: number;
  /** Until the last post was answered. */
  tookMs: number;
}

export interface NumberedOrder {
  readonly number: number;
  readonly order: Order;
}
export interface NumberedAnswer {
  readonly number: number;
  readonly sent: Sent | null;
}
