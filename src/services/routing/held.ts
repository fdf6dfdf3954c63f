import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const HeldRow = z.object({
  id: z.int(),
  taskId: z.int(),
  projectId: z.int(),
  taskTypeId: z.int(),
  epoch: z.int(),
  leaseUntil: instant,
  leaseSeconds: z.int(),
  secondsLeft: z.number(),
  priceMinor: z.string(),
  currency: z.string(),
  externalId: z.string().nullable(),
  contentType: z.string(),
  payloadBytes: z.number(),
  draft: z.string().nullable(),
  draftSavedAt: instant.nullable(),
  routingReason: z.string().nullable(),
});

/** Whether what was handed over is gold: for this node's own use, and nobody is told. */
export const isGold = (held: unknown): boolean =>
  z.object({ isGold: z.boolean().optional() }).parse(held).isGold === true;

/** What an expert holds under a live lease. */
export interface HeldAssignment {
  readonly id: bigint;
  readonly taskId: bigint;
  readonly projectId: bigint;
  readonly taskTypeId: bigint;
  /** Fencing token: every later call about this claim repeats it. */
  readonly epoch: number;
  readonly leaseUntil: Date;
  readonly leaseSeconds: number;
  /** Left when the database answered. */
  readonly secondsLeft: number;
  readonly priceMinor: bigint;
  readonly currency: string;
  readonly externalId: string | null;
  readonly contentType: string;
  readonly payloadBytes: number;
  /** Secret of the payload's URL, for this claim only; stored as a hash. */
  readonly payloadToken: string;
  /** Why it was given, as it is stored; null where it was claimed before reasons were kept. */
  readonly routingReason: string | null;
  /** What was typed under an earlier lease or heartbeat: JSON text. */
  readonly draft: { readonly body: string; readonly savedAt: Date } | null;
}

/** A fresh secret for a payload URL, and the hash that is stored. */
export function mintPayloadToken(): { token: string; hash: Buffer } {
  const token = randomBytes(24).toString('base64url');
  return { token, hash: hashPayloadToken(token) };
}

export function hashPayloadToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Reads what app.held_json made. */
export function parseHeld(json: unknown, payloadToken: string): HeldAssignment {
  const { id, taskId, projectId, taskTypeId, priceMinor, draft, draftSavedAt, ...rest } = HeldRow.parse(json);
  return {
    ...rest,
    id: BigInt(id),
    taskId: BigInt(taskId),
    projectId: BigInt(projectId),
    taskTypeId: BigInt(taskTypeId),
    priceMinor: BigInt(priceMinor),
    payloadToken,
    draft: draft === null || draftSavedAt === null ? null : { body: draft, savedAt: draftSavedAt },
  };
}
