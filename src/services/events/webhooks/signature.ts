import { createHmac, randomBytes } from 'node:crypto';

// Standard Webhooks, https://github.com/standard-webhooks/standard-webhooks: symmetric signatures, version v1.

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret, as bytes. */
export const newSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** A secret as receivers configure it. */
export const secretText = (secret: Buffer): string => `${PREFIX}${secret.toString('base64')}`;

/** What is signed: which message, when it was sent, and its very bytes. */
export interface Signed {
  readonly id: string;
  /** Seconds of the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of a message: one signature for each secret that is in use, separated by spaces. */
export function signedHeaders(
  { id, timestamp, body }: Signed,
  secrets: readonly Buffer[],
): Record<string, string> {
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
