import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { generate, handlerStubs, knownIds } from '../../src/generate/index.ts';
import { renderDiagnostics } from '../../src/load/diagnostic/render.ts';
import { loadFiles } from '../../src/load/load.ts';
import { readProject } from '../../src/load/read/files.ts';
import { editorSchema } from '../../src/load/schema/editor.ts';
import type { Registry } from '../../src/model/registry.ts';
import { writeProject } from '../support/project.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Everything that is generated from the definitions that a change makes of the sample's. */
interface Generated {
  readonly files: ReadonlyMap<string, string>;
  readonly registry: Registry;
}

type Texts = readonly string[];

/** Generates; `committed` is what was generated before. */
function generated(change: (definitions: Texts) => Texts, committed?: Generated): Generated {
  const project = readProject(root, 'definitions');
  const texts = project.definitions.map((each) => (each.kind === 'text' ? each.text : ''));
  const before = committed?.files.get('generated/registry.json');
  const loaded = loadFiles(
    {
      ...project,
      handlers: () => [],
      definitions: change(texts.flatMap((text) => text.split(/^---\n/m))).map((text, index) => {
        return { kind: 'text', text, file: `definitions/${index}.yaml` };
      }),
      committed: before === undefined ? undefined : { kind: 'text', text: before },
    },
    'ignore-missing',
  );
  expect(renderDiagnostics(loaded, { colour: false })).toBe('');
  const registry = loaded.registry!;
  return { files: generate(registry, { schema: editorSchema(knownIds(registry)) }), registry };
}

const isService = (text: string): boolean => /^service: /m.test(text);
const second = (text: string): string => text.replace(/^(service: \w+)\.v1$/m, '$1.v2');
const byDefault = (text: string): string => second(text).replace(/^(service: .*)$/m, '$1\ndefault: true');

/** Declarations of a TypeScript file, by their names. */
function declarations(text: string): Map<string, string> {
  const found = text.split(/\n\n/).flatMap((block): [string, string][] => {
    const name = /^export (?:type|interface) (\w+)/m.exec(block)?.[1];
    return name === undefined ? [] : [[name, block.trim()]];
  });
  return new Map(found);
}

/** Maps, to which every version adds its entries. */
const MAPS: ReadonlySet<string> = new Set(['Handlers', 'Calls', 'Flows', 'Partners']);

/** What of `now` differs from `before`, apart from what it adds. */
function renamed(before: Generated, now: Generated): string[] {
  const changed: string[] = [];
  for (const [path, text] of before.files) {
    const other = now.files.get(path) ?? '';
    if (path.startsWith('generated/contracts/')) {
      if (other !== text) changed.push(path);
    } else if (path.endsWith('.ts')) {
      const others = declarations(other);
      for (const [name, declaration] of declarations(text))
        if (!MAPS.has(name) && others.get(name) !== declaration) changed.push(`${path}: ${name}`);
    }
  }
  const handlers = now.files.get('generated/handlers.ts') ?? '';
  for (const [, entry = ''] of (before.files.get('generated/handlers.ts') ?? '').matchAll(
    /^( {2}\S+: \w+_Handler;)$/gm,
  ))
    if (!handlers.includes(entry)) changed.push(entry);
  for (const kind of ['operations', 'consumers'] as const) {
    const [was, is] = [before, now].map((each) => JSON.parse(each.files.get('generated/registry.json') ?? '')[kind]);
    for (const id of Object.keys(was)) if (withoutCall(was[id]) !== withoutCall(is[id])) changed.push(`${kind} ${id}`);
  }
  return changed;
}

/** A `call:` that names no version means the default one. */
function withoutCall(operation: { readonly answer?: { readonly call?: string } } | undefined): string {
  return JSON.stringify({ ...operation, answer: { ...operation?.answer, call: undefined } });
}

