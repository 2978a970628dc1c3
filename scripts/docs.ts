// Writes docs/diagnostics.md and docs/compatibility.md from their catalogues, docs/definitions.md from the JSON Schema of the definitions, docs/handlers.md
// from the types of contexts and the catalogue of faults, and the table of metrics in docs/operating.md.
// `--check` writes nothing, and exits with 1 if a page is out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import {
  catalogue,
  codeCatalogue,
  databaseCatalogue,
  definitionsSchema,
  type Entry,
  type JsonSchema,
  kindSchemas,
} from '../src/load/index.ts';
import { type FaultCode, faults } from '../src/model/fault.ts';
import { METRICS, type MetricDefinition } from '../src/model/metrics.ts';
import { SCALAR_KINDS, SCALARS, type ScalarKind } from '../src/model/scalar.ts';
import { diagnosticSample } from '../test/load/samples.ts';
import { compatibilityPage } from './docs/compatibility.ts';

const root = new URL('../', import.meta.url);
const parts = definitionsSchema().$defs ?? {};

/** Pages by their path under the project's root. */
export function pages(): Map<string, string> {
  return new Map([
    ['docs/compatibility.md', compatibilityPage()],
    ['docs/definitions.md', definitionsPage()],
    ['docs/diagnostics.md', diagnosticsPage()],
    ['docs/handlers.md', handlersPage()],
    ['docs/operating.md', operatingPage()],
  ]);
}

/** The page as it is, with the table of metrics between its two marks. */
function operatingPage(): string {
  const text = readFileSync(new URL('docs/operating.md', root), 'utf8');
  const begin = text.indexOf('\n', text.indexOf('<!-- metrics:')) + 1;
  const after = text.slice(text.indexOf('<!-- end of metrics -->'));
  const rows = Object.entries<MetricDefinition>(METRICS).map(metricRow);
  const table = ['| metric | type | of | meaning | labels |\n|---|---|---|---|---|\n', ...rows].join('');
  return `${text.slice(0, begin)}\n${table}\n${after}`;
}

function metricRow([name, { type, of, help, labels }]: [string, MetricDefinition]): string {
  const described = Object.entries(labels).map(([label, values]) => `\`${label}\`: ${values}`);
  return `| \`${name}\` | ${type} | ${of} | ${help} | ${escapeCell(described.join('; '))} |\n`;
}

/** The guide to handlers, with the members of each context and the catalogue of faults at its marks. */
function handlersPage(): string {
  const rules = readFileSync(new URL('docs/handlers-rules.md', import.meta.url), 'utf8');
  const types = ['handler', 'service-interface']
    .map((file) => readFileSync(new URL(`src/model/${file}.ts`, root), 'utf8'))
    .join('\n');
  return rules
    .replaceAll(/<!-- members: (\w+) -->/g, (_, name: string) => membersOf(types, name).map(memberText).join('\n\n'))
    .replace('<!-- faults -->', faultTable());
}

interface Member {
  readonly signature: string;
  /** Without asterisks. */
  readonly comment: string;
}

