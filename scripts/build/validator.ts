import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { validatorOptions } from '../../src/load/read/validator.ts';
import { definitionsSchema } from '../../src/load/schema/index.ts';

/** What ajv makes of the definitions' schema: takes the place of the module that would compile it at each start. */
export function validatorModule(): string {
  const ajv = new Ajv({ ...validatorOptions, code: { source: true, esm: true } });
  const code = standalone.default(ajv, ajv.compile(definitionsSchema()));
  // ajv writes `require` into what is otherwise an ES module.
  const helpers: string[] = [];
  const body = code.replace(/require\("([^"]+)"\)\.default/g, (_, module: string) => {
    helpers.push(`import helper${helpers.length} from '${module}.js';`);
    return `helper${helpers.length - 1}.default`;
  });
  return `${helpers.join('\n')}\n${body}\n`;
}
