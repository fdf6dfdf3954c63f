import { session } from './session.js';

/** `fetch` with the session's token. A refused one is replaced once somebody has signed in again, and the call repeated. */
export async function authorisedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  let token = await session.token({ refused: null });
  for (;;) {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    const response = await fetch(input, { ...init, headers });
    if (response.status !== 401) {
      return response;
    }
    token = await session.token({ refused: token });
  }
}
