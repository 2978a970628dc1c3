import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { definitionsSchema, type JsonSchema } from './schema/index.ts';

/** What the schema says against a definition, and the part of the schema that says so. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON Pointer into the definition. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The key that is complained of, where keys are what the schema restricts. */
  readonly propertyName?: string;
  readonly schema: JsonSchema;
}

let validate: ValidateFunction | undefined;

/** Holds a definition against the JSON Schema. The schema is compiled at the first call of a process. */
export function schemaErrors(value: object): readonly SchemaError[] {
  validate ??= compile();
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).filter(isOfInterest);
  return errors.map((error) => ({ ...error, schema: error.parentSchema as JsonSchema }));
}

function compile(): ValidateFunction {
  // Half of ajv's start is spent on things that nobody needs here: the meta-schema (a test holds the schema against it),
  // its own messages, and an optimizer that takes longer than it saves in a run of the loader.
  const quick = {
    meta: false,
    validateSchema: false,
    messages: false,
    logger: false,
    code: { optimize: false },
  } as const;
  return new Ajv({ allErrors: true, strict: false, verbose: true, ...quick }).compile(definitionsSchema());
}

/** Errors that only say that another one was found, or that a branch was not taken, say nothing to the author. */
function isOfInterest({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'if' && keyword !== 'propertyNames' && !/\/oneOf\/\d+\//.test(schemaPath);
}
