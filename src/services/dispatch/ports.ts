/** A point of WGS 84, in degrees. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** Where a worker was last seen. Ages are by the clock of the database. */
export interface Seen {
  readonly expertId: bigint;
  readonly place: Place;
  /** H3, resolution 8, as hexadecimal digits. */
  readonly cell: string;
  readonly deviceAt: Date;
  readonly receivedAt: Date;
  /** Of the older of both instants; at least 0. */
  readonly ageSeconds: number;
  /** Both instants are at most 30 s ago: who may be offered a job for now. */
  readonly isFresh: boolean;
}

/** Farthest that anybody is looked for: the index reaches no farther, see fixes/fix.ts. */
export const METRES_MAX = 50_000;

/** How near to what is looked for, and how many. */
export interface Around {
  readonly place: Place;
  readonly metres: number;
  /** So many fresh ones are enough. */
  readonly limit: number;
  /** So many are found at most, fresh and stale: where fixes are held up everybody is stale, and a look has to end all the same. */
  readonly atMost: number;
}

/** Who was found. */
export interface Found {
  readonly seen: readonly Seen[];
  /** Whether nobody else is there, within the distance that was asked for. */
  readonly isAll: boolean;
}

/** Where the workers of a tenant are. */
export interface Nearby {
  /**
   * Those whose last fix lies within `metres` of a place, nearest first; stale ones among them, which only say why nobody was
   * found. The search widens by itself and ends when `limit` fresh ones are found, or `atMost` of all.
   */
  nearby(tenantId: bigint, around: Around): Promise<Found>;
  /** The last fixes of some workers; who has none is left out. */
  lastSeen(tenantId: bigint, expertIds: readonly bigint[]): Promise<readonly Seen[]>;
}

/** From where somebody sets out, and how long ago that was seen. */
export type Origin = Pick<Seen, 'place' | 'ageSeconds'>;

/** How long a way takes, in seconds: as expected, and an 80 % band around it. */
export interface Eta {
  readonly seconds: number;
  /** What the road alone was said to take: what arrivals are compared with. */
  readonly roadSeconds: number;
  readonly lowSeconds: number;
  readonly highSeconds: number;
  readonly confidence: 'HIGH' | 'LOW';
  /** What told it. */
  readonly source: 'ROUTER' | 'CACHE' | 'FALLBACK';
}

/** How long ways take. */
export interface Etas {
  /** In the order of the origins, within 150 ms whatever the router does. Null: there is no way, or an end of it is off the map. */
  etas(
    tenantId: bigint,
    way: { readonly from: readonly Origin[]; readonly to: Place },
  ): Promise<readonly (Eta | null)[]>;
}

/** What dispatch stands on beside the database of jobs. */
export interface Dispatch {
  readonly nearby: Nearby;
  readonly etas: Etas;
}