describe('a second version of every service', () => {
  const same = (texts: Texts): Texts => texts;
  const added = (texts: Texts): Texts => [...texts.filter(isService).map(second), ...texts];
  const preferred = (texts: Texts): Texts => [...texts.filter(isService).map(byDefault), ...texts];
  const alone = (texts: Texts): Texts =>
    texts.map((text) => (isService(text) ? second(text) : text.replaceAll(/(N_DOCLIB_\w+)\.v1/g, '$1.v2')));
  let first: Generated;
  beforeAll(() => {
    first = generated(same);
  });

  it('has something to rename', () => {
    expect(first.registry.operations.size + first.registry.consumers.size).toBeGreaterThan(30);
    expect(declarations(first.files.get('generated/types.ts')!).size).toBeGreaterThan(40);
    expect(declarations(first.files.get('generated/handlers.ts')!).size).toBeGreaterThan(10);
  });

  it.each<[string, (texts: Texts) => Texts]>([
    ['is added', added],
    ['is the default', preferred],
  ])('renames no type, handler file, contract or id of the first where it %s', (_, change) => {
    // With and without what was generated before.
    expect(renamed(first, generated(change))).toEqual([]);
    expect(renamed(first, generated(change, first))).toEqual([]);
  });

  it('keeps its names where the first is taken away, and where the first comes back', () => {
    const both = generated(added, first);
    const later = generated(alone, both);
    const names = (of: Generated): string[] => [...declarations(of.files.get('generated/types.ts')!).keys()];
    expect(names(later)).toContain('Locations_v2_LOCATIONS_GET_Request');
    expect(names(later)).not.toContain('LOCATIONS_GET_Request');
    expect(later.registry.operations.get('Locations.v2.LOCATIONS_GET')?.answer).toEqual({
      kind: 'handler',
      file: 'locations.v2-locations-get',
    });
    expect(renamed(later, generated(added, later))).toEqual([]);
  });

  it('has its own names in code, and those of the first in its contracts', () => {
    const { files, registry } = generated(preferred);
    const flat = (path: string): string => (files.get(`generated/contracts/${path}`) ?? '').replaceAll('.v2', '.v1');
    for (const path of ['Locations.v2.wadl', 'Attachments.v2.wsdl', 'Attachments.v2.xsd', 'Locations.v2.xsd'])
      expect(flat(path)).toBe(files.get(`generated/contracts/${path.replace('.v2', '.v1')}`));
    expect([...handlerStubs(registry, new Set()).keys()]).toEqual(
      expect.arrayContaining(['src/handlers/locations-get.ts', 'src/handlers/locations.v2-locations-get.ts']),
    );
  });
});

