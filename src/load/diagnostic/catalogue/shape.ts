import { KIND_WORDS } from '../../../kinds/kinds.ts';
import { anyOf } from '../../../wire/words.ts';
import { booleanMeant, nearest } from '../suggest.ts';
import { error, type Shown } from './entry.ts';

/**
 * Keys of OpenAPI, JSON Schema, CXF, Camel and others, in lower case; the key here that says the same; and how it is written,
 * if not as the other. An entry applies where its key exists.
 */
const COUNTERPARTS: readonly (readonly [words: string, key: string, hint?: string])[] = [
  ['properties attributes columns members elements', 'fields'],
  ['maxlength length size', 'pattern', 'Write the length with the type: `type: string(30)`.'],
  ['minlength', 'pattern', 'Write `minimum: 2`, which is the least number of characters of a text.'],
  ['minitems maxitems', 'pattern', 'Write `minimum:` and `maximum:`, which count the entries of a list.'],
  ['maxoccurs', 'pattern', 'Write a list, with `maximum:` for the number of its entries: `type: list of string`.'],
  ['exclusiveminimum minexclusive', 'above'],
  ['exclusivemaximum maxexclusive', 'below'],
  ['mininclusive', 'minimum'],
  ['maxinclusive', 'maximum'],
  ['totaldigits', 'digits'],
  ['fractiondigits', 'fraction'],
  ['whitespace', 'space'],
  ['const', 'enum', 'Write it as the only value: `enum: [A]`.'],
  ['oneof anyof', 'one-of'],
  ['additionalproperties', 'open'],
  ['$ref ref', 'pattern', 'Write the id of the document as the type: `type: ORDER`.'],
  ['precision scale', 'pattern', 'Write the digits with the type: `type: decimal(10.2)`.'],
  ['format', 'pattern', 'Write the format as the type: date, time, datetime, uuid or uri.'],
  ['items itemtype', 'pattern', 'Write the list as the type: `type: list of string`.'],
  ['optional mandatory minoccurs', 'required', 'A field is optional unless it has `required: true`.'],
  ['required', 'root', 'Write `required: true` at each field.'],
  ['method verb path paths uri url route address', 'get', 'Write the path under its method: `get: Orders/{NUMBER}`.'],
  ['operationid name id', 'get', 'The name of an operation is the key above it.'],
  ['parameters params requestbody input consumes', 'request'],
  ['responses returns output reply produces', 'response'],
  ['implementation class controller', 'handler'],
  ['sql', 'query', 'Declare a query of its own, and name it: `query: ORDERS_BY_STATE`.'],
  ['version', 'operations', 'The version is part of the name: `service: Orders.v1`.'],
  ['methods resources endpoints routes', 'operations'],
  ['roles authorization grants', 'permission'],
  ['security auth authentication', 'requires'],
  ['parameters params binds variables arguments', 'prompts'],
  ['statement select', 'sql'],
  ['url uri address endpoint host', 'base'],
  [
    'user username password auth authentication',
    'credential',
    'Write `credential: { basic: { user: NAME, password: "${secret:NAME}" } }`.',
  ],
  ['port host address', 'listen', 'Write both as one address: `listen: 127.0.0.1:8080`.'],
  ['db datasource connection', 'database'],
  ['primarykey id', 'keys'],
  ['document schema type', 'shape'],
  ['publish publishes', 'processing', 'Write `publish: OPERATION` beside `events`, as a key of the component.'],
  ['publishes emit emits topic queue', 'publish'],
  ['handler code trigger onsave aftersave', 'after-save'],
  ['where condition if filter', 'when'],
  ['queue topic publish', 'operation'],
  ['default', 'value', 'Write it in the reference: `value: "${env:NAME:-10}"`.'],
  ['secret sensitive', 'value', 'A value with `${secret:NAME}` is a secret.'],
  ['summary title comment documentation', 'description'],
];

