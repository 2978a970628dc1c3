import standalone from 'ajv/dist/standalone/index.js';
import { createAjv, schemaKey } from '../../src/load/read/validator.ts';
import { KINDS } from '../../src/load/schema/kinds.ts';

/** ajv's generated code for the definitions' schema. It replaces the module that would compile the schema at each start. */
export function validatorModule(): string {
  const names = KINDS.map((kind) => kind.replaceAll('-', '_'));
  const keys = Object.fromEntries(KINDS.map((kind, index) => [names[index], schemaKey(kind)]));
  const code = standalone.default(createAjv({ source: true, esm: true }), keys);
  // ajv writes `require` into an ES module.
  const helpers: string[] = [];
  const body = code.replace(/require\("([^"]+)"\)\.default/g, (_, module: string) => {
    helpers.push(`import helper${helpers.length} from '${module}.js';`);
    return `helper${helpers.length - 1}.default`;
  });
  const table = KINDS.map((kind, index) => `'${kind}': ${names[index]}`).join(', ');
  return `${helpers.join('\n')}\n${body}\nconst validators = { ${table} };\nexport const validatorOf = (kind) => validators[kind];\n`;
}
