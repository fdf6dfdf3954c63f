/**
 * The SQLSTATE of a database error, from Prisma's driver adapter or from pg itself; null for anything else.
 * Never forward or log such an error's detail: it holds whole rows.
 */
export function sqlState(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) {
    return null;
  }
  const adapter = error as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } };
  const fromPrisma = adapter.meta?.driverAdapterError?.cause?.originalCode;
  if (typeof fromPrisma === 'string') {
    return fromPrisma;
  }
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in error ? code : null;
}

/** pg says these without any code: the connection ended before or under a statement, or none was to be had in time. */
const CUT =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout)/;

/** What the operating system says of a connection that broke or could not be made. */
const BROKEN = /^(ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/;

/** Whether the database could not be asked, or went away while it was: whether the statement was carried out is open. */
export function isConnectionLost(error: unknown): boolean {
  if (/^(08|57P)/.test(sqlState(error) ?? '')) {
    return true;
  }
  if (!(error instanceof Error)) {
    return false;
  }
  const { code } = error as { code?: unknown };
  return CUT.test(error.message) || (typeof code === 'string' && BROKEN.test(code));
}
