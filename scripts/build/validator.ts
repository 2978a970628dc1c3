import standalone from 'ajv/dist/standalone/index.js';
import { KIND_WORDS } from '../../src/kinds/kinds.ts';
import { createAjv, schemaKey } from '../../src/load/read/validator.ts';

/** ajv's generated code for the definitions' schema. It replaces the module that would compile the schema at each start. */
export function validatorModule(): string {
  const names = KIND_WORDS.map((kind) => kind.replaceAll('-', '_'));
  const keys = Object.fromEntries(KIND_WORDS.map((kind, index) => [names[index], schemaKey(kind)]));
  const code = standalone.default(createAjv({ source: true, esm: true }), keys);
  const table = KIND_WORDS.map((kind, index) => `'${kind}': ${names[index]}`).join(', ');
  return `${REQUIRE}\n${code}\nconst validators = { ${table} };\nexport const validatorOf = (kind) => validators[kind];\n`;
}

/**
 * ajv writes `require` into an ES module. Its helpers are CommonJS: what a default import of them is depends on who runs the
 * module (vite unwraps it, Node does not), and a linked package is run by vite in tests.
 */
const REQUIRE = `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);`;
