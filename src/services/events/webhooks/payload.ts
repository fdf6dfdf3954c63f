import type { IdCodec, IdType } from '../../platform/ids.js';

/** Which of a message's fields are ids, and of what. */
const ID_FIELDS: Readonly<Record<string, IdType>> = {
  alertId: 'Alert',
  batchId: 'Batch',
  customerId: 'Customer',
  expertId: 'Expert',
  projectId: 'Project',
  skillId: 'Skill',
};

/** One message as the database keeps it. */
export interface Message {
  readonly id: bigint;
  /** Of the streams, when it was written. */
  readonly epoch: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
}

/**
 * The id by which a receiver knows a message, however often it is sent. A restored database gives its numbers again: what is
 * written after the restore is told by its epoch from what was sent before it.
 */
export const messageId = (ids: IdCodec, { id, epoch }: Pick<Message, 'id' | 'epoch'>): string =>
  `msg_${ids.encode('WebhookDelivery', id)}${epoch === 1 ? '' : `_${epoch}`}`;

/** A message as it is sent, ids made opaque: the same bytes each time. */
export function messageBody(ids: IdCodec, { type, data, createdAt }: Message): string {
  const told = Object.entries(data).map(([name, value]) => {
    const idType = ID_FIELDS[name];
    return [name, idType === undefined ? value : ids.encode(idType, BigInt(String(value)))];
  });
  return JSON.stringify({ type, timestamp: createdAt.toISOString(), data: Object.fromEntries(told) });
}
