import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { generate, knownIds } from '../../src/generate/index.ts';
import { editorSchema, loadProject, renderDiagnostics } from '../../src/load/index.ts';

/** The ids that a definition of the schema proposes. */
const idsIn = ({ anyOf }: { anyOf: readonly { const?: string }[] }): (string | undefined)[] =>
  anyOf.map((each) => each.const).filter((id) => id !== undefined);

const parts = [
  'gateway: LOCAL\nnamespace: urn:test',
  'permission-list: STAFF',
  'permission-list: GUESTS\noperations: [Places.*]',
  'document: PLACE\nfields: { NAME: string(30), SINCE: date }',
  'document: PLACES\nfields: { PLACE: list of PLACE }',
  `query: ALL_PLACES\npermission: STAFF\ncolumns: { NAME: string(30) }\nsql: select name from place`,
  `service: Places.v1\npermission: STAFF\noperations:
  PLACES_GET: { get: "places/{NAME}", request: { fields: { NAME: string(30) } }, response: PLACES }
  PLACES_LIST: { get: places, query: ALL_PLACES }`,
  'role: CLERK\npermission-lists: [STAFF, GUESTS]',
  'user: ann\npassword: $scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg\nroles: [CLERK]',
];

describe('generate, from definition files', () => {
  const roots: string[] = [];
  afterAll(() => {
    for (const root of roots) rmSync(root, { recursive: true, force: true });
  });

  /** What is generated from files with these texts, by their names. */
  async function generated(files: Readonly<Record<string, string>>): Promise<Map<string, string>> {
    const root = mkdtempSync(join(tmpdir(), 'signalbox-generate-'));
    roots.push(root);
    for (const [name, text] of Object.entries(files)) {
      const path = join(root, 'definitions', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    const result = loadProject({ root, handlers: 'ignore-missing' });
    expect(renderDiagnostics(result, { colour: false })).toBe('');
    const registry = result.registry!;
    return new Map([...generate(registry, { schema: editorSchema(knownIds(registry)) })].sort());
  }

  const numbered = (texts: readonly string[]): Record<string, string> =>
    Object.fromEntries(texts.map((text, index) => [`${index}.yaml`, text]));

  it('does not depend on how the definitions are spread over files, nor on their order', async () => {
    const expected = await generated({ 'all.yaml': parts.join('\n---\n') });
    expect(await generated(numbered(parts))).toEqual(expected);
    expect(await generated(numbered([...parts].reverse()))).toEqual(expected);
    const folders = Object.fromEntries(parts.map((text, index) => [`${'zyx'[index % 3]}/${index}.yml`, text]));
    expect(await generated(folders)).toEqual(expected);
  });

  it('proposes the known ids in the schema of the definitions', async () => {
    const files = await generated(numbered(parts));
    const { $defs } = JSON.parse(files.get('generated/definitions.schema.json') ?? '');
    const proposals = idsIn($defs['document-word']);
    expect(proposals).toEqual(expect.arrayContaining(['PLACE', 'PLACES']));
    expect(proposals.join()).not.toContain('PLACES_GET');
  });

  it('proposes what can be called, flows by their short ids too', async () => {
    const shop = 'node: SHOP\nbase: https://shop.example.org';
    const service = `service: Shop.v1\ntarget: SHOP\npermission: STAFF\noperations:
  ITEM_GET: { get: "items/{NAME}", request: { fields: { NAME: string(30) } }, response: PLACE }
flows: { look: [{ call: ITEM_GET }] }`;
    const files = await generated(numbered([...parts, shop, service]));
    const { $defs } = JSON.parse(files.get('generated/definitions.schema.json') ?? '');
    expect(idsIn($defs['consumer-id'])).toEqual(['ITEM_GET']);
    expect(idsIn($defs['call-id'])).toEqual(['ITEM_GET', 'Shop.look', 'Shop.v1.look']);
    expect(idsIn($defs['operation-id'])).toEqual(['ITEM_GET', 'PLACES_GET', 'PLACES_LIST']);
    expect(idsIn($defs['node-id'])).toEqual(['SHOP']);
  });

  it('shows the whole effect of a changed line in the diff of registry.json', async () => {
    const lines = async (texts: readonly string[]): Promise<Set<string>> =>
      new Set((await generated(numbered(texts))).get('generated/registry.json')?.split('\n'));
    const before = await lines(parts);
    const after = await lines(parts.map((part) => part.replace('operations: [Places.*]', 'description: Nobody')));
    expect([...before].filter((line) => !after.has(line)).map((line) => line.trim())).toEqual([
      '"permissions": ["GUESTS", "STAFF"],',
      '"GUESTS": { "adds": ["Places.*"], "operations": ["PLACES_GET", "PLACES_LIST"], "queries": [], "users": ["ann"] },',
    ]);
  });
});
