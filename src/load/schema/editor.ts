import type { KnownId, KnownIds, Member } from '../../kinds/kind.ts';
import { KIND_WORDS, type KindWord, kindOf, MEMBERS } from '../../kinds/kinds.ts';
import { SCALAR_KINDS, SCALARS } from '../../model/scalar.ts';
import { given } from '../object.ts';
import { definitionsSchema } from './index.ts';
import type { JsonSchema } from './json-schema.ts';

/** The ids that an editor proposes. */
interface ProposedIds extends KnownIds {
  /** Services of the package, enabled or not. */
  readonly delivered?: readonly KnownId[];
}

/**
 * The JSON Schema (draft 7) that editors use for the definitions of a project. It accepts the ids that the project declares,
 * proposes them, and describes the same keys as {@link definitionsSchema}, in the form in which editors give help: they propose
 * values from `enum`, `const`, `anyOf` and `allOf`, never from `then` and `else`; they propose every example; and they show the
 * innermost description.
 */
export function editorSchema(known: ProposedIds): JsonSchema & { readonly $schema: string } {
  const { $schema, allOf = [], $defs = {}, ...root } = definitionsSchema();
  const { 'in-place-document': inPlace, ...parts } = $defs;
  // The key that contains it describes it better.
  const { description: _, ...undescribed } = inPlace ?? {};
  return {
    $schema,
    ...root,
    allOf: allOf.map(({ if: condition = {}, then = {} }, index) =>
      branchOf(condition, describeKind(forEditors(then), KIND_WORDS[index] as string)),
    ),
    $defs: { ...eachPart({ ...parts, 'in-place-document': undescribed }), ...references(known) },
  };
}

/** The key with the id of a definition is also the word for its kind. */
function describeKind(schema: JsonSchema, kind: string): JsonSchema {
  const key = schema.properties?.[kind];
  const description = [schema.description, key?.description].join('\n');
  return { ...schema, properties: { ...schema.properties, [kind]: { ...key, description } } };
}

const eachPart = (parts: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, forEditors(part)]));

/** A schema with all of its parts in the form for editors. */
function forEditors({ examples = [], ...schema }: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties, propertyNames, ...rest } = withWord(schema);
  const proposed = examples.filter(fitsAnyProject);
  const description = rest.description?.replace(CONFIGURATION, '$& (`${env:NAME}`, `${secret:NAME}`)');
  return {
    ...rest,
    ...given({
      description,
      properties: properties === undefined ? undefined : eachPart(properties),
      items: items === undefined ? undefined : forEditors(asEntry(items)),
      additionalProperties:
        typeof additionalProperties === 'object' ? forEditors(additionalProperties) : additionalProperties,
      propertyNames: propertyNames === undefined ? undefined : forEditors(propertyNames),
      examples: proposed.length === 0 ? undefined : proposed,
    }),
  };
}

/** What needs an explanation where the rest of the reference is not at hand. */
const CONFIGURATION = /\b(?:refer to configuration|A reference)\b/;

/** A reference in a list. */
function asEntry(schema: JsonSchema): JsonSchema {
  const { $ref } = schema;
  return $ref?.endsWith('-id') ? { ...schema, $ref: `${$ref}s` } : schema;
}

/** Examples that are values (`30 s`, `10 MiB`, `0 6 * * *`, true). Other texts and maps contain names of the sample. */
const fitsAnyProject = (example: unknown): boolean =>
  typeof example === 'string' ? /^[0-9*]/.test(example) : typeof example !== 'object';

/** Empty `properties`, because editors compare alternatives by them. */
const A_MAP: JsonSchema = { type: 'object', properties: {} };
const A_LIST: JsonSchema = { type: 'array', properties: {} };

/**
 * A value that is a word or else a map or list, with the words in `anyOf`. Of several alternatives that fail, editors report
 * the first, so what a map or list may contain is not among them.
 */
function withWord(schema: JsonSchema): JsonSchema {
  if (schema.else !== undefined) {
    const { if: _, then, else: __, ...rest } = schema;
    const { branch, word } = splitWord(schema);
    return { ...rest, ...branch, anyOf: [forEditors(word), A_MAP] };
  }
  const { type, minLength: _, ...rest } = schema;
  if (typeof type !== 'object') return schema;
  if (type.includes('array') && !type.includes('object')) {
    const { items = {}, minItems, uniqueItems, ...others } = rest;
    const list = forEditors({ type: 'array', items, ...given({ minItems, uniqueItems }) });
    return { ...others, ...branchOf({ type: 'array' }, list), anyOf: [forEditors(items), A_LIST] };
  }
  const $ref = refersTo(rest.additionalProperties) ?? refersTo(rest.properties?.type);
  return type.includes('string') && $ref !== undefined ? { ...rest, anyOf: [{ $ref }, A_MAP] } : schema;
}

const refersTo = (schema: JsonSchema['additionalProperties']): string | undefined =>
  typeof schema === 'object' ? schema.$ref : undefined;

/** Separates what is not a map from the branches for maps. */
function splitWord({ if: condition = {}, then = {}, else: otherwise = {} }: JsonSchema): {
  readonly branch: JsonSchema;
  readonly word: JsonSchema;
} {
  const branch = branchOf(condition, forEditors(then));
  if (otherwise.else === undefined) return { branch, word: otherwise };
  const inner = splitWord(otherwise);
  return { branch: { ...branch, else: inner.branch }, word: inner.word };
}