describe('code of two versions under the compiler', () => {
  const service = (version: string, more: string, fields: string): string => `service: Places.${version}
public: true${more}
operations:
  PLACES_GET:
    get: "places{?${version === 'v1' ? 'A' : 'A,B'}}"
    request: { fields: { A: string${version === 'v1' ? '' : ', B: string'} } }
    response: { fields: { NAME: string${fields} } }
    handler: places-get
`;
  const partner = (version: string, more: string, field: string): string => `service: Partner.${version}
public: true
target: PARTNER${more}
operations:
  NOTE_PUT: { put: note, request: { fields: { ${field}: string } }, response: { fields: { ${field}: string } } }
`;
  const DEFINITIONS = [
    service('v1', '', ''),
    service('v2', '\ndefault: true', ', SINCE: date'),
    service('v3', '', ', COUNT: { type: integer, required: true }'),
    partner('v1', '', 'FIRST'),
    partner('v2', '\ndefault: true', 'SECOND'),
    'node: PARTNER\nbase: https://partner.example\n',
  ].join('---\n');
  const HANDLER = `import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler(['PLACES_GET', 'Places.v2.PLACES_GET'], {
  onRequest(request, context) {
    const b: string | undefined = 'B' in request ? request.B : undefined;
    const version: string = context.operation.service.version;
    return { NAME: [request.A, b, version].join() };
  },
  onError: (fault, request) => \`\${fault.message} \${request?.A}\`,
});
`;
  const RIGHT = `import { openClient } from '../generated/client.ts';
import { defineHandler } from '../generated/handlers.ts';

export const first = defineHandler('PLACES_GET', { onRequest: ({ A }) => ({ NAME: A }) });
export const full = defineHandler('Places.v1.PLACES_GET', { onRequest: ({ A }) => ({ NAME: A }) });
export const second = defineHandler('Places.v2.PLACES_GET', { onRequest: ({ B }) => ({ NAME: B, SINCE: '2026-01-01' }) });
export const all = defineHandler(['PLACES_GET', 'Places.v2.PLACES_GET', 'Places.v3.PLACES_GET'], {
  onRequest: async (_, context) => context.bytes({ contentType: 'text/plain', length: 0, body: new Uint8Array() }),
});
export const viaContext = defineHandler('Places.v2.PLACES_GET', {
  async onRequest({ A }, context) {
    const [preferred, old] = [
      await context.call('NOTE_PUT', { SECOND: A }),
      await context.call('Partner.v1.NOTE_PUT', { FIRST: A }),
    ];
    return { NAME: preferred.value.SECOND ?? old.value.FIRST };
  },
});
const client = await openClient();
export const reply: string | undefined = (await client.call('NOTE_PUT', { SECOND: 'a' })).value.SECOND;
export const before: string | undefined = (await client.call('Partner.v1.NOTE_PUT', { FIRST: 'a' })).value.FIRST;
`;
  const WRONG = `import { openClient } from '../generated/client.ts';
import { defineHandler } from '../generated/handlers.ts';

// @ts-expect-error there is no such version
export const unknown = defineHandler('Places.v4.PLACES_GET', { onRequest: () => ({}) });
// @ts-expect-error nor in a list
export const unknownInList = defineHandler(['PLACES_GET', 'Places.v4.PLACES_GET'], { onRequest: () => ({}) });
// @ts-expect-error the first version has no SINCE
export const tooMuch = defineHandler(['PLACES_GET', 'Places.v2.PLACES_GET'], {
  onRequest: () => ({ NAME: 'a', SINCE: '2026-01-01' }),
});
export const tooLittle = defineHandler(['PLACES_GET', 'Places.v3.PLACES_GET'], {
  // @ts-expect-error the third version needs COUNT
  onRequest: () => ({ NAME: 'a' }),
});
// @ts-expect-error which the first version does not have
export const neither = defineHandler(['PLACES_GET', 'Places.v3.PLACES_GET'], {
  onRequest: () => ({ NAME: 'a', COUNT: 1 }),
});
export const requests = defineHandler(['PLACES_GET', 'Places.v2.PLACES_GET'], {
  // @ts-expect-error only the second version has B
  onRequest: ({ B }) => ({ NAME: B }),
});
export const types = defineHandler(['PLACES_GET', 'Places.v2.PLACES_GET'], {
  // @ts-expect-error
  onRequest: () => ({ NAME: 5 }),
});
// @ts-expect-error
export const names = defineHandler(['PLACES_GET', 'Places.v2.PLACES_GET'], { onRequest: () => ({}), onFault: () => '' });
const client = await openClient();
// @ts-expect-error the name alone is the second version
await client.call('NOTE_PUT', { FIRST: 'a' });
// @ts-expect-error
await client.call('Partner.v1.NOTE_PUT', { SECOND: 'a' });
// @ts-expect-error
await client.call('Partner.v3.NOTE_PUT', {});
`;

  it('takes a handler that fits both, and refuses one that fits neither or one', () => {
    const files = {
      'definitions/all.yaml': DEFINITIONS,
      'src/handlers/places-get.ts': HANDLER,
      'src/right.ts': RIGHT,
      'src/wrong.ts': WRONG,
      'package.json': '{ "type": "module" }',
      'tsconfig.json': JSON.stringify({
        extends: `${root}tsconfig.json`,
        compilerOptions: {
          typeRoots: [`${root}node_modules/@types`],
          paths: { signalbox: [`${root}dist/index.d.ts`] },
        },
        include: ['generated', 'src'],
      }),
    };
    const project = writeProject(files);
    const loaded = loadFiles(readProject(project.root, 'definitions'), 'check');
    expect(renderDiagnostics(loaded, { colour: false })).toBe('');
    const registry = loaded.registry!;
    const written = generate(registry, { schema: editorSchema(knownIds(registry)) });
    for (const [path, text] of written) {
      mkdirSync(dirname(join(project.root, path)), { recursive: true });
      writeFileSync(join(project.root, path), text);
    }
    const tsc = `${root}node_modules/typescript/bin/tsc`;
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', project.root], { encoding: 'utf8' });
    project.remove();
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });
});
