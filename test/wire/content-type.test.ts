import { expect, it } from 'vitest';
import {
  contentTypeFault,
  readContentType,
  sendableContentType,
  shownContentType,
} from '../../src/wire/content-type.ts';

it.each([
  ['application/soap+xml; charset=utf-8; action=urn:x/Op', { charset: 'utf-8', action: 'urn:x/Op' }],
  ['application/soap+xml; action=http://x.example/a?b=c#d', { action: 'http://x.example/a?b=c#d' }],
  ["text/xml; charset=''", {}],
  ['text/xml; charset=""', {}],
  ['text/xml; charset=', {}],
  ['text/xml; charset=; action=a', { action: 'a' }],
  ["text/xml; charset='utf-8'", { charset: 'utf-8' }],
  ["application/soap+xml; action='urn:x/Op'", { action: 'urn:x/Op' }],
  ['application/soap+xml; charset = utf-8', { charset: 'utf-8' }],
  ["multipart/related; type='application/xop+xml'; boundary='a'", { type: 'application/xop+xml', boundary: "'a'" }],
  ['text/xml, text/xml', {}],
  ['text/xml; charset=utf-8, text/xml;charset="UTF-8"', { charset: 'utf-8' }],
  ['text/xml; charset=utf-8, text/xml', { charset: 'utf-8' }],
  ['text/xml, text/xml; charset=latin1', { charset: 'latin1' }],
  ['text/xml; a=1, text/xml; b=2, text/xml; b=2; a=1', { a: '1', b: '2' }],
  ['application/soap+xml; action="a, b;c", application/soap+xml; action="a, b;c"', { action: 'a, b;c' }],
  ['text/plain; a=""; b="\\""', { a: '', b: '"' }],
])('%s has one meaning', (text, parameters) => {
  expect(contentTypeFault(text)).toBeUndefined();
  expect(Object.fromEntries(readContentType(text)!.parameters)).toEqual(parameters);
});

it.each([
  ['', 'it is not in the form type/subtype'],
  ['text', 'it is not in the form type/subtype'],
  ['*/*', 'it is not in the form type/subtype'],
  ['text/xml/x', 'it is not in the form type/subtype'],
  ['text/xml; charset="utf-8', 'its parameter "charset" has no closing quote'],
  ['text/xml; action', 'its parameter "action" has no value'],
  ['multipart/related; boundary=; type=a', 'its parameter "boundary" has no value'],
  [
    'text/xml; charset=utf-8 action=b',
    'its parameter "charset" has a value that contains a blank or a quote and is not in quotes',
  ],
  ['text/xml; a=b"c', 'its parameter "a" has a value that contains a blank or a quote and is not in quotes'],
  ['text/xml, application/json', 'it has two different values, "text/xml" and "application/json"'],
  [
    'text/xml; charset=utf-8, text/xml; charset=utf-16',
    'it has two different values, "text/xml; charset=utf-8" and "text/xml; charset=utf-16"',
  ],
  [
    'text/xml, text/xml; charset=utf-8, text/xml; charset=latin1',
    'it has two different values, "text/xml" and "text/xml; charset=latin1"',
  ],
  ['text/xml\r\nX: y', 'it contains a control character'],
])('%j is not clear, and the parameter is named', (text, fault) => {
  expect(readContentType(text)).toBeUndefined();
  expect(contentTypeFault(text)).toBe(fault);
  expect(shownContentType(text)).toBe(`Content-Type ${text} (${fault})`);
});

it.each([
  ['text/xml; charset="utf-8"', 'text/xml; charset="utf-8"'],
  ['text/csv, text/csv', 'text/csv'],
  ['image/png; name=a/b"', undefined],
  ['image/png; name=a/b', 'image/png; name="a/b"'],
])('%s is passed on as %s', (text, sent) => {
  expect(sendableContentType(text)).toBe(sent);
});
