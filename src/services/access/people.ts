import { type Database, type Tx, withService, withSystem } from '../platform/database.js';
import { pgQueryable } from '../platform/pg-queryable.js';
import { hasUnseen } from '../platform/visible.js';
import { InputInvalidError, NameTakenError, NotFoundError } from './errors.js';
import { checkAll } from './faults.js';
import * as sql from './people.sql.js';
import type { Viewer } from './viewer.js';

/** Names are 1 to 200 characters, without control characters and others that nobody sees. */
export function checkedName(path: string, name: string): string {
  const trimmed = name.trim();
  if (trimmed.length < 1 || trimmed.length > 200 || hasUnseen(trimmed)) {
    const message = 'Give 1 to 200 characters without control characters and others that nobody sees.';
    throw new InputInvalidError([{ path, message }]);
  }
  return trimmed;
}

/**
 * The viewers behind checked tokens, in their order; null where the tenant knows no such identity in that role. One
 * statement on the pool itself, whose queue has no end: two thousand experts who come at once would outwait a
 * transaction's start.
 */
export async function findViewers(
  db: Database,
  whos: readonly sql.ActingAs[],
): Promise<(sql.ViewerRow | null)[]> {
  const rows = await sql.findViewers(pgQueryable(db.systemPool), whos);
  const found = new Map(rows.map(({ n, ...viewer }) => [n, viewer]));
  return whos.map((_who, index) => found.get(index + 1) ?? null);
}

/** The same of one. */
export async function findViewer(db: Database, who: sql.ActingAs): Promise<sql.ViewerRow | null> {
  return (await findViewers(db, [who]))[0] ?? null;
}

/** The tenant called `slug`, made if it is new. */
export function ensureTenant(db: Database, tenant: { slug: string; name: string }): Promise<bigint> {
  return withSystem(db, async (tx) => {
    const made = await sql.insertTenant(tx, tenant);
    const found = made ?? (await sql.findTenant(tx, tenant.slug));
    if (found === null) {
      throw new NotFoundError('tenant');
    }
    return found.id;
  });
}

/** @throws NameTakenError, InputInvalidError */
export async function createSkill(
  db: Database,
  viewer: Viewer,
  input: { name: string },
): Promise<{ skillId: bigint }> {
  const name = checkedName('/name', input.name);
  const made = await service(db, viewer, (tx) => sql.insertSkill(tx, viewer.tenantId, name));
  if (made === null) {
    throw new NameTakenError('skill', name);
  }
  return { skillId: made.id };
}

/** Who may act as somebody: an issuer and subject of access tokens. */
interface NewIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly displayName: string;
  /** Whether whoever it is may act in another role already: then they can see in one what the other must not know. */
  readonly mayHaveOtherRoles?: boolean;
}

export interface NewCustomer {
  readonly name: string;
  /** Who acts as this customer. Without it nobody can yet. */
  readonly identity?: NewIdentity | null;
}

/**
 * Adds a customer, and the identity that acts for it, in one transaction.
 * @throws NameTakenError where the name is taken or the identity acts for another customer; InputInvalidError
 */
export async function createCustomer(
  db: Database,
  viewer: Viewer,
  input: NewCustomer,
): Promise<{ customerId: bigint }> {
  const { name, identity } = checkAll({
    name: () => checkedName('/name', input.name),
    identity: () => (input.identity ? checkedIdentity(input.identity) : null),
  });
  return service(db, viewer, async (tx) => {
    const made = await sql.insertCustomer(tx, viewer.tenantId, name);
    if (made === null) {
      throw new NameTakenError('customer', name);
    }
    const acting = { role: 'CUSTOMER', customerId: made.id, expertId: null } as const;
    await (identity === null ? null : grantRole(tx, viewer.tenantId, { identity, ...acting }));
    return { customerId: made.id };
  });
}

/** @throws NameTakenError where the identity has the role already; InputInvalidError where it has another, and that was not said */
async function grantRole(
  tx: Tx,
  tenantId: bigint,
  {
    identity,
    ...acting
  }: Omit<Parameters<typeof sql.insertRole>[2], 'identityId'> & { identity: NewIdentity },
): Promise<void> {
  const { id: identityId } = await sql.ensureIdentity(tx, tenantId, identity);
  const others = (await sql.rolesOf(tx, tenantId, identityId)).filter((role) => role !== acting.role);
  if (others.length > 0 && identity.mayHaveOtherRoles !== true) {
    const message = `Whoever this is acts as ${others.join(', ')} already, and could read in one role what the other must not know. Give another subject, or say mayHaveOtherRoles.`;
    throw new InputInvalidError([{ path: '/subject', message }]);
  }
  if (!(await sql.insertRole(tx, tenantId, { identityId, ...acting }))) {
    throw new NameTakenError(`${acting.role.toLowerCase()} with the identity`, identity.subject);
  }
}

