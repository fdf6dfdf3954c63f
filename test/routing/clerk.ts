// The model: what a clerk with paper would believe about one project. It knows nothing of queues, slots, alarms or locks.

export const LEASE_SECONDS = 60;
const HOLD_SECONDS = 4 * LEASE_SECONDS;
const FLAG_QUORUM = 2;

/** The line of one task and one expert: there is never a second one. */
export interface Line {
  readonly task: bigint;
  readonly expert: number;
  readonly id: bigint;
  epoch: number;
  state: 'LEASED' | 'SUBMITTED' | 'RELEASED' | 'FLAGGED' | 'CANCELLED';
  until: number;
  holdUntil: number;
  answer: string | null;
}

/** A lease as its expert remembers it, long after it may have ended. */
export interface Memory {
  readonly expert: number;
  readonly id: bigint;
  readonly epoch: number;
}

/** What the office gave out for a claim or a reclaim. */
export interface Given {
  readonly id: bigint;
  readonly taskId: bigint;
  readonly epoch: number;
}

export class Clerk {
  now = 0;
  cancelled = false;
  readonly paused = new Set<number>();
  readonly wanted = new Map<bigint, number>();
  readonly lines: Line[] = [];
  readonly memories: Memory[] = [];

  lineOf(id: bigint): Line {
    const line = this.lines.find((one) => one.id === id);
    if (line === undefined) {
      throw new Error(`The clerk has no line ${id}`);
    }
    return line;
  }

  isLive = (line: Line): boolean => line.state === 'LEASED' && line.until > this.now;

  heldBy = (expert: number): Line | null =>
    this.lines.find((line) => line.expert === expert && this.isLive(line)) ?? null;

  /** Answers plus live leases are fewer than wanted, and nobody has closed it. */
  hasRoom(task: bigint): boolean {
    const lines = this.lines.filter((line) => line.task === task);
    const flags = lines.filter((line) => line.state === 'FLAGGED').length;
    const taken = lines.filter((line) => line.state === 'SUBMITTED' || this.isLive(line)).length;
    return !this.cancelled && flags < FLAG_QUORUM && taken < (this.wanted.get(task) ?? 0);
  }

  /** The tasks that an expert could be given now. */
  openTo(expert: number): bigint[] {
    if (this.paused.has(expert)) {
      return [];
    }
    return [...this.wanted.keys()].filter((task) => {
      const mine = this.lines.find((line) => line.task === task && line.expert === expert);
      const again = mine === undefined || mine.state === 'RELEASED' || mine.state === 'LEASED';
      return again && this.hasRoom(task);
    });
  }

  /** Writes down what was given; complains where it could not have been. */
  give(expert: number, given: Given): void {
    if (!this.openTo(expert).includes(given.taskId)) {
      throw new Error(`Task ${given.taskId} was given to expert ${expert}, and was not to be had.`);
    }
    const line = this.lines.find((one) => one.task === given.taskId && one.expert === expert);
    const fresh = { until: this.now + LEASE_SECONDS, holdUntil: this.now + HOLD_SECONDS };
    if (line === undefined) {
      expectEpoch(given, 1);
      const made = { task: given.taskId, expert, id: given.id, epoch: 1, answer: null, ...fresh };
      this.lines.push({ ...made, state: 'LEASED' });
    } else {
      expectEpoch(given, line.epoch + 1);
      Object.assign(line, { ...fresh, epoch: given.epoch, state: 'LEASED' });
    }
    this.memories.push({ expert, id: given.id, epoch: given.epoch });
  }

  /** Why a lease cannot be worked on; null where it can. */
  refusal({ id, epoch }: Pick<Memory, 'id' | 'epoch'>): string | null {
    const line = this.lineOf(id);
    switch (line.state) {
      case 'SUBMITTED':
        return 'ALREADY_SUBMITTED';
      case 'CANCELLED':
        return 'PROJECT_CANCELLED';
      case 'FLAGGED':
        return 'ALREADY_FLAGGED';
      case 'RELEASED':
        return 'LEASE_EXPIRED';
      case 'LEASED':
        if (!this.isLive(line)) {
          return 'LEASE_EXPIRED';
        }
        return line.epoch === epoch ? null : 'STALE_LEASE';
    }
  }

  submit(lease: Memory, answer: string): string {
    const line = this.lineOf(lease.id);
    if (line.state === 'SUBMITTED' && line.epoch === lease.epoch && line.answer === answer) {
      return 'OK';
    }
    const refused = this.refusal(lease);
    if (refused === null) {
      Object.assign(line, { state: 'SUBMITTED', answer });
    }
    return refused ?? 'OK';
  }

  /** Release or flag: said again under the same epoch, it is the same answer. */
  end(lease: Memory, state: 'RELEASED' | 'FLAGGED'): string {
    const line = this.lineOf(lease.id);
    if (line.state === state && line.epoch === lease.epoch) {
      return 'OK';
    }
    const refused = this.refusal(lease);
    if (refused === null) {
      line.state = state;
    }
    return refused ?? 'OK';
  }

  beat(lease: Memory): string {
    const refused = this.refusal(lease);
    const line = this.lineOf(lease.id);
    if (refused === null && !this.cancelled && !this.paused.has(line.expert)) {
      line.until = Math.max(line.until, Math.min(this.now + LEASE_SECONDS, line.holdUntil));
    }
    return refused ?? 'OK';
  }

  /** What a reclaim must answer; 'OK' where the slot is given (or still held). */
  reclaimable(lease: Memory): string {
    const line = this.lineOf(lease.id);
    const held = this.heldBy(line.expert);
    if (held !== null) {
      return held === line ? 'OK' : 'HOLDS_ANOTHER';
    }
    if (line.state !== 'LEASED' && line.state !== 'RELEASED') {
      return this.refusal(lease) ?? 'OK';
    }
    if (this.paused.has(line.expert)) {
      return 'NOT_QUALIFIED';
    }
    if (this.cancelled) {
      return 'PROJECT_CANCELLED';
    }
    return line.state !== 'RELEASED' && this.hasRoom(line.task) ? 'OK' : 'SLOT_TAKEN';
  }

  /** After every lapsed lease has been marked as such: a stop takes only what is live. */
  cancel(policy: 'STOP' | 'FINISH'): void {
    this.cancelled = true;
    for (const line of this.lines.filter((one) => policy === 'STOP' && this.isLive(one))) {
      line.state = 'CANCELLED';
    }
  }
}

function expectEpoch(given: Given, epoch: number): void {
  if (given.epoch !== epoch) {
    throw new Error(`Assignment ${given.id} is at epoch ${given.epoch}, not ${epoch}.`);
  }
}
