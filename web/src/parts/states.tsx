import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { told } from './bidi.js';
import { Button } from './button.js';

/** What is shown instead of a view's content. */
export function Notice({
  title,
  children,
  action,
  tone = 'plain',
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  tone?: 'plain' | 'bad' | 'warn';
}) {
  return (
    <section className={`notice notice-${tone}`}>
      <h2>{title}</h2>
      {children ? <div className="notice-text">{children}</div> : null}
      {action ? <div className="notice-action">{action}</div> : null}
    </section>
  );
}

/** Placeholder lines: the page keeps its shape while it waits. */
export function Loading({ what }: { what: string }) {
  return (
    <div className="loading" role="status" aria-label={`Loading ${what}`}>
      <span className="loading-line" />
      <span className="loading-line" />
      <span className="loading-line" />
      <span className="loading-line" />
    </div>
  );
}

export function Failed({ what, message, onRetry }: { what: string; message: string; onRetry: () => void }) {
  return (
    <Notice
      title={`${what} could not be loaded`}
      tone="bad"
      action={<Button onPress={onRetry}>Try again</Button>}
    >
      <p>{told(message)}</p>
    </Notice>
  );
}

export function Forbidden({ what }: { what: string }) {
  return (
    <Notice title={`${what} is not yours to see`} tone="warn">
      <p>You are signed in in another role. Sign in with a token of the right one to see this page.</p>
    </Notice>
  );
}

interface Answered<Data> {
  readonly data?: Data | undefined;
  readonly fetching: boolean;
  readonly error?: CombinedError | undefined;
}

/** A query's answer, or what stands in for it: what is known is shown even where it could not be brought up to date. */
export function Loaded<Data>({
  what,
  result,
  onRetry,
  children,
}: {
  what: string;
  result: Answered<Data>;
  onRetry: () => void;
  children: (data: Data) => ReactNode;
}) {
  if (result.data !== undefined) {
    return children(result.data);
  }
  if (result.error) {
    return isForbidden(result.error) ? (
      <Forbidden what={what} />
    ) : (
      <Failed what={what} message={saidBy(result.error)} onRetry={onRetry} />
    );
  }
  return <Loading what={what} />;
}

const isForbidden = (error: CombinedError) =>
  error.graphQLErrors.some(({ extensions }) => extensions.code === 'FORBIDDEN');

const saidBy = (error: CombinedError) =>
  error.graphQLErrors[0]?.message ?? 'The server cannot be reached. Check the connection.';