/** Reads the members of an interface, each with its comment. */
function membersOf(text: string, name: string): Member[] {
  const start = text.indexOf(`export interface ${name}`);
  const body = text.slice(text.indexOf(' {\n', start), text.indexOf('\n}\n', start));
  if (start < 0) throw new Error(`there is no interface ${name}`);
  const member = /(?: {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?( {2}(?! |\/)[\s\S]*?;)\n/g;
  return [...`${body.slice(3)}\n`.matchAll(member)].map(([, comment = '', signature = '']) => ({
    comment: comment.replaceAll(/^ *\* ?/gm, '').trim(),
    signature: signature
      .replaceAll(/\n\s*/g, ' ')
      .replaceAll('( ', '(')
      .replaceAll(', )', ')')
      .trim()
      .replace(/;$/, ''),
  }));
}

function memberText({ signature, comment }: Member): string {
  const linked = comment.replaceAll(/\{@link (?:\w+\.)?(\w+)\}/g, '`$1`');
  const [text = '', ...tags] = linked.split(/^@(?=returns|throws|param)/m);
  const notes = tags.map((tag) => {
    const [, kind = '', rest = ''] = /^(\w+) ([\s\S]*)$/.exec(tag.trim()) ?? [];
    const words = rest.replace(/^(\w+) (?=\S)/, kind === 'param' ? '`$1`: ' : '$1 ').replaceAll('\n', ' ');
    return `- ${kind === 'param' ? '' : `${kind} `}${words}`;
  });
  const about = [text.trim().replaceAll('\n', ' '), notes.join('\n')].filter((each) => each !== '').join('\n\n');
  const declared = signature.replace(/^readonly /, '');
  const name = /^\w+/.exec(declared)?.[0] ?? '';
  return `#### ${name}\n\n\`\`\`typescript\n${declared}\n\`\`\`\n\n${about}`.trim();
}

const faultSource = readFileSync(new URL('../src/model/fault.ts', import.meta.url), 'utf8');

function faultTable(): string {
  const shown = new Proxy({}, { get: (_, key) => `{${String(key)}}` }) as never;
  const rows = (Object.keys(faults) as FaultCode[]).map((code) => {
    const { status, message } = faults[code];
    return `| ${status} | \`${code}\` | ${escapeCell(parametersOf(code))} | ${escapeCell(message(shown))} |`;
  });
  return ['| status | code | parameters | message |', '|---|---|---|---|', ...rows].join('\n');
}

/** What a fault of the catalogue needs, as its source has it. */
function parametersOf(code: FaultCode): string {
  const found = new RegExp(`^  ${code}: entry\\(\\s*\\d+,\\s*\\(\\w+: (\\{[^}]*\\}|object)\\)`, 'm').exec(faultSource);
  if (found === null) throw new Error(`the parameters of ${code} are not in src/model/fault.ts`);
  return found[1] === 'object' ? '`{}`' : `\`${found[1]}\``;
}

function diagnosticsPage(): string {
  const entries = Object.entries({ ...catalogue, ...databaseCatalogue, ...codeCatalogue }) as [
    string,
    Entry<unknown>,
  ][];
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const head = [
    '# Diagnostics',
    '',
    'The errors and warnings that `signalbox check` reports about definitions and handlers. Each is printed as',
    '`file:line:column: severity code: message`, followed by the line and a hint if there is one; `--json` prints the same for tools.',
    'A gateway does not start with errors; warnings do not prevent it. Codes are stable: a retired code is never reused.',
    '',
    'In the examples, `#file PATH` begins a file with that path.',
    '',
    ...sorted.map(([code, { severity }]) => `- [${code}](#${code})${severity === 'warning' ? ' (warning)' : ''}`),
    '',
  ];
  const body = sorted.map(([code, { severity, explanation }]) => {
    const { wrong, right } = diagnosticSample(code);
    return [
      `## ${code}`,
      '',
      `*${severity}*`,
      '',
      explanation,
      '',
      'Wrong:',
      '',
      fenced(wrong),
      '',
      'Right:',
      '',
      fenced(right),
      '',
    ].join('\n');
  });
  return `${head.join('\n')}\n${body.join('\n')}`;
}

function fenced(text: string): string {
  const shown = text.trimEnd();
  const long = shown.split('\n').map((line) => (line.length > 100 ? `${line.slice(0, 60)} ...` : line));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  return `\`\`\`yaml\n${long.join('\n').replace(/[\u0000-\u0009]/g, '')}\n\`\`\``;
}

function definitionsPage(): string {
  const text = readFileSync(new URL('docs/definitions-rules.md', import.meta.url), 'utf8');
  const rules = text.replace('<!-- types -->', SCALAR_KINDS.map(typeRow).join('\n'));
  const kinds = Object.values(kindSchemas).map((schema) => section(schema.title ?? '', schema));
  const { additionalProperties: mapEntry } = part('members') as { readonly additionalProperties: JsonSchema };
  const { certificate, timeouts, retry, circuit, credential } = kindSchemas.node.properties ?? {};
  const inner = [
    section('operation', part('operation')),
    section('flow', part('flow')),
    section('step of a flow', part('flow-step')),
    section('document in place', part('in-place-document')),
    section('field', part('field')),
    section('list in place', part('field').properties?.list ?? {}),
    section('properties', part('operation').properties?.properties ?? {}),
    section('timeouts of a node', timeouts ?? {}),
    section('retry', retry?.then ?? {}),
    section('circuit of a node', circuit ?? {}),
    section('certificate of a node', certificate ?? {}),
    section('credential of a node', credential ?? {}),
    section('basic of a credential', credential?.properties?.basic ?? {}),
    section('api-key of a credential', credential?.properties?.['api-key'] ?? {}),
    section('client-credentials of a credential', credential?.properties?.['client-credentials'] ?? {}),
    section('bearer of a scheme', kindSchemas.scheme.properties?.bearer ?? {}),
    ...(['api-key', 'client-certificate', 'username-token', 'signature', 'webhook'] as const).map((key) =>
      section(`${key} of a scheme`, kindSchemas.scheme.properties?.[key] ?? {}),
    ),
    section('tls of the gateway', kindSchemas.gateway.properties?.tls ?? {}),
    section('limits', kindSchemas.gateway.properties?.limits ?? {}),
    section('limits of calls', part('operation').properties?.limits ?? {}),
    section('reply-to', part('operation').properties?.['reply-to']?.then ?? {}),
    section('after-save', kindSchemas.component.properties?.['after-save']?.then ?? {}),
    section('publication', kindSchemas.component.properties?.publish?.then ?? {}),
    section('map', part('operation').properties?.map ?? {}),
    section('field in map', mapEntry.then ?? {}),
    section('paging', part('operation').properties?.paging ?? {}),
    section('rate', part('operation').properties?.limits?.properties?.rate?.then ?? {}),
    section('accepted break', kindSchemas.gateway.properties?.['accepted-breaks']?.items ?? {}),
    section('properties of the gateway', kindSchemas.gateway.properties?.properties ?? {}),
    section('deprecated', kindSchemas.service.properties?.deprecated ?? {}),
  ];
  const links = [...Object.keys(kindSchemas), 'operation', 'field'].map((name) => `[${name}](#${name})`);
  return `${rules}\n${links.join(' · ')}\n\n${[...kinds, ...inner].join('\n')}`;
}

/** A row of the table of types. */
function typeRow(kind: ScalarKind): string {
  const { size, description, json, primitive, xml } = SCALARS[kind];
  const sized = size === undefined ? '' : `, \`${kind}(${size === 'digits' ? '10.2' : '10'})\``;
  const isBase64 = json.contentEncoding === 'base64';
  const asJson = {
    string: isBase64 ? 'Base64' : 'string',
    integer: 'number',
    number: 'number',
    boolean: '`true`, `false`',
    any: 'as it is',
  }[json.type ?? 'any'];
  const isText = xml.markup || xml.type === 'xs:string';
  const asXml = primitive === 'json' ? 'its text' : isBase64 ? 'Base64' : isText ? 'text' : `\`${xml.type}\``;
  return `| \`${kind}\`${sized} | ${description} | ${asJson} | ${asXml} |`;
}

function part(name: string): JsonSchema {
  return parts[name] ?? {};
}

/** A heading, a description, a table of keys, and an example. */
function section(title: string, schema: JsonSchema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([key, value]) =>
    row(key, value, schema.required?.includes(key) ?? false),
  );
  const table = ['| key | value | meaning |', '|---|---|---|', ...rows];
  const example = schema.examples?.find((each) => typeof each === 'object');
  const shown = example === undefined ? [] : ['', '```yaml', stringify(example, { lineWidth: 110 }).trimEnd(), '```'];
  return [`### ${title}`, '', sentence(schema.description ?? ''), '', ...table, ...shown, ''].join('\n');
}

function row(key: string, schema: JsonSchema, required: boolean): string {
  const whole: JsonSchema =
    schema.$ref === undefined ? schema : { ...part(schema.$ref.split('/').at(-1) ?? ''), ...schema };
  const notes = [
    sentence(whole.description ?? ''),
    required ? 'Required.' : '',
    whole.default === undefined || whole.default === false ? '' : `Default: ${code(whole.default)}.`,
    whole.examples === undefined || saysItself(whole) ? '' : `For example ${whole.examples.map(code).join(', ')}.`,
  ];
  return `| ${code(key)} | ${escapeCell(valueText(schema))} | ${escapeCell(notes.filter((each) => each !== '').join(' '))} |`;
}

const LINKED: Readonly<Record<string, string>> = {
  operation: '[operation](#operation)',
  flow: '[flow](#flow)',
  'flow-step': '[step](#step-of-a-flow)',
  fields: 'map of names to [fields](#field)',
  field: '[field](#field)',
  type: '[type](#types)',
  message: 'document, [document in place](#document-in-place), `json`, `xml`, `text`, `binary`, `none`',
  response: 'like `request`, or a map of media types to such values',
  'document-or-fields': 'document, [document in place](#document-in-place), `none`',
  'permission-list-id': 'permission list',
  'node-id': 'node',
  'operation-id': 'operation',
  'consumer-id': 'operation with a `target`',
  'call-id': 'operation with a `target`, or flow',
  'answer-call-id': 'operation, flow, or a service with its version',
  members: 'map of fields to a field in braces, a value, or a [map](#field-in-map)',
  'query-id': 'query',
  'role-id': 'role',
  'scheme-id': 'scheme',
  'component-id': 'component',
  'process-id': 'process',
  'delivered-id': 'delivered service',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: '`true` or `false`',
};

/** A key with a fixed set of values needs no example. */
function saysItself({ enum: words, type }: JsonSchema): boolean {
  return words !== undefined || type === 'boolean';
}

/** The values of a key, in words. */
function valueText(schema: JsonSchema): string {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined && LINKED[name] !== undefined) return LINKED[name];
  const whole = name === undefined ? schema : part(name);
  // `null` and the text "null" are written alike.
  if (whole.enum !== undefined) return [...new Set(whole.enum.map(code))].join(', ');
  if (whole.title !== undefined) return whole.title.replace(/^(a|an|the|one) /, '');
  const types = whole.type === undefined ? [] : [whole.type].flat();
  const words = types.map((type) => {
    if (type === 'array') return `list of ${plural(valueText(whole.items ?? {}))}`;
    if (type === 'object') return mapText(whole);
    return TYPES[type] ?? type;
  });
  return [...new Set(words)].join(', or ');
}