export interface NewExpert {
  /** How the expert is called inside the tenant. */
  readonly handle: string;
  /** Who may act as this expert: an issuer and subject of access tokens. Without it nobody can yet. */
  readonly identity?: NewIdentity | null;
}

/**
 * Adds an expert, and the identity that acts as them, in one transaction.
 * @throws NameTakenError where the handle is taken or the identity acts as another expert; InputInvalidError
 */
export async function createExpert(
  db: Database,
  viewer: Viewer,
  input: NewExpert,
): Promise<{ expertId: bigint }> {
  const { handle, identity } = checkAll({
    handle: () => checkedName('/handle', input.handle),
    identity: () => (input.identity ? checkedIdentity(input.identity) : null),
  });
  return service(db, viewer, async (tx) => {
    const expert = await sql.insertExpert(tx, viewer.tenantId, handle);
    if (expert === null) {
      throw new NameTakenError('expert', handle);
    }
    const acting = { role: 'EXPERT', customerId: null, expertId: expert.id } as const;
    await (identity === null ? null : grantRole(tx, viewer.tenantId, { identity, ...acting }));
    return { expertId: expert.id };
  });
}

/** Subjects are what an issuer made of them: not trimmed, only bounded. */
function checkedIdentity(identity: NewIdentity): NewIdentity {
  const { displayName } = checkAll({
    subject: () => checkSubject(identity.subject),
    displayName: () => checkedName('/displayName', identity.displayName),
  });
  return { ...identity, displayName };
}

function checkSubject(subject: string): void {
  if (subject.length < 1 || subject.length > 500 || /\p{Cc}|\p{Cs}/u.test(subject)) {
    const message = 'Give 1 to 500 characters without control characters.';
    throw new InputInvalidError([{ path: '/subject', message }]);
  }
}

/**
 * Gives an expert a skill, or changes its status or measured quality. A pause takes hold before any claim that follows.
 * @throws NotFoundError, InputInvalidError
 */
export async function setExpertSkill(
  db: Database,
  viewer: Viewer,
  input: sql.ExpertSkillChange,
): Promise<void> {
  checkQuality(input);
  await service(db, viewer, async (tx) => {
    if ((await sql.lockExpert(tx, viewer.tenantId, input.expertId)) === null) {
      throw new NotFoundError('expert');
    }
    const changed = await sql.upsertExpertSkill(tx, viewer.tenantId, input);
    if (changed === null) {
      throw new NotFoundError('skill');
    }
    if (changed.isRefused) {
      throw new InputInvalidError([{ path: '/qualityMean', message: MEASURED }]);
    }
  });
}

/** Pauses an expert in all skills, or takes the pause back. @throws NotFoundError */
export async function setExpertStatus(
  db: Database,
  viewer: Viewer,
  input: { expertId: bigint; status: 'ACTIVE' | 'PAUSED' },
): Promise<void> {
  const changed = await service(db, viewer, (tx) =>
    sql.setExpertStatus(tx, viewer.tenantId, { id: input.expertId, status: input.status }),
  );
  if (changed === null) {
    throw new NotFoundError('expert');
  }
}

function service<T>(db: Database, viewer: Viewer, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withService(db, { tenantId: viewer.tenantId, actorId: viewer.identityId }, work);
}

const MEASURED =
  'The quality of this expert in this skill is measured: only gold and adjudication move it. Leave both figures out.';

function checkQuality({ qualityMean, qualityLower }: sql.ExpertSkillChange): void {
  if ((qualityMean === null) !== (qualityLower === null)) {
    throw new InputInvalidError([
      { path: '/qualityLower', message: 'Give both figures of quality, or neither.' },
    ]);
  }
  if (qualityMean === null || qualityLower === null) {
    return;
  }
  if (!(qualityLower >= 0 && qualityLower <= qualityMean && qualityMean <= 1)) {
    throw new InputInvalidError([
      { path: '/qualityLower', message: 'Quality runs 0 ≤ lower bound ≤ mean ≤ 1.' },
    ]);
  }
}
