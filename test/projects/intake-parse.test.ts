// @apart: the heap of the process is what is looked at
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseIntake, UploadUnreadableError } from '../../src/services/projects/intake-parse.js';
import { isFault } from '../../src/services/projects/intake-row.js';
import { brief, parse } from './support/intake.js';

const jsonl = (content: string | Uint8Array, skipRows = 0) => parse(content, { format: 'JSONL', skipRows });
const csv = (content: string | Uint8Array, skipRows = 0) => parse(content, { format: 'CSV', skipRows });
const utf8 = (text: string) => new TextEncoder().encode(text);
const plain = {
  contentType: 'text/plain; charset=utf-8',
  redundancy: null,
  isCritical: false,
  allow: null,
  block: null,
};

const ROW_MAX = 8 * 1024 * 1024;

describe('JSONL', () => {
  test('an object with a payload is an envelope; any other object is the payload', async () => {
    const [envelope, text, object] = await jsonl(
      [
        '{"externalId":"a-1","payload":{"q":1},"contentType":"application/vnd.q+json","redundancy":5,"critical":true,"allow":["x","y","x"],"block":["z"]}',
        '{"payload":"<b>hello</b>","externalId":7}',
        '{"id":12,"question":"why?"}',
      ].join('\n'),
    );
    expect(envelope).toEqual({
      line: 1,
      externalId: 'a-1',
      payload: utf8('{"q":1}'),
      contentType: 'application/vnd.q+json',
      redundancy: 5,
      isCritical: true,
      allow: ['x', 'y'],
      block: ['z'],
    });
    expect(text).toEqual({ ...plain, line: 2, externalId: '7', payload: utf8('<b>hello</b>') });
    expect(object).toEqual({
      ...plain,
      line: 3,
      externalId: '12',
      payload: utf8('{"id":12,"question":"why?"}'),
      contentType: 'application/json',
    });
  });

  test('each bad row is one fault with its line, and the rows around it are read', async () => {
    const bad: [string | Buffer, string][] = [
      ['{"a":', 'The row is not valid JSON.'],
      ['{"a":1 "b":2}', 'The row is not valid JSON (at character 8).'],
      ['[1]', 'The row is not a JSON object.'],
      ['null', 'The row is not a JSON object.'],
      [Buffer.from([0x7b, 0xff, 0x7d]), 'The row is not valid UTF-8.'],
      [Buffer.from('{"a":"\u0000"}'), 'The row contains a NUL byte.'],
      ['{"payload":1,"redundncy":2}', 'The row has an unknown field "redundncy" beside its payload.'],
      ['{"payload":""}', 'The row has no payload.'],
      ['{"payload":"\\ud83d"}', 'The row has a payload with half a character in it (a lone surrogate).'],
      ['{"payload":1,"redundancy":0}', 'The row has a redundancy that is not a whole number from 1 to 100.'],
      [
        '{"payload":1,"redundancy":1.5}',
        'The row has a redundancy that is not a whole number from 1 to 100.',
      ],
      ['{"payload":1,"critical":1}', 'The row has a field "critical" that is neither true nor false.'],
      ['{"payload":1,"allow":"ada"}', 'The row has a field "allow" that is not a list of expert ids.'],
      [
        '{"payload":1,"contentType":"text"}',
        'The row has a content type that is not of the form type/subtype.',
      ],
      [
        '{"payload":1,"contentType":"text/plain;a=\\u0000"}',
        'The row has a content type that is not of the form type/subtype.',
      ],
      [
        '{"payload":{"n":12345678901234567890}}',
        'The row has the number 12345678901234567890, which would be changed: send it as text.',
      ],
      [
        '{"payload":1,"contentType":"a/b\\r\\nx: y"}',
        'The row has a content type that is not of the form type/subtype.',
      ],
      [
        '{"payload":1,"externalId":{}}',
        'The row has an external id that is neither text nor a whole number.',
      ],
      [
        '{"payload":1,"externalId":"a\\u0000"}',
        'The row has an external id with a character that cannot be stored.',
      ],
      [
        `{"payload":1,"externalId":"${'x'.repeat(501)}"}`,
        'The row has an external id that is empty or longer than 500 characters.',
      ],
      [`${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'The row is not a JSON object.'],
      [`{"payload":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'The row is nested too deeply.'],
    ];
    const good = Buffer.from('{"payload":"ok"}\n');
    const content = Buffer.concat(bad.flatMap(([row]) => [Buffer.from(row), Buffer.from('\n'), good]));
    const rows = await parse(content, { format: 'JSONL' }, 50_000);
    expect(brief(rows)).toEqual(
      bad.flatMap(([, reason], n) => [`${2 * n + 1}: ${reason}`, `${2 * n + 2}: null = ok`]),
    );
  });

  test('a row over 8 MiB is one fault, whatever it holds, and one at 8 MiB is a row', async () => {
    const atLimit = `{"payload":"${'x'.repeat(ROW_MAX - 14)}"}`;
    expect(atLimit).toHaveLength(ROW_MAX);
    const rows = await parse(
      `${atLimit}\n${'y'.repeat(3 * ROW_MAX)}\n{"payload":"ok"}`,
      { format: 'JSONL' },
      65_536,
    );
    expect(rows[0]).toMatchObject({ line: 1, payload: expect.any(Uint8Array) });
    expect(brief(rows.slice(1))).toEqual(['2: The row is longer than 8388608 bytes.', '3: null = ok']);
    const longer = await parse(`text\n"${'\u0001'.repeat(2_000_000)}"\n`, { format: 'CSV' }, 65_536);
    expect(brief(longer)).toEqual(['2: The row has a payload of more than 8388608 bytes.']);
    const escaped = JSON.stringify({ payload: '\\"'.repeat(2_000_000) });
    expect(await jsonl(escaped)).toMatchObject([{ payload: expect.any(Uint8Array) }]);
  });

  test('a byte order mark, \\r\\n, blank lines and a missing last line break are nothing special', async () => {
    const content = '\ufeff{"payload":"a"}\r\n\r\n  \t\r\n\n{"payload":"b"}';
    expect(brief(await jsonl(content))).toEqual(['1: null = a', '5: null = b']);
  });

  test('an upload without rows is refused as a whole', async () => {
    for (const content of ['', '\n \n', '\ufeff']) {
      await expect(jsonl(content)).rejects.toThrow(new UploadUnreadableError('The upload has no rows.'));
    }
  });
});

describe('CSV', () => {
  test('with a payload column, the cell is the payload and the other columns say what is wished', async () => {
    const rows = await csv(
      'payload,external_id,content_type,redundancy,critical,allow,block\r\n"He said ""hi"",\nand left",i1,text/html,3,true,x  y,z\r\nplain,,,,,,\r\n',
    );
    expect(rows).toEqual([
      {
        line: 2,
        externalId: 'i1',
        payload: utf8('He said "hi",\nand left'),
        contentType: 'text/html',
        redundancy: 3,
        isCritical: true,
        allow: ['x', 'y'],
        block: ['z'],
      },
      { ...plain, line: 4, externalId: null, payload: utf8('plain') },
    ]);
  });

  test('without one, a row is a JSON object of its columns, and external_id or id names it', async () => {
    expect(brief(await csv('id,left,right\n1,a,b\n'))).toEqual(['2: 1 = {"id":"1","left":"a","right":"b"}']);
    expect(brief(await csv('external_id,id,q\ne,1,x\n'))).toEqual(['2: e = {"id":"1","q":"x"}']);
    expect(brief(await csv('q\nx\n'))).toEqual(['2: null = {"q":"x"}']);
  });

  test('each bad row is one fault with its line, and the rows around it are read', async () => {
    const content = Buffer.concat([
      Buffer.from('payload,id\n'),
      Buffer.from('one\n'),
      Buffer.from('a,b,c\n'),
      Buffer.from('mid"dle,2\n'),
      Buffer.from('"clo"sed,3\n'),
      Buffer.from([0xc3, 0x28, 0x2c, 0x34, 0x0a]),
      Buffer.from('nul\u0000,5\n'),
      Buffer.from(',6\n'),
      Buffer.from('"two\nlines",7\n'),
      Buffer.from(`"${'x\n'.repeat(4_200_000)}",8\n`),
      Buffer.from('fine,9\n'),
      Buffer.from('"closed\non another line","never closed,10\nfine,11\n'),
    ]);
    expect(brief(await parse(content, { format: 'CSV' }, 4096))).toEqual([
      '2: The row has 1 columns where the header has 2.',
      '3: The row has 3 columns where the header has 2.',
      '4: The row has a quote in the middle of an unquoted field.',
      '5: The row has text after a closing quote.',
      '6: The row is not valid UTF-8.',
      '7: The row contains a NUL byte.',
      '8: The row has no payload.',
      '9: 7 = two\nlines',
      '11: The row is longer than 8388608 bytes.',
      '4200012: 9 = fine',
      '4200013: The row has a quote that is opened in line 4200014 and never closed, so nothing after it could be read.',
    ]);
  });
});

describe('properties', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '€', '"', ',', '\n', ' ', '𝒳') });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

  test('CSV rows come back as they were written, however the bytes are cut', async () => {
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('\n', '\r\n'),
        async (table, size, eol) => {
          const content = ['x,y', ...table.map((row) => row.map(quoted).join(','))].join(eol);
          const read = await parse(content, { format: 'CSV' }, size);
          expect(
            read.map((row) => (isFault(row) ? row : JSON.parse(Buffer.from(row.payload).toString()))),
          ).toEqual(table.map(([x, y]) => ({ x, y })));
        },
      ),
    );
  });

  test('going on after row k gives exactly the rows that a full reading gives after row k', async () => {
    const line = fc.oneof(
      fc.constantFrom('', '{', '[]', '{"payload":""}'),
      cell.map((text) => JSON.stringify({ payload: text })),
    );
    const content = fc.array(line, { maxLength: 12 }).map((lines) => ['{"payload":1}', ...lines].join('\n'));
    await fc.assert(
      fc.asyncProperty(content, fc.nat(14), async (text, skip) => {
        expect(await jsonl(text, skip)).toEqual((await jsonl(text)).slice(skip));
      }),
    );
  });

  test('any bytes give rows, faults or one refusal, and no two rows have the same line', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom('JSONL' as const, 'CSV' as const), async (content, format) => {
        const rows = await parse(content, { format }).catch((error: unknown) => {
          expect(error).toBeInstanceOf(UploadUnreadableError);
          return [];
        });
        const lines = rows.map((row) => row.line);
        expect(new Set(lines).size).toBe(lines.length);
      }),
    );
  });
});

test('a million rows pass through without being held', async () => {
  async function* million() {
    const chunk = Buffer.from('{"payload":"0123456789012345678901234567890123456789"}\n'.repeat(1000));
    for (let n = 0; n < 1000; n += 1) {
      yield chunk;
    }
  }
  let count = 0;
  let peak = 0;
  const before = process.memoryUsage().heapUsed;
  for await (const row of parseIntake(million(), { format: 'JSONL', skipRows: 900_000 })) {
    count += isFault(row) ? 0 : 1;
    if (count % 10_000 === 0) {
      peak = Math.max(peak, process.memoryUsage().heapUsed - before);
    }
  }
  expect(count).toBe(100_000);
  expect(peak).toBeLessThan(100 * 1024 * 1024);
});
