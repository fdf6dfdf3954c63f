import { png } from './png.js';

const ESSAY = `${'The lamp that the keeper lit was seen from eleven miles, and on clear nights from fourteen. '.repeat(30)}\n\n`;
/** One of each kind that the workbench shows in a way of its own. */
export const PAYLOADS = [
  {
    payload: {
      question: 'Which of the two says what you would see?',
      left: 'It was seen before.',
      right: 'It was seen from eleven miles.',
    },
  },
  { payload: ESSAY.repeat(4), contentType: 'text/plain' },
  { payload: { code: 'def add(a, b):\n    return a + b\n', language: 'python' } },
  {
    payload: {
      messages: [
        { role: 'user', content: 'Where is the lamp?' },
        { role: 'assistant', content: 'On the point.' },
      ],
    },
  },
  {
    payload: {
      messages: [
        { role: 'user', content: 'Will it rain in Kiel tomorrow?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'c1',
              type: 'function',
              function: { name: 'weather', arguments: '{"town":"Kiel","days":[1,2]}' },
            },
            { id: 'c2', type: 'function', function: { name: 'now', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: '{"rain":0.3,"wind":"west"}' },
        { role: 'assistant', content: 'Probably not.' },
      ],
    },
  },
  { payload: { id: 7, tags: ['one', 'two'], place: { lat: 54.1, lon: 12.1 } } },
  {
    payload: '# Report\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\nSome **bold** words.',
    contentType: 'text/markdown',
  },
  {
    payload: {
      question: 'Is this the lamp?',
      photo: png(480, 240),
      more: { views: [png(64, 64), 'https://example.com/lamp.png'] },
    },
  },
  { payload: '<h1>Report</h1><p>Of somebody else.</p>', contentType: 'text/html' },
];
