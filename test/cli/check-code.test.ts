import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { checkHandlers } from '../../src/cli/check/handlers.ts';
import { codeCatalogue, type Diagnostic, loadProject } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { splitFiles } from '../load/project-text.ts';
import { diagnosticSample } from '../load/samples.ts';
import { project, repository, signalbox } from './support.ts';

const GATEWAY = 'gateway: LOCAL\nnamespace: urn:test\n';

/** One mistake of a handler: where it is reported, and what is said. */
interface Mistake {
  readonly code: string;
  /** More files of the project by path. */
  readonly more?: Readonly<Record<string, string>>;
  /** `line:column`, with the file where it is another one. */
  readonly at: string;
  readonly is: string;
  readonly message: string | RegExp;
  readonly hint?: string | RegExp;
}

const FINE = "\nexport default { onRequest: () => 'fine' };\n";

const MISTAKES: Readonly<Record<string, Mistake>> = {
  'syntax-error': {
    code: 'const a: number = 1;\nexport default {\n  onRequest() { return {{ }; },\n};\n',
    at: '3:25',
    is: 'code-syntax',
    message: /^Syntax error: Unexpected token `\{`/,
  },
  'early-error': {
    code: `const twice = 1;\nconst more = 2; const twice = 2;${FINE}`,
    at: '2:23',
    is: 'code-syntax',
    message: "Syntax error: Identifier 'twice' has already been declared.",
  },
  enum: {
    code: `enum Size { Small }${FINE}`,
    at: '1:1',
    is: 'code-syntax',
    message: 'Syntax error: TypeScript enum is not supported in strip-only mode.',
    hint: /^Node removes types and runs what is left\. Write a union/,
  },
  namespace: {
    code: `const one = 1;\n  namespace Sizes { export const small = one; }${FINE}`,
    at: '2:3',
    is: 'code-syntax',
    message: 'Syntax error: TypeScript namespace declaration is not supported in strip-only mode.',
    hint: /erasableSyntaxOnly/,
  },
  'no-package': {
    code: `import { z } from 'zood';${FINE}`,
    at: '1:19',
    is: 'code-import',
    message: '"zood" can\'t be imported: the package zood is not installed.',
    hint: 'Run `npm install zood`.',
  },
  'scoped-package': {
    code: `import { z } from '@acme/tools/deep';${FINE}`,
    at: '1:19',
    is: 'code-import',
    message: '"@acme/tools/deep" can\'t be imported: the package @acme/tools is not installed.',
    hint: 'Run `npm install`: package.json lists it.',
  },
  'no-file': {
    code: `import { z } from './lib/none.ts';${FINE}`,
    at: '1:19',
    is: 'code-import',
    message: '"./lib/none.ts" can\'t be imported: src/handlers/lib/none.ts does not exist.',
  },
  'no-extension': {
    code: `// A comment.\nimport { y } from './lib/y';${FINE}`,
    more: { 'src/handlers/lib/y.ts': 'export const y = 1;\nexport type Yes = 1;\n' },
    at: '2:19',
    is: 'code-import',
    message: '"./lib/y" can\'t be imported: src/handlers/lib/y does not exist.',
    hint: 'Did you mean "./lib/y.ts"? Imports name the file as it is.',
  },
  'deep-import': {
    code: `import { deep } from './lib/deep.ts';${FINE}`,
    more: { 'src/handlers/lib/deep.ts': "import { x } from './deeper.ts';\nexport const deep = x;\n" },
    at: 'src/handlers/lib/deep.ts:1:19',
    is: 'code-import',
    message: '"./deeper.ts" can\'t be imported: src/handlers/lib/deeper.ts does not exist.',
  },
  'not-generated': {
    code: `import { defineHandler } from '../../generated/handlers.ts';${FINE}`,
    at: '1:31',
    is: 'code-import',
    message: '"../../generated/handlers.ts" can\'t be imported: generated/handlers.ts does not exist.',
    hint: 'Run `signalbox generate`, which writes it.',
  },
  'generated-before': {
    code: `import { defineHandle } from '../../generated/types.ts';${FINE}`,
    more: { 'generated/types.ts': 'export const defineHandler = 1;\n' },
    at: '1:10',
    is: 'code-export',
    message: '"../../generated/types.ts" exports no defineHandle.',
    hint: 'Run `signalbox generate`: the file may be older than the definitions. Did you mean defineHandler?',
  },
  'no-name': {
    code: `import {\n  yy } from './lib/y.ts';${FINE}`,
    at: '2:3',
    is: 'code-export',
    message: '"./lib/y.ts" exports no yy.',
    hint: 'Did you mean y? If yy is a type, write `import type { yy }`.',
  },
  'type-as-value': {
    code: `import { Yes } from './lib/y.ts';${FINE}`,
    at: '1:10',
    is: 'code-export',
    message: '"./lib/y.ts" exports no Yes.',
    hint: /If Yes is a type, write `import type \{ Yes \}`\.$/,
  },
  thrown: {
    code: `function load(): never {\n  throw new Error('no price list');\n}\nload();${FINE}`,
    at: '2:9',
    is: 'code-throws',
    message: 'The import of src/handlers/thrown.ts fails: no price list.',
  },
  'thrown-text': {
    code: "throw 'only a text';\n",
    at: '1:1',
    is: 'code-throws',
    message: 'The import of src/handlers/thrown-text.ts fails: only a text.',
  },
  'thrown-undefined': {
    code: 'throw undefined;\n',
    at: '1:1',
    is: 'code-throws',
    message: 'The import of src/handlers/thrown-undefined.ts fails: it throws undefined, which is not an Error.',
  },
  rejected: {
    code: `Promise.reject(new Error('nobody waits for this'));${FINE}`,
    at: '1:16',
    is: 'code-throws',
    message: 'The import of src/handlers/rejected.ts fails: nobody waits for this.',
  },
  secret: {
    code: `throw new Error('can not connect with ' + process.env.SIGNALBOX_TEST_SECRET);\n`,
    at: '1:7',
    is: 'code-throws',
    message: 'The import of src/handlers/secret.ts fails: can not connect with ***.',
  },
  'no-export': {
    code: 'export const handler = 1;\n',
    at: '1:1',
    is: 'code-form',
    message: 'src/handlers/no-export.ts does not export a handler: it has no default export.',
    hint: "Write: export default defineHandler('NO_EXPORT', { onRequest(request, context) { ... } });",
  },
  'wrong-form': {
    code: "const a = 1;\nexport default { onrequest: () => 'none' };\n",
    at: '2:1',
    is: 'code-form',
    message: 'src/handlers/wrong-form.ts does not export a handler.',
    hint: /defineHandler\('WRONG_FORM'/,
  },
  'wrong-id': {
    code: "import { defineHandler } from './lib/define.ts';\nexport default defineHandler('OTHER_ID', { onRequest: () => 'x' });\n",
    more: {
      // As generated/handlers.ts does.
      'src/handlers/lib/define.ts': "import { define } from 'signalbox';\nexport const defineHandler = define;\n",
    },
    at: '2:30',
    is: 'code-id',
    message: 'src/handlers/wrong-id.ts defines "OTHER_ID", but it is the handler of WRONG_ID.',
    hint: /defineHandler\('WRONG_ID'/,
  },
  'wrong-process': {
    code: "import { define } from 'signalbox';\nexport default define('OTHER_ONE', { run() {} });\n",
    at: '2:23',
    is: 'code-id',
    message: 'src/handlers/wrong-process.ts defines "OTHER_ONE", but it is the process of WRONG_PROCESS.',
  },
  'subscription-form': {
    code: 'export default { onRequest: () => 1 };\n',
    at: '1:1',
    is: 'code-form',
    message: 'src/handlers/subscription-form.ts does not export a handler of messages.',
    hint: "Write: export default defineSubscription('SUBSCRIPTION_FORM', { onMessage(message, context) { ... } });",
  },
  'wrong-subscription': {
    code: "import { define } from 'signalbox';\nexport const defineSubscription = define;\nexport default defineSubscription('OTHER_ONE', { onMessage() {} });\n",
    at: '3:35',
    is: 'code-id',
    message:
      'src/handlers/wrong-subscription.ts defines "OTHER_ONE", but it is the handler of messages of WRONG_SUBSCRIPTION.',
  },
  'class-without-execute': {
    code: "import { ServiceInterface } from 'signalbox';\nexport default class Audit extends ServiceInterface {}\n",
    at: '2:1',
    is: 'code-execute',
    message:
      'src/handlers/class-without-execute.ts exports a class that extends ServiceInterface, which has no execute.',
    hint: /async execute\(event\)/,
  },
  'class-without-base': {
    code: 'export default class Audit { execute() {} }\n',
    at: '1:1',
    is: 'code-form',
    message: 'src/handlers/class-without-base.ts does not export a class that extends ServiceInterface.',
    hint: /async execute\(event\)/,
  },
  'class-of-copy': {
    code: 'abstract class ServiceInterface { abstract execute(): void }\nexport default class Audit extends ServiceInterface { execute() {} }\n',
    at: '2:1',
    is: 'code-form',
    message: 'src/handlers/class-of-copy.ts does not export a class that extends ServiceInterface.',
    hint: /another copy of the package: `npm ls signalbox`/,
  },
};

const idOf = (file: string): string => file.toUpperCase().replaceAll('-', '_');

function definitions(files: readonly string[]): string {
  const operations = files.filter((each) => !/process|class|subscription/.test(each));
  const classes = files.filter((each) => each.startsWith('class'));
  return [
    `service: Code.v1\npublic: true\noperations:\n  PUBLISHED: { post: published, queue: EVENTS }\n${operations.map((each) => `  ${idOf(each)}: { get: ${each}, response: text }\n`).join('')}`,
    ...files
      .filter((each) => each.includes('process'))
      .map((each) => `process: ${idOf(each)}\ntype: Application Engine\npublic: true\n`),
    ...files
      .filter((each) => each.includes('subscription'))
      .map((each) => `subscription: ${idOf(each)}\noperation: PUBLISHED\n`),
    'queue: EVENTS\n',
    ...classes.map((each) => `related-content: ${idOf(each)}\nclass: ${each}\npublic: true\n`),
  ].join('---\n');
}

/** `check --json` of a project. */
async function checked(files: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const cwd = await project({
    'package.json': '{ "type": "module", "dependencies": { "@acme/tools": "1.0.0" } }',
    'definitions/gateway.yaml': GATEWAY,
    ...files,
  });
  const ran = await signalbox(['check', '--json', ...args], {
    cwd,
    env: { SIGNALBOX_TEST_SECRET: 'hunter2-and-more' },
  });
  return { ...ran, found: JSON.parse(ran.stdout) as Diagnostic[] };
}

describe('code that does not load', async () => {
  const files = Object.keys(MISTAKES);
  const secret =
    'node: OTHER\nbase: https://other.example\ncredential: { basic: { user: u, password: "${secret:SIGNALBOX_TEST_SECRET}" } }\n';
  const { code, found, stderr } = await checked({
    'definitions/code.yaml': `${definitions([...files, 'sound'])}---\n${secret}`,
    'src/handlers/sound.ts': `console.log('hello from a handler');\nsetInterval(() => {}, 1000);${FINE}`,
    ...Object.fromEntries(files.map((file) => [`src/handlers/${file}.ts`, MISTAKES[file]!.code])),
    ...Object.assign({}, ...files.map((file) => MISTAKES[file]!.more ?? {})),
  });

  it.each(Object.entries(MISTAKES))('%s', (file, { at, is, message, hint }) => {
    const [row, column, ...path] = at
      .split(':')
      .toReversed()
      .map((each, index) => (index < 2 ? Number(each) : each)) as [number, number, ...string[]];
    const place = { file: path.at(-1) ?? `src/handlers/${file}.ts`, line: column, column: row };
    const here = found.filter((each) => each.at.file === place.file);
    expect(here).toEqual([
      expect.objectContaining({
        code: is,
        severity: 'error',
        at: place,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
        ...(hint === undefined ? {} : { hint: typeof hint === 'string' ? hint : expect.stringMatching(hint) }),
      }),
    ]);
  });

  it('is all that is reported; what code writes is not part of the JSON, and its timers end with it', () => {
    expect(found).toHaveLength(files.length);
    expect(code).toBe(1);
    expect(stderr).toContain('hello from a handler');
  });
});

const TWO = {
  'definitions/code.yaml': definitions(['first', 'second']),
  'src/handlers/second.ts': 'export const none = 1;\n',
};

test.concurrent('code that does not end, or ends the process, is named, and the others are looked at', async () => {
  const { found } = await checked(
    {
      'definitions/code.yaml': definitions(['a-waits', 'b-loops', 'c-exits', 'second']),
      'src/handlers/a-waits.ts': 'await new Promise(() => {});\n',
      'src/handlers/b-loops.ts': 'for (;;);\n',
      'src/handlers/c-exits.ts': 'process.exit(7);\n',
      'src/handlers/second.ts': TWO['src/handlers/second.ts'],
    },
    ['--import-within', '3 s'],
  );
  expect(found.map((each) => [each.code, each.message])).toEqual([
    ['code-hangs', 'The import of src/handlers/a-waits.ts did not end within 3 s.'],
    ['code-hangs', 'The import of src/handlers/b-loops.ts did not end within 3 s.'],
    ['code-exits', 'The import of src/handlers/c-exits.ts ends the process: exit code 7.'],
    ['code-form', 'src/handlers/second.ts does not export a handler: it has no default export.'],
  ]);
});

test.concurrent('--no-handlers runs no code', async () => {
  const ran = await checked({ ...TWO, 'src/handlers/first.ts': "console.log('runs');\n" }, ['--no-handlers']);
  expect(ran).toMatchObject({ code: 0, found: [], stderr: '' });
});

test.concurrent('the line is quoted', async () => {
  const cwd = await project({
    'definitions/gateway.yaml': GATEWAY,
    'definitions/code.yaml': definitions(['first']),
    'src/handlers/first.ts': `import { z } from 'zood';${FINE}`,
  });
  const { stdout } = await signalbox(['check'], { cwd });
  expect(stdout).toContain(
    "  1 | import { z } from 'zood';\n    |                   ^^^^^^\n  hint: Run `npm install zood`.\n",
  );
});

const TYPED = {
  'definitions/gateway.yaml': GATEWAY,
  'definitions/vehicles.yaml': `service: Vehicles.v1
public: true
operations:
  VEHICLES_GET: { get: Vehicles, response: { fields: { PLATE: string } } }
---
query: VEHICLE_PLATE
public: true
columns: { PLATE: string }
sql: select 'SB 1' as plate
`,
  'tsconfig.json': `{ "compilerOptions": { "module": "nodenext", "target": "es2024", "types": [], "strict": true, "skipLibCheck": true, "allowImportingTsExtensions": true, "noEmit": true }, "include": ["src", "generated"] }`,
  'src/handlers/vehicles-get.ts': `import { defineHandler } from '../../generated/handlers.ts';
export default defineHandler('VEHICLES_GET', {
  async onRequest(_, context) {
    const [row] = await context.query('VEHICLE_PLAT', {});
    return { PLATE: row?.PLATE };
  },
});
`,
};

test('--types runs the compiler of the project, over what is generated from its definitions', async () => {
  const cwd = await project(TYPED);
  const types = () => signalbox(['check', '--types', '--json', '--no-handlers'], { cwd });
  expect(await types()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/the project has no TypeScript compiler\n {2}Install it: npm install -D typescript/),
  });
  await symlink(join(repository, 'node_modules/typescript'), join(cwd, 'node_modules/typescript'), 'dir');
  const outdated = await types();
  expect(JSON.parse(outdated.stdout)).toEqual([
    expect.objectContaining({
      code: 'generated-outdated',
      message: expect.stringContaining('generated/handlers.ts'),
      hint: 'Run `signalbox generate`, and check again.',
    }),
  ]);
  await signalbox(['generate'], { cwd });
  const wrong = await types();
  expect(JSON.parse(wrong.stdout)).toEqual([
    expect.objectContaining({
      code: 'code-type',
      message: expect.stringMatching(/^TS\d+: .*VEHICLE_PLAT/),
      at: { file: 'src/handlers/vehicles-get.ts', line: 4, column: 39 },
    }),
  ]);
  expect(wrong.code).toBe(1);
});

describe('the examples of docs/diagnostics.md', () => {
  // A class extends the ServiceInterface of the copy that is built, so that the command itself checks one above.
  const elsewhere = ['bad-mock', 'code-type', 'generated-outdated', 'code-hangs', 'code-exits', 'code-execute'];
  const imported = Object.keys(codeCatalogue).filter((code) => !elsewhere.includes(code));
  const codesOf = async (text: string): Promise<string[]> => {
    const root = await project({ 'definitions/gateway.yaml': GATEWAY, ...Object.fromEntries(splitFiles(text)) });
    const { registry, sources } = loadProject({ root });
    return (await checkHandlers({ registry: registry as Registry, sources }, root, 60_000)).map((each) => each.code);
  };

  it.concurrent.each(imported)('%s: the wrong one raises it', async (code) => {
    expect(await codesOf(diagnosticSample(code).wrong)).toEqual([code]);
  });

  it.concurrent.each([
    ...new Set(imported.map((code) => diagnosticSample(code).right)),
  ])('the right ones raise nothing', async (right) => {
    expect(await codesOf(right)).toEqual([]);
  });
});
