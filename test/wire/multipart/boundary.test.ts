import { describe, expect, it } from 'vitest';
import { boundaryOfText } from '../../../src/wire/multipart/boundary.ts';
import { readAll } from './support.ts';

describe('a message inside a text', () => {
  const text = [
    '',
    '------=_Part_12_345.678',
    'Content-Type: application/xop+xml; charset=UTF-8; type="text/xml"',
    'Content-Transfer-Encoding: 8bit',
    'Content-ID: <root>',
    '',
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/">é</soapenv:Envelope>',
    '------=_Part_12_345.678',
    'Content-Type: application/xml',
    'Content-Transfer-Encoding: 8bit',
    'Content-ID: <1>',
    '',
    '<Document>',
    '  <a/>',
    '</Document>',
    '------=_Part_12_345.678--',
    '',
  ];

  it.each(['\n', '\r\n'])('is read with the boundary of its first line (%j)', async (lineEnd) => {
    const message = text.join(lineEnd);
    const boundary = boundaryOfText(message);
    expect(boundary).toBe('----=_Part_12_345.678');
    const [root, second, ...more] = await readAll([Buffer.from(message)], boundary);
    expect(root?.[0]['content-id']).toBe('<root>');
    expect(Buffer.from(root?.[1] ?? '', 'latin1').toString()).toBe(text[6]);
    expect(second).toEqual([
      { 'content-type': 'application/xml', 'content-transfer-encoding': '8bit', 'content-id': '<1>' },
      ['<Document>', '  <a/>', '</Document>'].join(lineEnd),
    ]);
    expect(more).toEqual([]);
  });

  it.each([
    ['--x', 'x'],
    ['\r\n \n\t\r\n--x \t\r\ny', 'x'],
    ['', undefined],
    [' \n ', undefined],
    ['text\n--x', undefined],
    [' --x', undefined],
    ['-x', undefined],
    ['--', undefined],
    [`--${'x'.repeat(71)}`, undefined],
    [`<Document>${'x'.repeat(1000)}</Document>`, undefined],
  ])('%j has the boundary %s', (given, boundary) => {
    expect(boundaryOfText(given)).toBe(boundary);
  });
});
