// @once: what a page makes of a file
import { expect, test } from 'vitest';
import { formatOf, nothingIn, previewOf } from '../../web/src/customer/preview.js';

const PROJECT = { redundancy: 2, isAdaptive: false };

const look = (name: string, ...content: (string | Uint8Array<ArrayBuffer>)[]) =>
  previewOf(new File(content, name), PROJECT);
const faultsOf = async (name: string, content: string) =>
  (await look(name, content)).faults.map(({ line, fault }) => [line, fault]);

test('rows are told by the line of the file, and by the server’s words', async () => {
  const rows = '{"id":"a"}\n\n[1]\nnothing\n{"payload":"x","misspelt":1}\n{"payload":"x"}\n';
  expect(await look('items.jsonl', rows)).toMatchObject({ format: 'jsonl', rows: 5, columns: [] });
  expect(await faultsOf('items.jsonl', rows)).toEqual([
    [3, 'The row is not a JSON object.'],
    [4, expect.stringMatching(/^The row is not valid JSON/)],
    [5, 'The row has an unknown field "misspelt" beside its payload.'],
  ]);
  const table = '\uFEFFid,text\r\n1,"a, ""b""\nc"\r\n2\r\n3,d\r\n';
  expect(await look('items.csv', table)).toMatchObject({ format: 'csv', rows: 3, columns: ['id', 'text'] });
  expect(await faultsOf('items.csv', table)).toEqual([[4, 'The row has 1 columns where the header has 2.']]);
});

test('what rows ask for beside each other, and of the project, is looked at too', async () => {
  const rows = [
    '{"payload":"x","externalId":"a"}',
    '{"payload":"x","externalId":"a"}',
    '{"payload":"x","allow":["ada"]}',
    '{"payload":"x","allow":["ada","bob"],"block":["bob"],"redundancy":1}',
  ];
  expect(await faultsOf('items.jsonl', rows.join('\n'))).toEqual([
    [2, 'Another row of this batch has the same id.'],
    [3, 'The row wants 2 answers but leaves only 1 expert to give them.'],
  ]);
});

test('a quote that is never closed is one fault, which says where it opens, however much it swallows', async () => {
  const table = `id,text\n1,x\n"two\nlines","open\n${'3,c\n'.repeat(2_000_000)}`;
  const preview = await look('items.csv', table);
  expect(preview).toMatchObject({ rows: 2, faultCount: 1, isPart: false });
  expect(preview.faults[0]?.fault).toContain('a quote that is opened in line 4 and never closed');
});

test('of a large file enough is looked at, and nothing that is cut in half is a fault', async () => {
  const row = `${JSON.stringify({ payload: 'x'.repeat(1000) })}\n`;
  const preview = await look('items.jsonl', row.repeat(9_000));
  expect(preview).toMatchObject({ isPart: true, faultCount: 0, faults: [], unreadable: null });
  expect(preview.rows).toBeGreaterThan(3_000);
  expect(preview.rows).toBeLessThan(9_000);
});

test('a file in which nothing is a task is looked at to its end', async () => {
  const nothing = `${'nothing '.repeat(1_000)}\n`.repeat(700);
  const none = await look('items.jsonl', nothing);
  expect(none).toMatchObject({ rows: 700, faultCount: 700, isPart: false });
  expect(none.faults).toHaveLength(10);
  expect(nothingIn(none)).toContain('No row of this file is a task');
  const late = await look('items.jsonl', nothing, '{"id":1}\n');
  expect(nothingIn(late)).toBeNull();
});

test('what is no text is said, with what to do', async () => {
  const utf16 = Uint8Array.from(Buffer.from('\ufeffid,q\n1,a\n', 'utf16le'));
  const png = Uint8Array.from(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  for (const name of ['a.csv', 'a.jsonl', 'a']) {
    expect((await look(name, utf16)).unreadable).toContain('is UTF-16: save it as UTF-8 first');
    const picture = await look(name, png);
    expect(picture).toMatchObject({ rows: 0, unreadable: expect.stringContaining('is a picture (PNG)') });
    expect(nothingIn(picture)).toContain('Nothing of this file can be read');
  }
  expect((await look('a.csv', 'id,id\n1,2\n')).unreadable).toBe('The header has the column "id" twice.');
  expect((await look('a.csv', '')).unreadable).toBe('The upload has no header.');
  const list = await look('a.json', '[\n{"id":1},\n{"id":2}\n]');
  expect(list).toMatchObject({ isList: true, rows: 4, faultCount: 3 }); // and the server takes the fourth
  expect(nothingIn(await look('a.json', '[{"id":1},\n{"id":2}]'))).toContain('begins a JSON list');
});

test('without a name that says it, the first character does', () => {
  expect(formatOf('items', '{"a":1}\n')).toBe('jsonl');
  expect(formatOf('items.txt', 'id\n1\n')).toBe('csv');
  expect(formatOf('items.JSONL', 'id')).toBe('jsonl');
});
