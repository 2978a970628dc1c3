import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/load/diagnostic/diagnostic.ts';
import { renderDiagnostics } from '../../src/load/diagnostic/render.ts';

const base: Diagnostic = {
  code: 'unknown-key',
  severity: 'error',
  message: 'x is not a key of y.',
  hint: 'Did you mean z?',
  at: { file: 'a.yaml', line: 2, column: 3 },
  length: 1,
};
const show = (diagnostic: Partial<Diagnostic>, text = 'a: 1\n  x: 2\n', colour = false): string =>
  renderDiagnostics({ diagnostics: [{ ...base, ...diagnostic }], sources: new Map([['a.yaml', text]]) }, { colour });

describe('a diagnostic as text', () => {
  it('is its place, its line with a caret, and its hint', () => {
    expect(show({})).toBe(
      'a.yaml:2:3: error unknown-key: x is not a key of y.\n  2 |   x: 2\n    |   ^\n  hint: Did you mean z?\n',
    );
  });

  it('stands alone where its line is not known', () => {
    expect(show({ at: { file: 'other.yaml', line: 1, column: 1 } })).toBe(
      'other.yaml:1:1: error unknown-key: x is not a key of y.\n  hint: Did you mean z?\n',
    );
    expect(show({ at: { file: 'a.yaml', line: 99, column: 1 } })).not.toContain('|');
  });

  it('keeps the caret below its place behind tabs and in long lines', () => {
    expect(show({}, 'a\n\t\tx: 2\n').split('\n').slice(1, 3)).toEqual(['  2 |     x: 2', '    |     ^']);
    const long = show(
      { at: { file: 'a.yaml', line: 1, column: 1001 }, length: 3 },
      `${'a'.repeat(1000)}xyz${'b'.repeat(1000)}\n`,
    );
    const [, line = '', caret = ''] = long.split('\n');
    expect(line.length).toBeLessThan(180);
    expect(line.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('xyz');
  });

  it('never shows the rest of a line that holds a secret', () => {
    const text = 'user: a\nbase: https://me:hunter2@x # hunter2\n  password: hunter2, x: 1\n';
    const secret: Diagnostic = { ...base, code: 'secret-in-clear', at: { file: 'a.yaml', line: 2, column: 7 } };
    const behind: Diagnostic = { ...base, at: { file: 'a.yaml', line: 2, column: 20 } };
    const other: Diagnostic = { ...base, at: { file: 'a.yaml', line: 3, column: 22 } };
    const diagnostics = [secret, behind, other];
    const shown = renderDiagnostics({ diagnostics, sources: new Map([['a.yaml', text]]) }, { colour: false });
    expect(shown).not.toContain('hunter2');
    expect(shown).toContain('  2 | base: ***\n    |       ^^^\n');
    expect(shown).toContain('  3 |   password: ***\n    |             ^^^\n');
  });

  it('has colours where they are wanted', () => {
    expect(show({}, undefined, true)).toContain('\u001b[31merror unknown-key:\u001b[0m');
    expect(show({ severity: 'warning' }, undefined, true)).toContain('\u001b[33m');
    expect(show({})).not.toContain('\u001b');
  });

  it('serialises as it is', () => {
    expect(JSON.parse(JSON.stringify(base))).toEqual(base);
  });

  it('is nothing where there are none, and one after the other where there are several', () => {
    expect(renderDiagnostics({ diagnostics: [], sources: new Map() }, { colour: false })).toBe('');
    const both = renderDiagnostics({ diagnostics: [base, base], sources: new Map() }, { colour: false });
    expect(both.split('\n\n')).toHaveLength(2);
  });

  it('shows 200 of very many, errors before warnings, and tells how many there are beside those', () => {
    const warnings = Array.from({ length: 250 }, (): Diagnostic => ({ ...base, severity: 'warning' }));
    const rest = { ...base, message: 'The error.' };
    const shown = renderDiagnostics({ diagnostics: [...warnings, rest], sources: new Map() }, { colour: false });
    expect(shown.split('\n\n')).toHaveLength(201);
    expect(shown).toMatch(/The error\.[\s\S]*\n\.\.\. and 51 more\n$/);
  });
});
