import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kindsAmong } from '../../src/kinds/kinds.ts';
import { readProject } from '../../src/load/read/files.ts';
import { schemaErrors } from '../../src/load/read/shape.ts';
import { editorSchema } from '../../src/load/schema/editor.ts';
import { definitionsSchema, kindSchemas } from '../../src/load/schema/index.ts';

const named = (...ids: readonly string[]) => ids.map((id) => ({ id, about: `the ${id}` }));
const known = {
  documents: named('ORDER'),
  queries: named('ORDERS'),
  operations: named('ORDER_GET'),
  permissionLists: named('CLERKS'),
  roles: named('CLERK'),
  schemes: named('LOGIN'),
};

/** What editors say of a definition, and what the loader says. */
const isDefinition = new Ajv({ strict: false }).compile(definitionsSchema());
const errorsOf = (definition: object) => {
  const [kind] = kindsAmong(Object.keys(definition));
  return kind !== undefined && isDefinition(definition) ? schemaErrors(kind, definition) : isDefinition.errors;
};

describe('the schema of the definitions', () => {
  it.each([
    ['as the loader uses it', definitionsSchema()],
    ['for editors', editorSchema(known)],
    [
      'for editors, with many ids',
      editorSchema({ documents: named(...Array.from({ length: 500 }, (_, i) => `D${i}`)) }),
    ],
    ['for editors, without ids', editorSchema({})],
  ])('is valid under draft 7, and of keywords that every validator knows, %s', (_, schema) => {
    const meta = createRequire(import.meta.url)('ajv/dist/refs/json-schema-draft-07.json') as object;
    const ajv = new Ajv({ strict: false, allErrors: true });
    expect(ajv.validate(meta, schema) || ajv.errors).toBe(true);
    // Strict, as by default: unknown keywords are errors.
    expect(() => new Ajv({ logger: false }).compile(schema)).not.toThrow();
  });

  it('has an example for each kind that it takes', () => {
    for (const [kind, schema] of Object.entries(kindSchemas)) {
      expect(schema.examples?.length, kind).toBeGreaterThan(0);
      for (const example of schema.examples ?? []) expect(errorsOf(example as object), kind).toEqual([]);
    }
  });

  it('describes every key of every kind', () => {
    const $defs = definitionsSchema().$defs ?? {};
    for (const [kind, schema] of [...Object.entries(kindSchemas), ...Object.entries($defs)]) {
      for (const [key, value] of Object.entries(schema.properties ?? {})) {
        const described = value.description ?? $defs[value.$ref?.split('/').at(-1) ?? '']?.description;
        expect(described, `${kind}.${key}`).toMatch(/\w/);
      }
    }
  });

  it('takes the examples of every key', () => {
    const ajv = new Ajv({ strict: false });
    const { $defs } = definitionsSchema();
    for (const schema of [...Object.values(kindSchemas), ...Object.values($defs ?? {})]) {
      for (const [key, value] of Object.entries(schema.properties ?? {})) {
        const validate = ajv.compile({ ...value, $defs });
        for (const example of value.examples ?? [])
          expect(validate(example), `${key}: ${JSON.stringify(example)}`).toBe(true);
      }
    }
  });

  it('leaves references to the loader, which says more about them than editors', () => {
    const role = { role: 'A', 'permission-lists': ['CLERKS', 'OTHERS'] };
    expect(isDefinition(role)).toBe(true);
    const validate = new Ajv({ strict: false }).compile(editorSchema(known));
    expect(validate(role)).toBe(false);
    expect(validate({ ...role, 'permission-lists': ['CLERKS'] })).toBe(true);
    expect(validate({ role: 'A', 'permission-lists': [5] })).toBe(false);
    expect(validate({ rolle: 'A' })).toBe(false);
    expect(isDefinition({ rolle: 'A' })).toBe(false);
  });

  it('takes the definitions of the sample, as generated for editors', () => {
    const generated = readFileSync(new URL('../../generated/definitions.schema.json', import.meta.url), 'utf8');
    const validate = new Ajv({ strict: false }).compile(JSON.parse(generated));
    const { definitions } = readProject(fileURLToPath(new URL('../..', import.meta.url)), 'definitions');
    expect(definitions.length).toBeGreaterThan(5);
    for (const { file, ...content } of definitions) {
      for (const each of parseAllDocuments(content.kind === 'text' ? content.text : ''))
        expect(validate(each.toJS()) || validate.errors, `${file}: ${String(each)}`).toBe(true);
    }
  });

  it('takes the definitions of the package', () => {
    const { delivered } = readProject('/nowhere', 'definitions');
    expect(delivered.map((each) => each.file)).toContain('signalbox/qas-qry-service.yaml');
    for (const { file, ...content } of delivered) {
      const text = content.kind === 'text' ? content.text : '';
      const definitions = parseAllDocuments(text).map((document) => document.toJS() as object);
      expect(definitions.length, file).toBeGreaterThan(0);
      for (const definition of definitions) expect(errorsOf(definition), file).toEqual([]);
    }
  });
});

describe('the pages made of it', () => {
  it('are up to date', async () => {
    const { pages } = await import('../../scripts/docs.ts');
    for (const [path, text] of pages()) {
      expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), `${path}: run \`npm run docs\``).toBe(
        text,
      );
    }
  });
});
