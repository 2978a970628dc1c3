import { Validator } from '@seriousme/openapi-schema-validator';
import { ImportError } from '../place.ts';
import { type Node, pointerTokens } from './tree.ts';

/** Versions of OpenAPI that are read. */
export type OpenApiVersion = '2.0' | '3.0' | '3.1' | '3.2';

/** An error of the validator against the JSON Schema of the version (Ajv). */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
  /** The value of the keyword. */
  readonly schema?: unknown;
  /** The schema that has the keyword. */
  readonly parentSchema?: { readonly required?: unknown };
}

/** The part of the validator that its types leave out: a compiled schema of a version, which is in the package. */
interface Compiled {
  getAjvValidator(version: OpenApiVersion): {
    (value: unknown): boolean;
    readonly errors?: readonly SchemaError[] | null;
  };
}

/** Members that are maps from names to things: their keys mean nothing. */
export const NAMED: ReadonlySet<string> = new Set(
  `properties patternProperties $defs definitions schemas responses parameters requestBodies headers examples links callbacks
  securitySchemes pathItems paths webhooks mediaTypes dependentSchemas content encoding securityDefinitions`.split(
    /\s+/,
  ),
);

/** Compiled once: each schema takes 0.1 s. The first reports the first error alone, the second all. */
const validators: { first?: Compiled; all?: Compiled } = {};

/** The compiled schema of a version. @param reports the first error alone, which is the faster way to a yes or no, or all */
export function validatorOf(
  version: OpenApiVersion,
  reports: 'first' | 'all' = 'first',
): ReturnType<Compiled['getAjvValidator']> {
  // Patterns of other dialects are listed where they are, and other formats are of texts that are for people.
  const options = { validateFormats: false, verbose: true, allErrors: reports === 'all' };
  validators[reports] ??= new Validator(options) as unknown as Compiled;
  return validators[reports].getAjvValidator(version);
}

/** The version of a contract. @throws ImportError for what is none that is read */
export function versionOf(root: Node): OpenApiVersion {
  const hint = 'Contracts are WSDL 1.1, XML Schema, WADL 2009 and OpenAPI 2.0 to 3.2.';
  if (root.map === undefined) throw new ImportError('not an OpenAPI contract: it is not a map', root.place, hint);
  const said = root.get('openapi') ?? root.get('swagger');
  if (said !== undefined && root.has('openapi') && root.has('swagger'))
    throw new ImportError('not an OpenAPI contract: it has both "openapi" and "swagger"', said.place);
  if (said === undefined)
    throw new ImportError('not an OpenAPI contract: it has neither "openapi" nor "swagger"', root.place, hint);
  if (said.text === undefined)
    throw new ImportError(`the version ${JSON.stringify(said.value)} is not a text`, said.place, 'Put it in quotes.');
  const version = /^(2\.0|3\.[012])(?:\.\d+(?:-.*)?)?$/s.exec(said.text)?.[1];
  if (version === undefined || (version === '2.0') !== root.has('swagger'))
    throw new ImportError(`OpenAPI ${said.text} is not supported`, said.place, 'Use version 2.0, 3.0, 3.1 or 3.2.');
  return version as OpenApiVersion;
}

/** Keywords that only combine others, whose errors say more. */
const COMBINING = new Set(['oneOf', 'anyOf', 'allOf', 'if', '$ref', '$dynamicRef', 'not']);

/** Errors by how likely the author meant the branch that they are of: the deepest ones first, and not that a reference is missing. */
export function byMeaning(errors: readonly SchemaError[], root: Node, version: OpenApiVersion): readonly SchemaError[] {
  const weight = ({ keyword, instancePath, params }: SchemaError): number => {
    const depth = instancePath.split('/').length * 4;
    if (params.missingProperty === '$ref') return depth - 1;
    if (COMBINING.has(keyword)) return keyword === 'not' ? depth + 1 : depth;
    return depth + (keyword === 'type' ? 2 : 3);
  };
  const meant = errors.filter((each) => isMeant(each, root, version));
  return (meant.length > 0 ? meant : errors).toSorted((one, other) => weight(other) - weight(one));
}

/** The errors that are of no branch, or of the only one that the value can be, and those of each choice whose branches all fail. */
export function byChoice(errors: readonly SchemaError[]): {
  readonly certain: readonly SchemaError[];
  readonly choices: readonly (readonly SchemaError[])[];
} {
  // What is no reference is the other thing.
  const things = new Set(errors.flatMap((each) => (each.params.missingProperty === '$ref' ? [each.instancePath] : [])));
  const own = errors.filter((each) => !(things.has(each.instancePath) && isOfReference(each)));
  const combined = own.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf');
  const failing = Map.groupBy(combined, ({ instancePath }) => instancePath);
  // One of them is that of the reference and the thing.
  const choices = new Set(
    [...failing].flatMap(([path, each]) => (each.length > (things.has(path) ? 1 : 0) ? [path] : [])),
  );
  const around = new Set([...choices].flatMap((path) => [...prefixesOf(path)]));
  const groups = Map.groupBy(own, ({ instancePath }) =>
    prefixesOf(instancePath, true).find((each) => choices.has(each)),
  );
  const certain = (groups.get(undefined) ?? []).filter(({ instancePath }) => !around.has(instancePath));
  groups.delete(undefined);
  return { certain: firstKeywords(certain), choices: [...groups.values()].map(firstOfEach) };
}

