import { describe, expect, it } from 'vitest';
import type { Declared, DeclaredMap } from '../../src/import/declare/declared.ts';
import { DefinitionFiles, update } from '../../src/import/update.ts';

const order = (fields: DeclaredMap, more: DeclaredMap = {}): Declared => ({
  kind: 'document',
  id: 'ORDER',
  keys: { ...more, fields },
  file: 'documents',
});

/** Imports twice, with the edits of people in between. */
function again(before: readonly Declared[], edit: (text: string) => string, after: readonly Declared[]) {
  const pathOf = (file: string): string => `${file}.yaml`;
  const first = update({ files: new Map(), before: [], after: before, pathOf });
  const edited = new Map([...first.files].map(([path, text]) => [path, edit(text)]));
  const { files, changes } = update({ files: edited, before, after, pathOf });
  const words = changes.map(({ kind, path }) => `${kind} ${path.join(' > ')}`);
  return { text: files.get('documents.yaml') ?? edited.get('documents.yaml'), changes: words, files };
}

const same = (text: string): string => text;

describe('a second import', () => {
  it('changes nothing where nothing changed', () => {
    const { changes, files } = again([order({ A: 'string' })], same, [order({ A: 'string' })]);
    expect(changes).toEqual([]);
    expect(files.size).toBe(0);
  });

  it('adds, changes and removes what the contract did, each in its place', () => {
    const { text, changes } = again([order({ A: 'string', C: 'date', D: 'text' })], same, [
      order({ A: { type: 'string', required: true }, B: 'integer', C: 'date' }),
    ]);
    expect(text).toBe(`document: ORDER
fields:
  A: { type: string, required: true }
  B: integer
  C: date
`);
    expect(changes).toEqual([
      'changed document ORDER > fields > A',
      'removed document ORDER > fields > D',
      'added document ORDER > fields > B',
    ]);
  });

  it('brings the words for values that nobody gives, which earlier imports wrote as those that fill', () => {
    const before = order({ A: { type: 'integer', default: 7 }, B: { type: 'string', fixed: 'TEST' }, C: 'text' });
    const after = order({ A: { type: 'integer', assumed: 7 }, B: { type: 'string', enum: ['TEST'] }, C: 'text' });
    const { text, changes } = again([before], (each) => each.replace('default: 7', 'default: 7, sensitive: true'), [
      after,
    ]);
    expect(text).toBe(`document: ORDER
fields:
  A: { type: integer, assumed: 7, sensitive: true }
  B: { type: string, enum: [ TEST ] }
  C: text
`);
    expect(changes).toEqual([
      'removed document ORDER > fields > A > default',
      'added document ORDER > fields > A > assumed',
      'changed document ORDER > fields > B',
    ]);
  });

  it('keeps a value that people chose to fill a field with, and adds nothing that contradicts it', () => {
    const before = order({ A: { type: 'integer', default: 7 }, B: { type: 'string', fixed: 'TEST' } });
    const after = order({ A: { type: 'integer', assumed: 7 }, B: { type: 'string', enum: ['TEST'] } });
    const edit = (text: string): string => text.replace('default: 7', 'default: 9').replace('TEST', 'LIVE');
    const { text, changes } = again([before], edit, [after]);
    expect(text).toBe(`document: ORDER
fields:
  A: { type: integer, default: 9 }
  B: { type: string, fixed: LIVE }
`);
    expect(changes).toEqual([
      'kept document ORDER > fields > A > default',
      'kept document ORDER > fields > A > assumed',
      'kept document ORDER > fields > B > fixed',
      'kept document ORDER > fields > B > enum',
    ]);
    const chosen = again([after], (each) => each.replace('assumed: 7', 'default: 7'), [after]);
    expect(chosen).toMatchObject({ changes: [] });
  });

  it('brings a named type in place of the restrictions that fields had, unless people changed these', () => {
    const status: Declared = {
      kind: 'type',
      id: 'STATUS',
      keys: { base: 'string', enum: ['N', 'S'] },
      file: 'documents',
    };
    const listed = { type: 'string', enum: ['N', 'S'] };
    const before = order({ A: listed, B: listed, C: { type: 'list of string', entry: { enum: ['N', 'S'] } } });
    const after = order({ A: 'STATUS', B: 'STATUS', C: 'list of STATUS' });
    const edit = (text: string): string =>
      text.replace('B: { type: string, enum: [ N, S ]', 'B: { type: string, enum: [ N, S, X ]');
    const { text, changes } = again([before], edit, [after, status]);
    expect(text).toBe(`document: ORDER
fields:
  A: STATUS
  B: { type: string, enum: [ N, S, X ] }
  C: list of STATUS
---
type: STATUS
base: string
enum: [ N, S ]
`);
    expect(changes).toEqual([
      'changed document ORDER > fields > A',
      'kept document ORDER > fields > B > type',
      'changed document ORDER > fields > C',
      'added type STATUS',
    ]);
  });

  it('keeps what people added: keys, fields, comments and definitions', () => {
    const edit = (text: string): string =>
      `# ours\n${text.replace('A: string', 'A: { type: string, sensitive: true } # secret\n  OURS: text')}---\ndocument: OTHER\nfields: {}\n`;
    const { text, changes } = again([order({ A: 'string' })], edit, [order({ A: { type: 'string', maximum: 5 } })]);
    expect(text).toBe(`# ours
document: ORDER
fields:
  A: { type: string, maximum: 5, sensitive: true } # secret
  OURS: text
---
document: OTHER
fields: {}
`);
    expect(changes).toEqual(['added document ORDER > fields > A > maximum']);
  });

  it('keeps what people changed, and says so if the contract changed it too', () => {
    const edit = (text: string): string => text.replace('string', 'string(10)');
    const { text, changes } = again([order({ A: 'string' })], edit, [order({ A: 'integer' })]);
    expect(text).toContain('A: string(10)');
    expect(changes).toEqual(['kept document ORDER > fields > A > type']);
  });

  it('keeps whole what people changed of an element that the contract no longer has', () => {
    const edit = (text: string): string => text.replace('B: { type: string,', 'B: { type: string, description: Ours,');
    const before = [order({ A: 'string', B: { type: 'string', required: true } })];
    const { text, changes } = again(before, edit, [order({ A: 'string' })]);
    expect(text).toContain('  B: { type: string, description: Ours, required: true }\n');
    expect(changes).toEqual(['kept document ORDER > fields > B']);
  });

  it('does not bring back what people removed', () => {
    const { text, changes } = again(
      [order({ A: 'string', B: 'date' })],
      (written) => written.replace('  B: date\n', ''),
      [order({ A: 'string', B: 'date', C: 'text' })],
    );
    expect(text).not.toContain('B:');
    expect(changes).toEqual(['added document ORDER > fields > C']);
  });

  it('removes a definition that the contract no longer has, unless people changed it', () => {
    const other: Declared = { kind: 'document', id: 'OTHER', keys: { fields: { A: 'string' } }, file: 'documents' };
    const removed = again([order({ A: 'string' }), other], same, [order({ A: 'string' })]);
    expect(removed.text).not.toContain('OTHER');
    const edit = (text: string): string => text.replace('document: OTHER', 'document: OTHER\ndescription: ours');
    const kept = again([order({ A: 'string' }), other], edit, [order({ A: 'string' })]);
    expect(kept.changes).toEqual(['kept document OTHER']);
    expect(kept.text).toContain('OTHER');
  });

  it('follows a definition that people moved to another file', () => {
    const before = [order({ A: 'string' })];
    const files = new Map([['elsewhere.yaml', 'document: ORDER\nfields: { A: string }\n']]);
    const { files: written } = update({
      files,
      before,
      after: [order({ A: 'date' })],
      pathOf: (file) => `${file}.yaml`,
    });
    expect(Object.fromEntries(written)).toEqual({ 'elsewhere.yaml': 'document: ORDER\nfields: { A: date }\n' });
  });
});

it('finds what contracts before it declared, and not what they removed', () => {
  const files = new DefinitionFiles(new Map([['ours.yaml', 'document: OURS\nfields: {}\n']]));
  const pathOf = (file: string): string => `${file}.yaml`;
  const idsOf = (own: readonly Declared[] = []) => files.idsBesides(own).get('document');
  const first = [order({ A: 'string' })];
  expect([...files.update({ before: [], after: first, pathOf }).files.keys()]).toEqual(['documents.yaml']);
  expect(idsOf()).toEqual(['OURS', 'ORDER']);
  expect(idsOf(first)).toEqual(['OURS']);
  const again = files.update({ before: first, after: first, pathOf });
  expect([again.files.size, again.changes]).toEqual([0, []]);
  expect(files.update({ before: first, after: [], pathOf }).files.get('documents.yaml')).toBe('');
  expect(idsOf()).toEqual(['OURS']);
  expect(files.update({ before: [], after: first, pathOf }).files.get('documents.yaml')).toContain('document: ORDER');
});
