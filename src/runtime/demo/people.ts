import { type DevelopmentKey, mintDevelopmentToken } from '../../services/access/development-key.js';
import type { Role } from '../../services/access/viewer.js';

/** The short name of the demo's tenant. */
export const DEMO_TENANT = 'demo';

/** Somebody in the demo. */
export interface DemoPerson {
  readonly role: Role;
  readonly subject: string;
  readonly displayName: string;
}

/** Everybody who has a token; of each role the first one is whose token `npm start` prints. */
export const DEMO_PEOPLE: readonly DemoPerson[] = [
  { role: 'EXPERT', subject: 'demo-ada', displayName: 'Ada' },
  { role: 'CUSTOMER', subject: 'demo-customer', displayName: 'Northwind' },
  { role: 'ANALYST', subject: 'demo-analyst', displayName: 'Analyst' },
  { role: 'DISPATCHER', subject: 'demo-dispatcher', displayName: 'Dispatcher' },
  { role: 'OPERATOR', subject: 'demo-operator', displayName: 'Operator' },
  { role: 'EXPERT', subject: 'demo-ben', displayName: 'Ben' },
  { role: 'EXPERT', subject: 'demo-chloe', displayName: 'Chloe' },
];

/** A ready-made token. */
export interface DemoToken extends DemoPerson {
  readonly token: string;
}

/** One token for each role, in the order in which they are of use. */
export async function demoTokens(key: DevelopmentKey): Promise<DemoToken[]> {
  const firsts = DEMO_PEOPLE.filter(
    (person, i) => DEMO_PEOPLE.findIndex(({ role }) => role === person.role) === i,
  );
  return Promise.all(
    firsts.map(async (person) => ({
      ...person,
      token: await mintDevelopmentToken(key, { ...person, tenantSlug: DEMO_TENANT }),
    })),
  );
}