/** The paths around a path, the outermost first. */
function prefixesOf(path: string, isIncluded = false): readonly string[] {
  const ends = [...path.matchAll(/\//g)].map(({ index }) => index);
  return [...ends.map((end) => path.slice(0, end)), ...(isIncluded ? [path] : [])];
}

/** The errors of the first keyword of each schema that a value fails: what comes after it depends on it. */
function firstKeywords(errors: readonly SchemaError[]): readonly SchemaError[] {
  const known = new Map<string, string>();
  return errors.filter(({ instancePath, schemaPath, keyword }) => {
    const key = `${instancePath} ${schemaPath.slice(0, schemaPath.lastIndexOf('/'))}`;
    const first = known.get(key) ?? keyword;
    known.set(key, first);
    return first === keyword;
  });
}

function isOfReference({ parentSchema }: SchemaError): boolean {
  const required = parentSchema?.required;
  return Array.isArray(required) && required.includes('$ref');
}

/** The first error of each definition, which is what matters of a branch. */
function firstOfEach(errors: readonly SchemaError[]): readonly SchemaError[] {
  const known = new Set<string>();
  return errors.filter(({ keyword, schemaPath }) => {
    const definition = COMBINING.has(keyword) ? schemaPath : (/^#\/\w+\/\w+/.exec(schemaPath)?.[0] ?? schemaPath);
    return !known.has(definition) && known.add(definition);
  });
}

/** What a parameter is by its member `in`, in the order in which the schema of 3.0 has a branch for each. */
const LOCATIONS = ['path', 'query', 'header', 'cookie'];
const OLD_LOCATIONS = ['path', 'query', 'header', 'body', 'formData'];

/** The members that each type of a security scheme must have, of those that others must not have. */
const OF_SCHEMES: Readonly<Record<string, readonly string[]>> = {
  apiKey: ['name', 'in'],
  http: ['scheme'],
  oauth2: ['flows', 'flow', 'scopes', 'authorizationUrl', 'tokenUrl'],
  openIdConnect: ['openIdConnectUrl'],
};

/** Whether an error is not one of another kind of parameter or security scheme than what the author wrote. */
function isMeant(
  { instancePath, schemaPath, keyword, params }: SchemaError,
  root: Node,
  version: OpenApiVersion,
): boolean {
  const tokens = pointerTokens(instancePath);
  const own = root.at(tokens, true);
  if (keyword === 'enum' && tokens.at(-1) === 'in') {
    const known = version === '2.0' ? OLD_LOCATIONS : LOCATIONS;
    return own?.text === undefined || !known.includes(own.text);
  }
  const [, branch] = /ParameterLocation\/oneOf\/(\d)/.exec(schemaPath) ?? [];
  if (branch !== undefined) {
    const holder = root.at(tokens.slice(0, tokens.lastIndexOf('parameters') + 2), true);
    const location = holder?.get('in')?.text;
    return location === undefined || LOCATIONS[Number(branch)] === location;
  }
  const needed = tokens.at(-2) === 'securitySchemes' ? OF_SCHEMES[own?.get('type')?.text ?? ''] : undefined;
  return keyword !== 'required' || needed === undefined || needed.includes(String(params.missingProperty));
}

/** An error in words, with its place. */
export function explained(
  { keyword, instancePath, params, message }: SchemaError,
  root: Node,
  version: string,
): ImportError {
  const tokens = pointerTokens(instancePath);
  const node = root.at(tokens, true) ?? root;
  const where = shownAt(tokens, root);
  const type = /^securit/.test(tokens.at(-2) ?? '') ? node.get('type') : undefined;
  if (type !== undefined && !Object.hasOwn(OF_SCHEMES, type.text ?? '') && version !== '2.0') {
    const known = Object.keys(OF_SCHEMES).join(', ');
    return new ImportError(`not valid OpenAPI ${version}: the "type" of ${where} must be one of ${known}`, type.place);
  }
  const unknown = params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  if (typeof unknown === 'string') {
    const place = (node.get(unknown) ?? node).place;
    return new ImportError(`not valid OpenAPI ${version}: ${where} can't have the key "${unknown}"`, place);
  }
  if (keyword === 'enum' && tokens.at(-1) === 'in') {
    const known = version === '2.0' ? OLD_LOCATIONS : LOCATIONS;
    return new ImportError(`not valid OpenAPI ${version}: "in" must be one of ${known.join(', ')}`, node.place);
  }
  if (keyword === 'required')
    return new ImportError(`not valid OpenAPI ${version}: ${where} lacks "${params.missingProperty}"`, node.place);
  return new ImportError(`not valid OpenAPI ${version}: ${where} ${wordsOf(keyword, params, message)}`, node.place);
}

/** The name of what is at a pointer: of an entry of a list its own name, or its position. */
function shownAt(tokens: readonly string[], root: Node): string {
  const last = tokens.at(-1);
  if (last === undefined) return 'it';
  const around = root.at(tokens.slice(0, -1));
  if (!Array.isArray(around?.value)) return `"${last}"`;
  return `"${around.at([last])?.get('name')?.text ?? `${tokens.at(-2) ?? ''}[${last}]`}"`;
}

function wordsOf(keyword: string, params: SchemaError['params'], message = 'is not valid'): string {
  if (keyword === 'enum' && Array.isArray(params.allowedValues))
    return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}`;
  if (keyword === 'oneOf' || keyword === 'anyOf') return 'is not valid in any of the forms that it may have';
  if (keyword === 'not') return 'has members that exclude each other';
  return message;
}
