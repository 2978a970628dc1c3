import { Ajv, type Options, type ValidateFunction } from 'ajv';
import { KIND_WORDS, type KindWord } from '../../kinds/kinds.ts';
import { definitionsSchema } from '../schema/index.ts';

/**
 * Half of ajv's start-up time would be spent on unused features: the meta-schema (a test validates the schema with it) and its
 * messages. Each kind and each shared part is a function of its own, because the engine compiles functions on their first call;
 * a single function for everything takes twice as long.
 */
const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  // `.inf` and `.nan` of YAML are not valid numbers.
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
export const schemaKey = (kind: KindWord): string => `definitions#/allOf/${KIND_WORDS.indexOf(kind)}/then`;

// The optimizer takes longer than it saves in one run of the loader.
const ajv = createAjv({ optimize: false });

/**
 * The validator of a kind. In the package, the build (`scripts/build.ts`) replaces this module by the functions that ajv
 * generates: compiling them would take a tenth of a start.
 */
export const validatorOf = (kind: KindWord): ValidateFunction => ajv.getSchema(schemaKey(kind)) as ValidateFunction;
