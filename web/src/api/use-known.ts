import { useEffect, useState } from 'react';
import type { CombinedError } from 'urql';

interface Asked<Data> {
  readonly data?: Data | undefined;
  readonly error?: CombinedError | undefined;
}

/**
 * An answer's data; where it brings none, because the server is away or has too much to do, what it brought before under
 * the same key. What is no more to be seen is not shown on.
 */
export function useKnown<Data>({ data, error }: Asked<Data>, key: string): Data | undefined {
  const [known, setKnown] = useState({ key, data });
  useEffect(() => {
    if (data !== undefined) {
      setKnown({ key, data });
    }
  }, [key, data]);
  const isForbidden = error?.graphQLErrors.some(({ extensions }) => extensions.code === 'FORBIDDEN') ?? false;
  return data ?? (known.key === key && !isForbidden ? known.data : undefined);
}
