import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { definitionsSchema } from '../schema/index.ts';
import { KINDS, type Kind } from '../schema/kinds.ts';

/**
 * Half of ajv's start is spent on things that nobody needs here: the meta-schema (a test holds the schema against it) and its
 * own messages. A function for each kind and each part that several share, as none is compiled by the engine before it is
 * called, and one that holds all of them takes it twice as long.
 */
const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  // `.inf` and `.nan` of YAML are no numbers that anything could hold.
  strictNumbers: true,
  verbose: true,
  meta: false,
  validateSchema: false,
  inlineRefs: false,
  messages: false,
  logger: false,
};

/** ajv with the schema of the definitions. */
export function createAjv(code: NonNullable<Options['code']>): Ajv {
  return new Ajv({ ...OPTIONS, code }).addSchema(definitionsSchema(), 'definitions');
}

/** Where ajv finds the schema of a kind. */
export const schemaKey = (kind: Kind): string => `definitions#/allOf/${KINDS.indexOf(kind)}/then`;

// Its optimizer takes longer than it saves in a run of the loader.
const ajv = createAjv({ optimize: false });

/**
 * Tells whether a value is a definition of a kind. In the package this module is what ajv made of the schema when it was built
 * (`scripts/build.ts`): compiling it is a tenth of what a start would take.
 */
export const validatorOf = (kind: Kind): ValidateFunction => ajv.getSchema(schemaKey(kind)) as ValidateFunction;
