import { expect, test } from 'vitest';
import { callerOf } from '../../src/services/routing/outcome.js';
import { serveAlone } from '../../src/services/routing/serve.js';
import { submitAnswer } from '../../src/services/routing/submit.js';
import { useTestDb } from '../support/db.js';
import { answerOf, makeWorld } from '../support/factories.js';
import { take } from '../support/work.js';

// What the expert saw is kept with the answer, in its transaction, and like the answer it is said once.
const t = useTestDb();

const formsOf = async (assignmentId: bigint) =>
  (
    await t.admin.query('select client_version, form_variant from answer_forms where assignment_id = $1', [
      assignmentId,
    ])
  ).rows;

test('what a client says of its form is kept with the answer; what it says with the same answer later is not', async () => {
  const { ada } = await makeWorld(t.database, { tasks: 2 });
  const held = await take(t.database, ada);
  const submission = { assignmentId: held.id, leaseEpoch: held.epoch, answer: answerOf() };
  await submitAnswer(t.database, ada.viewer, { ...submission, clientVersion: '2.1', formVariant: 'B' });
  await t.advance(1);
  await submitAnswer(t.database, ada.viewer, { ...submission, clientVersion: '2.2', formVariant: 'C' });
  expect(await formsOf(held.id)).toEqual([{ client_version: '2.1', form_variant: 'B' }]);
  const silent = await take(t.database, ada);
  const said = { assignmentId: silent.id, leaseEpoch: silent.epoch, answer: answerOf() };
  await submitAnswer(t.database, ada.viewer, said);
  await t.advance(1);
  await submitAnswer(t.database, ada.viewer, { ...said, formVariant: 'B' });
  expect(await formsOf(silent.id)).toEqual([]);
});

test('a submit that is run by itself keeps the form as one of a batch does', async () => {
  const { ada } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  const { outcome } = await serveAlone(t.database, {
    kind: 'SUBMIT',
    caller: callerOf(ada.viewer),
    lease: { assignmentId: held.id, leaseEpoch: held.epoch },
    answer: {
      ...{ body: '{"choice":"yes"}', digest: 'a'.repeat(64), confidence: null, values: [] },
      clientVersion: null,
      formVariant: 'D',
    },
  });
  expect(outcome.outcome).toBe('SUBMITTED');
  expect(await formsOf(held.id)).toEqual([{ client_version: null, form_variant: 'D' }]);
});
