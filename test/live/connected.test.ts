import { expect, test } from 'vitest';
import { createConnected } from '../../src/live/connected.js';
import type { Viewer } from '../../src/services/access/viewer.js';

const expert = (expertId: bigint): Viewer => ({
  tenantId: 1n,
  tenantSlug: 't',
  identityId: expertId,
  displayName: 'e',
  role: 'EXPERT',
  customerId: null,
  expertId,
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  requestId: 'test',
});

/** Connections by a clock that the test moves. */
function started() {
  const clock = { ms: 0 };
  const connected = createConnected(() => clock.ms);
  /** Tells everything, as the job does. */
  const tell = () => {
    const told = connected.changes(100);
    connected.wasTold(told);
    return told;
  };
  return { clock, connected, tell };
}

test('an expert is told of when they come, by what, and when the last connection has gone', () => {
  const { clock, connected, tell } = started();
  const leave = connected.opened(expert(1n), 'sockets');
  clock.ms = 1_000;
  const leaveStream = connected.opened(expert(1n), 'streams');
  clock.ms = 3_000;
  expect(tell()).toEqual([
    {
      tenantId: 1n,
      expertId: 1n,
      sockets: 1,
      streams: 1,
      cameSeconds: 3,
      changedSeconds: 3,
      goodbye: true,
      blips: [],
    },
  ]);
  expect(tell()).toEqual([]);
  leave(false);
  leave(false); // again: nothing
  expect(tell()).toMatchObject([{ sockets: 0, streams: 1 }]);
  leaveStream(false);
  clock.ms = 4_000;
  expect(tell()).toMatchObject([{ sockets: 0, streams: 0, changedSeconds: 1, goodbye: false }]);
  connected.forgotten();
  expect(tell()).toEqual([]);
});

test('a loss that is over before it was told is told as one, a goodbye is none', () => {
  const { clock, connected, tell } = started();
  const leave = connected.opened(expert(1n), 'sockets');
  tell();
  clock.ms = 1_000;
  leave(false);
  clock.ms = 1_500;
  const leaveAgain = connected.opened(expert(1n), 'sockets');
  clock.ms = 2_000;
  expect(tell()).toMatchObject([{ sockets: 1, changedSeconds: 0.5, blips: [{ lost: 1, back: 0.5 }] }]);
  leaveAgain(true);
  connected.opened(expert(1n), 'sockets');
  expect(tell()).toMatchObject([{ sockets: 1, blips: [] }]);
});

test('a loss that was told and is over before the telling ended is told once', () => {
  const { clock, connected, tell } = started();
  const leave = connected.opened(expert(1n), 'sockets');
  tell();
  clock.ms = 1_000;
  leave(false);
  const told = connected.changes(100);
  clock.ms = 1_500;
  connected.opened(expert(1n), 'sockets');
  connected.wasTold(told);
  expect(tell()).toMatchObject([{ sockets: 1, blips: [] }]);
});

test('when they came first after a loss that was told is told, however often they are lost again', () => {
  const { clock, connected, tell } = started();
  connected.opened(expert(1n), 'sockets')(false);
  tell();
  clock.ms = 1_000;
  const leave = connected.opened(expert(1n), 'sockets');
  clock.ms = 2_000;
  leave(false);
  clock.ms = 3_000;
  connected.opened(expert(1n), 'sockets');
  expect(tell()).toMatchObject([{ cameSeconds: 2, changedSeconds: 0, blips: [{ lost: 1, back: 0 }] }]);
  clock.ms = 4_000;
  connected.opened(expert(1n), 'streams');
  expect(tell()).toMatchObject([{ cameSeconds: 1, changedSeconds: 1, blips: [] }]);
});

test('so it is where they came, and were lost again, while the loss was told', () => {
  const { clock, connected, tell } = started();
  connected.opened(expert(1n), 'sockets')(false);
  const told = connected.changes(100);
  clock.ms = 1_000;
  const leave = connected.opened(expert(1n), 'sockets');
  clock.ms = 2_000;
  leave(false);
  clock.ms = 3_000;
  connected.opened(expert(1n), 'sockets');
  connected.wasTold(told);
  expect(tell()).toMatchObject([{ cameSeconds: 2, changedSeconds: 0, blips: [{ lost: 1, back: 0 }] }]);
});

test('who is forgotten is told of again, and only experts are told of', () => {
  const { connected, tell } = started();
  connected.opened(expert(1n), 'sockets');
  connected.opened({ ...expert(2n), role: 'OPERATOR', expertId: null }, 'sockets');
  expect(tell()).toHaveLength(1);
  connected.forgotten();
  expect(tell()).toMatchObject([{ expertId: 1n, sockets: 1 }]);
});