function plural(words: string): string {
  if (words.endsWith('`')) return words;
  if (words.endsWith('y')) return `${words.slice(0, -1)}ies`;
  return words.endsWith('s') ? `${words}es` : `${words}s`;
}

function mapText(schema: JsonSchema): string {
  if (schema.properties !== undefined) return 'map, see below';
  const { additionalProperties: value } = schema;
  return typeof value === 'object' ? `map of names to ${valueText(value)}` : 'map';
}

function code(value: unknown): string {
  const text = typeof value === 'object' || value === '' ? JSON.stringify(value) : String(value);
  return `\`${text}\``;
}

function sentence(text: string): string {
  return text === '' || /[.:!?]$/.test(text) ? text : `${text}.`;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function isCurrent(path: string, text: string): boolean {
  try {
    return readFileSync(new URL(path, root), 'utf8') === text;
  } catch {
    return false;
  }
}

if (import.meta.main) {
  const check = process.argv.includes('--check');
  mkdirSync(new URL('docs/', root), { recursive: true });
  for (const [path, text] of pages()) {
    if (isCurrent(path, text)) continue;
    if (check) {
      process.exitCode = 1;
      console.error(`${path} is out of date: run \`npm run docs\`.`);
    } else {
      writeFileSync(new URL(path, root), text);
      console.log(`wrote ${path}`);
    }
  }
}
