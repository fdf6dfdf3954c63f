// @once: what a file begins with
import { expect, test } from 'vitest';
import { UploadUnreadableError } from '../../src/services/projects/intake-parse.js';
import { brief, parse } from './support/intake.js';

const csv = (content: string | Uint8Array) => parse(content, { format: 'CSV' });

test.each([
  ['', 'The upload has no header.'],
  ['payload,id\n', 'The upload has no rows.'],
  ['a,,b\n1,2,3\n', 'The header has a column without a name.'],
  ['a,b, a\n1,2,3\n', 'The header has the column "a" twice.'],
  ['payload,priority\n1,2\n', /^The header has an unknown column "priority" beside payload/],
  ['"a\n1\n2', 'The header has a quote that is opened in line 1 and never closed.'],
  ['a"b,c\n1,2\n', 'The header has a quote in the middle of an unquoted field.'],
  [Buffer.from([0xff, 0x0a, 0x31, 0x0a]), 'The header is not valid UTF-8.'],
  ['id;text\n1;2\n', /^The header has semicolons and no comma: save the file with commas/],
  ['id\ttext\n1\t2\n', /^The header has tabs and no comma/],
  ['id,text\r1,2\r', /^The header has a carriage return in it/],
  ['id,"text"\r1,2\r', /^The header has a carriage return in it/],
  ['"id";"text"\n1;2\n', /^The header has semicolons and no comma/],
  [`${'x'.repeat(70_000)}\n1\n`, /^The header is longer than 65536 bytes/],
])('%j gives no meaning to its rows and is refused as a whole', async (content, reason) => {
  await expect(csv(content)).rejects.toThrow(reason);
  await expect(csv(content)).rejects.toThrow(UploadUnreadableError);
});

test('what is odd and means what it says is taken: two carriage returns a line, a tab behind a name, a name in quotes', async () => {
  expect(brief(await csv('id,payload\r\r\n1,a\r\r\n'))).toEqual(['2: 1 = a']);
  expect(brief(await csv('payload\t\na\n'))).toEqual(['2: null = a']);
  expect(await csv('"a;b"\n1\n')).toMatchObject([{ line: 2 }]);
});
