/** What waits: whose it is, and what it must not share a batch with. */
export interface Waiting {
  readonly tenantId: bigint;
  readonly identityId: bigint;
  /** Two of one key never stand in the same batch. */
  readonly key: string;
}

interface TenantLines<T> {
  /** In the order of their turns; whoever was served goes to the end. */
  readonly lines: Map<bigint, T[]>;
  count: number;
}

/**
 * Who is next, where nobody may push others out. Tenants take turns, a batch each. Inside a tenant identities take turns,
 * one request each, in order of arrival: whoever asks a thousand times at once stands in line once, behind those who came
 * before and no more than one turn ahead of those who come after.
 */
export class FairQueue<T extends Waiting> {
  private readonly tenants = new Map<bigint, TenantLines<T>>();
  private readonly arrivals = new Set<T>();

  get size(): number {
    return this.arrivals.size;
  }

  /** Who has waited longest. */
  oldest(): T | undefined {
    const [first] = this.arrivals;
    return first;
  }

  push(item: T): void {
    const tenant = this.tenants.get(item.tenantId) ?? { lines: new Map<bigint, T[]>(), count: 0 };
    this.tenants.set(item.tenantId, tenant);
    const line = tenant.lines.get(item.identityId);
    if (line === undefined) {
      tenant.lines.set(item.identityId, [item]);
    } else {
      line.push(item);
    }
    tenant.count += 1;
    this.arrivals.add(item);
  }

  /** Takes one out of the line; false where it does not wait any more. */
  remove(item: T): boolean {
    if (!this.arrivals.delete(item)) {
      return false;
    }
    const tenant = this.tenants.get(item.tenantId);
    const line = tenant?.lines.get(item.identityId);
    if (tenant !== undefined && line !== undefined) {
      line.splice(line.indexOf(item), 1);
      this.leave(tenant, item);
    }
    return true;
  }

  /** The next batch: at most `max`, of one tenant that is not held, no key twice. Empty where no other waits. */
  take(max: number, isHeld: (tenantId: bigint) => boolean = () => false): T[] {
    for (const [tenantId, tenant] of this.tenants) {
      if (isHeld(tenantId)) {
        continue;
      }
      const batch = this.takeOf(tenant, max);
      if (this.tenants.delete(tenantId) && tenant.count > 0) {
        this.tenants.set(tenantId, tenant); // behind the others
      }
      return batch;
    }
    return [];
  }

  /** Who makes room when there is none: the last of the longest line of the tenant that has most waiting. */
  crowder(): T | undefined {
    let most: TenantLines<T> | undefined;
    for (const tenant of this.tenants.values()) {
      most = most === undefined || tenant.count > most.count ? tenant : most;
    }
    let longest: T[] = [];
    for (const line of most?.lines.values() ?? []) {
      longest = line.length >= longest.length ? line : longest;
    }
    return longest.at(-1);
  }

  /** How many wait: of the tenant, and of the identity in it. */
  waitingOf({ tenantId, identityId }: Waiting): { tenant: number; identity: number } {
    const tenant = this.tenants.get(tenantId);
    return { tenant: tenant?.count ?? 0, identity: tenant?.lines.get(identityId)?.length ?? 0 };
  }

  /** A map is walked in order of insertion, and what is inserted on the way is met again at its end: a ring. */
  private takeOf(tenant: TenantLines<T>, max: number): T[] {
    const batch: T[] = [];
    const keys = new Set<string>();
    for (const [identityId, line] of tenant.lines) {
      if (batch.length === max) {
        break;
      }
      const [head] = line;
      if (head === undefined || keys.has(head.key)) {
        continue; // keeps its place for the next batch
      }
      line.shift();
      keys.add(head.key);
      batch.push(head);
      tenant.lines.delete(identityId);
      tenant.lines.set(identityId, line);
      this.arrivals.delete(head);
      this.leave(tenant, head);
    }
    return batch;
  }

  private leave(tenant: TenantLines<T>, { tenantId, identityId }: T): void {
    tenant.count -= 1;
    if (tenant.lines.get(identityId)?.length === 0) {
      tenant.lines.delete(identityId);
    }
    if (tenant.count === 0) {
      this.tenants.delete(tenantId);
    }
  }
}
