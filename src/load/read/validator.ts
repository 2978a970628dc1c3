import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { definitionsSchema } from '../schema/index.ts';

/**
 * Half of ajv's start is spent on things that nobody needs here: the meta-schema (a test holds the schema against it), its
 * own messages, and an optimizer that takes longer than it saves in a run of the loader.
 */
export const validatorOptions: Options = {
  allErrors: true,
  strict: false,
  // `.inf` and `.nan` of YAML are no numbers that anything could hold.
  strictNumbers: true,
  verbose: true,
  meta: false,
  validateSchema: false,
  messages: false,
  logger: false,
  code: { optimize: false },
};

/**
 * Tells whether a value is a definition. In the package this module is what ajv made of the schema when it was built
 * (`scripts/build.ts`): compiling it is a tenth of what a start would take.
 */
export const validate: ValidateFunction = new Ajv(validatorOptions).compile(definitionsSchema());
