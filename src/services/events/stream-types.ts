/** One stream of one tenant. */
export interface StreamName {
  readonly tenantId: bigint;
  readonly stream: string;
}

/** A place in a stream: the event with this number, and all before it. */
export interface Position {
  readonly epoch: number;
  readonly seq: number;
}

export interface StreamEvent extends Position {
  readonly kind: string;
  /** The body as JSON text: its readers differ in what they may see of it. */
  readonly body: string;
  readonly at: Date;
}