function counterpartOf(given: string, keys: readonly string[]): string | undefined {
  const word = given.toLowerCase();
  const found = COUNTERPARTS.find(([words, key]) => keys.includes(key) && words.split(' ').includes(word));
  return found && (found[2] ?? `Write ${found[1]}.`);
}

/** What to write for a key that is the kind of another definition, by both kinds. */
const MISTAKEN_KINDS: Readonly<Record<string, string>> = {
  'node,routing': 'A routing names the node that is called as `target:`.',
  'node,user': 'A node has its credentials in `credential: { basic: { user: …, password: … } }`.',
};

/** Mistakes against the JSON Schema of the definitions. */
export const shapeEntries = {
  'no-kind': error<{ keys: readonly string[] }>({
    message: ({ keys }) =>
      keys.length === 0
        ? 'This is not a definition: it must be a map with a kind.'
        : `None of these keys is a kind: ${keys.slice(0, 8).join(', ')}.`,
    hint: ({ keys }) => {
      for (const key of keys) {
        const meant = nearest(key, KIND_WORDS);
        if (meant !== undefined) return `Did you mean ${meant} instead of ${key}?`;
      }
      return `Kinds are ${KIND_WORDS.join(', ')}.`;
    },
    explanation:
      'Each definition has exactly one kind as a key at its top level, whose value is the id. `---` separates several definitions in a file.',
  }),
  'two-kinds': error<{ first: string; second: string }>({
    message: ({ first, second }) =>
      first === second
        ? `A second ${first} begins here, inside the first one.`
        : `This definition is a ${first}, so it can't also be a ${second}.`,
    hint: ({ first, second }) =>
      MISTAKEN_KINDS[[first, second].sort().join()] ?? 'Put a line --- between two definitions.',
    explanation: 'A definition has exactly one kind at its top level. A missing `---` joins two definitions.',
  }),
  'unknown-key': error<{
    key: string;
    owner: string;
    keys: readonly string[];
    unused: readonly string[];
    cutText: boolean;
    /** What replaces a key of an earlier version. */
    successor: { readonly now: string; readonly meant?: string } | undefined;
  }>({
    message: ({ key, owner }) => `${key} is not a key of ${owner}.`,
    hint({ key, keys, unused, cutText, successor }) {
      const same = unused.find((each) => each.toLowerCase() === key.toLowerCase());
      if (same !== undefined) return `Did you mean ${same}?`;
      if (successor !== undefined) {
        const { now, meant } = successor;
        return `Write ${now} instead: it replaces ${key}.${meant === undefined ? '' : ` ${meant}`}`;
      }
      const counterpart = counterpartOf(key, keys);
      if (counterpart !== undefined) return counterpart;
      const meant = nearest(key, unused);
      if (meant !== undefined) return `Did you mean ${meant}?`;
      if (cutText) return 'Inside braces a comma ends a text: put the whole text in quotes.';
      return keys.length > 0 ? `Keys here: ${keys.join(', ')}.` : undefined;
    },
    explanation:
      'Unknown keys are errors, because they are usually misspelled. docs/definitions.md lists the keys of every kind.',
  }),
  'missing-key': error<{ key: string; owner: string }>({
    message: ({ key, owner }) => `${owner} has no ${key}.`,
    hint: ({ key }) => `Add \`${key}:\`.`,
    explanation: 'Some keys are required, because no default would be useful.',
  }),
  'wrong-type': error<{ name: string; expected: string; given: unknown } & Shown>({
    message: ({ name, expected, given }) =>
      given === null
        ? `${name} is empty; it must be ${expected}.`
        : `${name} must be ${expected}, not ${kindOfValue(given)}.`,
    hint: ({ name, expected, given, ...shown }) => {
      if (expected === 'text' && (typeof given === 'number' || typeof given === 'boolean')) return 'Put it in quotes.';
      const meant = expected.startsWith('true') ? booleanMeant(given) : undefined;
      if (meant !== undefined && String(given).toLowerCase() !== String(meant))
        return `YAML 1.2 reads ${given} as text. Write ${meant}, without quotes.`;
      if (expected === 'true or false' && typeof given === 'string') return 'Write true or false, without quotes.';
      if (expected === 'a list' && typeof given === 'string') return `Write [${given}].`;
      if (isTypeInBrackets(name, expected, given)) return `Write list of ${given[0]}.`;
      return meantText(shown);
    },
    explanation:
      'The value has another form than the key requires: for example text instead of a list, a map instead of text, or no value at all.',
  }),
  'not-one-of': error<{ name: string; given: unknown; known: readonly string[] }>({
    message: ({ name, given, known }) => `${name} can't be ${String(given)}; it must be one of ${known.join(', ')}.`,
    hint: ({ given, known }) => {
      const meant = nearest(String(given), known);
      return meant === undefined ? undefined : `Did you mean ${meant}?`;
    },
    explanation: 'Some keys accept only certain words.',
  }),
  'bad-value': error<{ name: string; reason: string } & Shown>({
    message: ({ name, reason }) => `${name} ${reason}.`,
    hint: meantText,
    explanation:
      'The value has the right form but is not valid: for example a size without a unit, a number that is too small, a name with an invalid character.',
  }),
  'no-method': error<{ operation: string }>({
    message: ({ operation }) => `${operation} has neither a method with a URI template nor soap.`,
    hint: () =>
      'Add get, post, put, patch, delete or head, for example `get: Locations/{REGION}`, or `soap: true`, or both.',
    explanation:
      'An operation is offered over REST, with one HTTP method whose value is a URI template or a list of templates; over SOAP, with `soap: true` or the name of its SOAP twin; or over both.',
  }),
  'two-methods': error<{ operation: string; methods: readonly string[] }>({
    message: ({ operation, methods }) => `${operation} has ${methods.length} methods: ${methods.join(', ')}.`,
    hint: () => 'Make each of them an operation of its own.',
    explanation: 'An operation has at most one HTTP method, because it is granted, logged and answered as one unit.',
  }),
};

