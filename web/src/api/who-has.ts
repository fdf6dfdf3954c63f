import { stringifyDocument } from '@urql/core';
import { createTransport } from '../../../src/client/transport.js';
import { ViewerDocument, type ViewerQuery } from '../generated/graphql.js';
import type { Viewer } from './viewer.js';

/** Whose a token is. @throws ClientError where the server refuses it, or does not answer */
export async function whoHas(token: string): Promise<Viewer> {
  const send = createTransport({ url: new URL('/graphql', location.href).href, token });
  const { viewer } = await send<ViewerQuery, Record<string, never>>(
    { toString: () => stringifyDocument(ViewerDocument) },
    {},
  );
  return viewer;
}
