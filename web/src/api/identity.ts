/** Claims that differ between two tokens of the same person. */
const OF_ONE_TOKEN = new Set([
  'iat',
  'exp',
  'nbf',
  'jti',
  'auth_time',
  'sid',
  'nonce',
  'at_hash',
  'uti',
  'rh',
]);

/**
 * Whether two tokens say the same of the same person: everything but when they were made, and for how long. Not certain
 * (a token that cannot be read) is no. Decides what is kept on the screen, and nothing that the server has to know.
 */
export function isOfSamePerson(one: string, other: string): boolean {
  const claims = claimsOf(one);
  return one === other || (claims !== null && claims === claimsOf(other));
}

function claimsOf(token: string): string | null {
  try {
    const [, body = ''] = token.split('.');
    const claims: unknown = JSON.parse(atob(body.replaceAll('-', '+').replaceAll('_', '/')));
    return JSON.stringify(
      Object.entries(claims as object)
        .filter(([name]) => !OF_ONE_TOKEN.has(name))
        .toSorted(),
    );
  } catch {
    return null;
  }
}
