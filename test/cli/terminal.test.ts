import { expect, test } from 'vitest';
import { CliFailure, renderFailure, wrongUsage } from '../../src/cli/failure.ts';
import { colours, jsonText, printable, renderTable, wantsColour } from '../../src/cli/terminal.ts';

const terminal = { isTTY: true };
const pipe = {};
const plain = colours(false);

test.each([
  ['a terminal', terminal, {}, true],
  ['a pipe', pipe, {}, false],
  ['a terminal that can do nothing', terminal, { TERM: 'dumb' }, false],
  ['NO_COLOR', terminal, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR', terminal, { NO_COLOR: '' }, true],
  ['FORCE_COLOR', pipe, { FORCE_COLOR: '1' }, true],
  ['FORCE_COLOR=0', terminal, { FORCE_COLOR: '0' }, false],
  ['both, the stronger being FORCE_COLOR', pipe, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
])('colour: %s', (_, stream, env, expected) => {
  expect(wantsColour(stream, env)).toBe(expected);
});

test('a failure is one line and its hint; stacks, of causes too, only for debugging', () => {
  const failure = new CliFailure('there is no query X', { hint: 'Did you mean Y?', cause: new Error('below') });
  expect(renderFailure(failure, plain, false)).toBe('signalbox: there is no query X\n  Did you mean Y?\n');
  const debug = renderFailure(failure, plain, true);
  expect(debug).toContain('CliFailure: there is no query X');
  expect(debug).toContain('Error: below');
  expect(renderFailure('a text', plain, false)).toBe('signalbox: a text\n');
  expect(renderFailure(new TypeError(''), plain, false)).toBe('signalbox: TypeError\n');
});

test('wrong usage is exit code 2, any other failure 1', () => {
  expect(wrongUsage('x').exitCode).toBe(2);
  expect(new CliFailure('x').exitCode).toBe(1);
});

test('texts of others control no terminal, and JSON of them stays the same to programs', () => {
  const text = 'a\u001b[31m\u009b31m\u202eb\u2028c\u007f';
  expect(printable(text)).toBe('a [31m 31m b c');
  const json = jsonText({ text });
  for (const each of ['\u001b', '\u009b', '\u202e', '\u2028', '\u007f']) expect(json).not.toContain(each);
  expect(JSON.parse(json)).toEqual({ text });
});

test('a table fits its width: the widest cells are cut in their middle, numbers never', () => {
  const rows = [['1234567890123', 'PRCS_GETPROCESSNAMES_GET', 'definitions/processes/service.yaml:12']];
  const table = renderTable(['NUMBER', 'OPERATION', 'WHERE'], rows, { colours: plain, right: new Set([0]), width: 50 });
  expect(table.split('\n')[1]).toBe('1234567890123  PRCS_GETPR…S_GET  definitions…ml:12');
  const narrow = renderTable(['NUMBER', 'OPERATION', 'WHERE'], rows, {
    colours: plain,
    right: new Set([0]),
    width: 20,
  });
  expect(narrow.split('\n')[1]).toBe('1234567890123  PRCS_G…ET  defin…12');
});

test('a table lines up, by characters, and lets nothing drive the terminal', () => {
  const rows = [
    ['1', 'Åre', 'x'],
    ['22', 'a\u001b[31mb\nc', ''],
  ];
  expect(renderTable(['N', 'NAME', 'Z'], rows, { colours: plain, right: new Set([0]) })).toBe(
    [' N  NAME       Z', ' 1  Åre        x', '22  a [31mb c', ''].join('\n'),
  );
});
