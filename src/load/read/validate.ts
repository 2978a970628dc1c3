import type { ErrorObject } from 'ajv';
import type { JsonSchema } from '../schema/index.ts';
import { validate } from './validator.ts';

/** What the schema says against a definition, and the part of the schema that says so. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON Pointer into the definition. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The key that is complained of, where keys are what the schema restricts. */
  readonly propertyName?: string;
  readonly schema: JsonSchema;
}

/** Holds a definition against the JSON Schema. */
export function schemaErrors(value: object): readonly SchemaError[] {
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).filter(isOfInterest);
  return errors.map((error) => ({ ...error, schema: error.parentSchema as JsonSchema }));
}

/** Errors that only say that another one was found, or that a branch was not taken, say nothing to the author. */
function isOfInterest({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'if' && keyword !== 'propertyNames' && !/\/oneOf\/\d+\//.test(schemaPath);
}