function meantText({ examples, meant = [] }: Shown): string | undefined {
  return meant.length === 0 ? examplesText(examples) : `Write ${anyOf(meant)}.`;
}

/** Whether a list stands for the type of a field: `[ORDER]`. */
function isTypeInBrackets(name: string, expected: string, given: unknown): given is readonly [string] {
  const isType = expected === 'a type or a map of options' || (expected === 'text' && name.endsWith('.type'));
  return isType && Array.isArray(given) && given.length === 1 && typeof given[0] === 'string';
}

/** Examples of a schema as a hint. */
function examplesText(examples: readonly unknown[]): string | undefined {
  if (examples.length === 0) return undefined;
  return `For example: ${examples.map((each) => (typeof each === 'object' ? JSON.stringify(each) : String(each))).join(', ')}.`;
}

/** What a value is, in words. */
function kindOfValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'string') return booleanMeant(value) === undefined ? 'a text' : `the text ${value}`;
  return typeof value === 'number' ? `the number ${value}` : String(value);
}

/** Mistakes of the text itself: before anything is known of what it means. */
export const textEntries = {
  'file-unreadable': error<{ reason: string }>({
    message: ({ reason }) => `The file can't be read: ${reason}.`,
    explanation:
      'Definition files are UTF-8 text of at most 16 MiB, readable by the user who runs the command. A link must lead to a file.',
  }),
  'yaml-syntax': error<{ reason: string; hint?: string | undefined }>({
    message: ({ reason }) => `This is not valid YAML: ${reason.replace(/\.$/, '')}.`,
    hint: ({ hint }) => hint,
    explanation:
      'The file is not well-formed YAML 1.2. This part of the file (up to the next `---`) was not read. The usual causes are an indent with a tab, an unclosed quote or bracket, or text with `: ` or a leading `@`, `%` or backtick that needs quotes.',
  }),
  'nested-too-deep': error<{ most: number }>({
    message: ({ most }) => `Maps and lists are nested more than ${most} levels deep.`,
    hint: () => 'Make the inner parts documents of their own and refer to them by id.',
    explanation:
      'Documents in place may be nested, but not without limit. A document of its own is easier to read and can be used more than once.',
  }),
  'alias-expansion': error<{ name: string; most: number }>({
    message: ({ name, most }) =>
      `The alias *${name} is inside the part that it repeats, or repeats more than ${most} values.`,
    explanation:
      "YAML aliases (`&name`, `*name`) may repeat a part of a file. The number of repeated values is limited, and a part can't contain itself.",
  }),
  'duplicate-key': error<{ key: string; line: number }>({
    message: ({ key, line }) => `The key ${key} is already in this map, in line ${line}.`,
    hint: () => 'Remove or rename one of them.',
    explanation: 'A map may contain a key once. Otherwise one of the two values would be lost silently.',
  }),
  'unquoted-braces': error<{ text: string }>({
    message: ({ text }) => `YAML reads ${text} as a map; it must be quoted to be text.`,
    hint: () => 'Put the whole text in double quotes: "{NAME}/..." .',
    explanation:
      'In YAML, text that begins with a brace is a map, so `X-Region: {REGION}` is a map with the key REGION. The same applies to `${...}` inside a map in braces. Quotes make it text.',
  }),
  'unquoted-star': error<{ text: string }>({
    message: ({ text }) => `YAML reads ${text} as an alias, but no such anchor exists.`,
    hint: () => 'Put the text in double quotes: "*".',
    explanation:
      'In YAML, `*name` repeats the part that `&name` marks. Text that begins with an asterisk needs quotes.',
  }),
  'alias-of-another-document': error<{ name: string; line: number }>({
    message: ({ name, line }) => `*${name} does not know the anchor in line ${line}.`,
    hint: ({ name }) =>
      `An alias repeats a part above it, up to the last \`---\`. Write out the part here, or put &${name} above it in this document.`,
    explanation:
      'In YAML, `*name` repeats the part that `&name` marks above it in the same document. Each `---` begins another document, which has none of the anchors of the one before.',
  }),
  'unprefixed-reference': error<{ text: string; name: string; default?: string }>({
    message: ({ text, name }) =>
      text === `\${${name}}` ? `${text} does not name its source.` : `${text} is not a reference to configuration.`,
    hint({ text, name, default: otherwise }) {
      // An address may have a password.
      if (otherwise !== undefined) return `Write \${env:${name}:-${otherwise.includes('@') ? '...' : otherwise}}.`;
      const ofCall = text.startsWith('{{') ? `, or {${name}} for a value of the call` : '';
      return `Write \${env:${name}} for configuration, or \${secret:${name}} for a secret${ofCall}.`;
    },
    explanation:
      '`${env:X}` is the environment variable X, `${env:X:-default}` has a default, `${secret:X}` is a secret from the environment variable X or from the file in X_FILE. `{X}` without a dollar sign is a value of the call.',
  }),
  'bad-reference': error<{ text: string }>({
    message: ({ text }) => `${text} is not a valid reference to configuration.`,
    hint: () => 'Write ${env:NAME}, ${env:NAME:-default} or ${secret:NAME}.',
    explanation:
      'A reference contains one variable name of letters, digits and underscores. Only `${env:...}` may have a default, after `:-`.',
  }),
  'misplaced-reference': error<{ text: string; key: string }>({
    message: ({ text, key }) => `${text} can't be used in ${key}, where references are not resolved.`,
    hint: () =>
      'References to configuration are allowed in listen, settings, database, publicUrl, tls, audit and console of the gateway; in url, password and replicas of datasources; in issuer, audience, jwks, ca, certificates and secrets of schemes; in the shared-secret of users; in addresses, files and the credential of nodes; in headers, form and values of calls over REST; and in PRIMARYURL.',
    explanation:
      'Definitions are the same on every system. Only addresses, the database, certificate files, secrets and partner-specific values differ, so references are resolved in those places only.',
  }),
};