const branchOf = (condition: JsonSchema, then: JsonSchema): JsonSchema => ({ if: condition, then });

/** The references to definitions and types, by their names in `$defs`; in lists, `-ids` instead of `-id`. */
function references(known: ProposedIds): Readonly<Record<string, JsonSchema>> {
  const { types = [], documents = [], consumers = [], flows = [] } = known;
  const calls = [...consumers, ...flows];
  const isCall = new Set(calls.map(({ id }) => id));
  const answered = (known.operations ?? []).filter(({ id }) => !isCall.has(id));
  const entries = [...SCALAR_KINDS, ...types.map(({ id }) => id), ...documents.map(({ id }) => id)];
  const lists = ['list', 'map'].flatMap((kind) => entries.map((id) => `${kind} of ${id}`));
  const words = [
    ...described(TYPES),
    ...alternatives('a named type', types),
    ...alternatives('a document', documents),
    { title: 'a list or a map', enum: lists },
    SIZED,
  ];
  const ids = {
    ...Object.fromEntries(KIND_WORDS.map((kind) => [`${kind}-id`, choiceOf(kind, known)])),
    'scheme-id': choice('a scheme', [BASIC, ...(known.schemes ?? [])]),
    'operation-id': choice('an operation', known.operations, [WITH_DOT, WITH_WILDCARD]),
    'consumer-id': choice('an operation with a target', consumers, [WITH_DOT]),
    'call-id': choice('an operation with a target, or a flow', calls, [WITH_DOT]),
    'answer-call-id': choice('an operation or a flow', [...calls, ...answered], [WITH_DOT]),
    'delivered-id': choice('a service of the package', known.delivered),
  };
  return {
    ...ids,
    ...Object.fromEntries(Object.entries(ids).map(([name, schema]) => [`${name}s`, inList(schema)])),
    type: { title: 'a type', type: 'string', anyOf: words },
    'message-word': { title: 'a document or a type', type: 'string', anyOf: [...described([NONE]), ...words] },
    'document-word': choice('a document', [...documents, NONE]),
  };
}

/** One of the definitions of a kind; of one whose things permission lists name, also several. */
function choiceOf(kind: KindWord, known: ProposedIds): JsonSchema {
  const { members, granted } = kindOf(kind);
  const [member] = Object.keys(members) as Member[];
  const title = member === undefined ? kind : MEMBERS[member].word;
  return choice(`a ${title}`, member && known[member], granted === undefined ? [] : [WITH_WILDCARD]);
}

const BASIC: KnownId = { id: 'basic', about: 'basic: user name and password (RFC 7617)' };
const NONE: KnownId = { id: 'none', about: 'none: no content' };

/** Texts that the loader resolves to more than an id: `Orders.v2.ORDERS_GET`, `ORDERS_*`. */
const WITH_DOT: JsonSchema = { title: 'a name with its service', pattern: '\\.' };
const WITH_WILDCARD: JsonSchema = { title: 'a wildcard', pattern: '\\*' };

/** One of several ids; any text if there are none. */
function choice(title: string, ids: readonly KnownId[] = [], others: readonly JsonSchema[] = []): JsonSchema {
  if (ids.length === 0) return { title, type: 'string', minLength: 1 };
  return { title, type: 'string', anyOf: [...alternatives(title, ids), ...others] };
}

/** With more, an editor that compares every reference of a file with each of them becomes slow. */
const MOST_DESCRIBED = 100;

const alternatives = (title: string, ids: readonly KnownId[]): readonly JsonSchema[] => {
  if (ids.length <= MOST_DESCRIBED) return described(ids);
  return [{ title, enum: ids.map(({ id }) => id) }];
};

/** Alternatives with a title, which editors show for the value next to the description of its key. */
const described = (ids: readonly KnownId[]): readonly JsonSchema[] =>
  ids.map(({ id, about }) => ({ const: id, title: about }));

/** The same ids without alternatives: in a list, editors propose a new entry for each of those as well. */
function inList({ anyOf = [], ...schema }: JsonSchema): JsonSchema {
  const ids = anyOf.flatMap((each) => each.const ?? each.enum ?? []);
  const others = anyOf.filter(({ pattern }) => pattern !== undefined);
  if (ids.length === 0) return schema;
  return others.length === 0 ? { ...schema, enum: ids } : { ...schema, anyOf: [{ enum: ids }, ...others] };
}

const TYPES: readonly KnownId[] = [
  ...SCALAR_KINDS.map((id) => ({ id, about: `${id}: ${SCALARS[id].description}` })),
  { id: 'string(10)', about: 'string(10): text of at most 10 characters' },
  { id: 'decimal(10.2)', about: 'decimal(10.2): 10 digits in all, 2 of them after the point' },
];

const wordsOf = (size: 'characters' | 'digits'): string =>
  SCALAR_KINDS.filter((kind) => SCALARS[kind].size === size).join('|');

/** The spellings of types that are too many to propose. */
const SIZED: JsonSchema = {
  title: 'a type with a size, or a list or map of it',
  pattern: `^((list|map)\\s+of\\s+)?((${wordsOf('characters')})\\s*\\(\\s*[0-9]+\\s*\\)|(${wordsOf('digits')})\\s*\\(\\s*[0-9]+([.,][0-9]+)?\\s*\\))$`,
};
