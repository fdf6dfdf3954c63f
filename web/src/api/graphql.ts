import { Client, cacheExchange, fetchExchange } from 'urql';
import { authorisedFetch } from './authorised-fetch.js';

/** Queries and mutations of all pages. Subscriptions are `live.ts`; what an expert does is `src/client`. */
export const graphql = new Client({
  url: '/graphql',
  exchanges: [cacheExchange, fetchExchange],
  fetch: authorisedFetch,
  preferGetMethod: false,
  // What is shown may have changed since it was looked at last: what is known is shown at once, and asked for again.
  requestPolicy: 'cache-and-network',
});
