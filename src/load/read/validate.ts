import type { ErrorObject } from 'ajv';
import type { JsonSchema } from '../schema/index.ts';
import type { Kind } from '../schema/kinds.ts';
import { validatorOf } from './validator.ts';

/** What the schema says against a definition, and the part of the schema that says so. */
export interface SchemaError {
  readonly keyword: string;
  /** The keys on the way to what it is about. */
  readonly path: readonly string[];
  readonly params: {
    readonly additionalProperty?: string;
    readonly missingProperty?: string;
    readonly allowedValues?: readonly unknown[];
    readonly limit?: number;
  };
  /** The key that is complained of, where keys are what the schema restricts. */
  readonly propertyName?: string;
  readonly schema: JsonSchema;
}

/** Holds a definition against the JSON Schema of its kind. */
export function schemaErrors(kind: Kind, value: object): readonly SchemaError[] {
  const validate = validatorOf(kind);
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).filter(isOfInterest);
  return errors.map((error) => ({
    ...error,
    path: error.instancePath.split('/').slice(1).map(unescaped),
    schema: error.parentSchema as JsonSchema,
  }));
}

/** Errors that only say that another one was found, or that a branch was not taken, say nothing to the author. */
function isOfInterest({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'if' && keyword !== 'propertyNames' && !/\/oneOf\/\d+\//.test(schemaPath);
}

/** A key as it is, of one in a JSON Pointer (RFC 6901 section 4). */
function unescaped(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
