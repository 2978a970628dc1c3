import { expect, it } from 'vitest';
import { loadFiles } from '../../src/load/load.ts';
import { FORMER_KEYS } from '../../src/load/read/former-keys.ts';
import { projectOf } from './project-text.ts';

const operation = (text: string): string => `service: Orders.v1\npublic: true\noperations:\n  PUT_ORDER: { ${text} }\n`;

/** What was written, by the key and what replaces it. */
const WRITTEN: Readonly<Record<string, string>> = {
  'keep > retention.results': 'gateway: main\nlimits: { keep: 7 d }\n',
  'reply > reply-of': operation('get: "a/{message}", reply: ORDER_PUT'),
  'reply > awaits-reply': 'subscription: TO_ERP\noperation: ORDER_PUT\nreply: { within: 1 d }\n',
  'reply > reply-element': operation('soap: { reply: Stock }'),
  'replies > gives-reply': 'subscription: TO_ERP\noperation: ORDER_PUT\nreplies: true\n',
  'requests > process-requests': 'gateway: main\nretention: { requests: 30 d }\n',
  'messages > process-logs': 'gateway: main\nretention: { messages: 30 d }\n',
  'dead > failed-jobs': 'gateway: main\nretention: { dead: 30 d }\n',
  'template > variables': operation('get: "a/{ID}", template: { fields: { ID: text } }'),
};

it.each(FORMER_KEYS)('$key is refused with what replaces it: $now', ({ key, now }) => {
  const text = WRITTEN[`${key} > ${now}`] ?? '';
  const named = `${key} is not a key of`;
  const found = loadFiles(projectOf(text), 'ignore-missing').diagnostics.filter(({ message }) =>
    message.startsWith(named),
  );
  expect(found.map(({ code }) => code)).toEqual(['unknown-key']);
  expect(found[0]?.hint).toContain(`Write ${now} instead: it replaces ${key}.`);
});

it('has a text for each of them', () => {
  expect(Object.keys(WRITTEN)).toEqual(FORMER_KEYS.map(({ key, now }) => `${key} > ${now}`));
});
