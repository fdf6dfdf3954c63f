// @once: what a page makes of a file
import { expect, test } from 'vitest';
import { previewOf } from '../../web/src/customer/preview.js';

test('JSONL is looked at line by line: what is no object is said with its row', () => {
  const preview = previewOf('items.jsonl', '{"id":"a"}\n\n[1]\nnothing\n{"payload":"x"}\n', false);
  expect(preview).toMatchObject({ format: 'jsonl', rows: 4, columns: [] });
  expect(preview.faults.map(({ line, fault }) => [line, fault])).toEqual([
    [2, 'is not a JSON object'],
    [3, 'is not valid JSON'],
  ]);
});

test('CSV may quote commas, quotes and line ends; rows are counted without the header', () => {
  const preview = previewOf('items.csv', '\uFEFFid,text\r\n1,"a, ""b""\nc"\r\n2\r\n3,d\r\n', false);
  expect(preview).toMatchObject({ format: 'csv', rows: 3, columns: ['id', 'text'] });
  expect(preview.faults.map(({ line, fault }) => [line, fault])).toEqual([
    [2, 'has 1 fields where the header has 2'],
  ]);
});

test('a file whose quote is never closed is one fault, and half a row at the end of a part is left out', () => {
  expect(previewOf('items.csv', 'id,text\n1,"open', false).faults).toHaveLength(1);
  expect(previewOf('items.jsonl', '{"a":1}\n{"b":', true)).toMatchObject({ rows: 1, faults: [] });
});

test('without a name that says it, the first character does', () => {
  expect(previewOf('items', '{"a":1}\n', false).format).toBe('jsonl');
  expect(previewOf('items.txt', 'id\n1\n', false).format).toBe('csv');
});
