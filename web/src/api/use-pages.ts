import { useCallback, useState } from 'react';
import { type AnyVariables, type CombinedError, type TypedDocumentNode, useClient } from 'urql';

interface PageOf<Item> {
  readonly edges: readonly { readonly node: Item }[];
  readonly pageInfo: { readonly endCursor?: string | null; readonly hasNextPage: boolean };
}

interface Further<Item> {
  readonly items: readonly Item[];
  readonly page: PageOf<Item>['pageInfo'] | null;
  readonly fetching: boolean;
  readonly error: CombinedError | null;
}

/** What comes after the first page of a connection, a page each time that it is asked for. */
export function useFurtherPages<Data, Variables extends AnyVariables, Item>(
  document: TypedDocumentNode<Data, Variables>,
  variables: (after: string) => Variables,
  pageOf: (data: Data) => PageOf<Item>,
) {
  const client = useClient();
  const [further, setFurther] = useState<Further<Item>>({
    items: [],
    page: null,
    fetching: false,
    error: null,
  });
  const more = useCallback(
    async (first: PageOf<Item>) => {
      const { endCursor } = further.page ?? first.pageInfo;
      setFurther((before) => ({ ...before, fetching: true, error: null }));
      const { data, error } = await client.query(document, variables(endCursor ?? ''), {
        requestPolicy: 'network-only',
      });
      setFurther((before) => {
        const page = data === undefined ? null : pageOf(data);
        return {
          items: [...before.items, ...(page?.edges.map(({ node }) => node) ?? [])],
          page: page?.pageInfo ?? before.page,
          fetching: false,
          error: error ?? null,
        };
      });
    },
    [client, document, variables, pageOf, further.page],
  );
  return { ...further, more };
}
