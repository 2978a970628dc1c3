import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileDocument } from '../../codec/index.ts';
import { exampleContent } from '../../describe/example/scalar.ts';
import { exampleJson } from '../../describe/example/text.ts';
import { exampleDocument } from '../../describe/example/value.ts';
import {
  type Declared,
  type DraftContract,
  type DraftOperation,
  type DraftService,
  type Losses,
  update,
} from '../../import/index.ts';
import { createClient, InvokeError } from '../../invoke/index.ts';
import { loadTexts } from '../../load/index.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import { everyField, isOneOfSeveral } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { DocumentValue } from '../../model/value.ts';
import { createSpool } from '../../store/index.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { parseUriTemplate } from '../../wire/uri-template/uri-template.ts';
import { counted } from '../../wire/words.ts';
import { GATEWAY } from './judge.ts';

/** Most time for the dry runs of a contract, in milliseconds. Those of 1,000 operations need a fraction of it. */
const WITHIN = 20_000;

/** A request as a dry run shows it. */
type Shown = ReturnType<ReturnType<typeof createClient>['preview']>;

/**
 * Compares what a contract says is sent for each operation with what a dry run of its call shows, and records each difference as a
 * loss. What is expected comes from the contract as it was read, and not from the definitions.
 * @param now in milliseconds
 */
export function compareDryRuns(
  { services }: DraftContract,
  declared: readonly Declared[],
  losses: Losses,
  now: () => number = performance.now.bind(performance),
): void {
  const { files } = update({
    files: new Map(),
    before: [],
    after: declared,
    pathOf: (file) => `definitions/${file}.yaml`,
  });
  const { registry } = loadTexts(new Map([GATEWAY, ...files]));
  if (registry === undefined) return;
  const env = settingsIn([...files.values()]);
  const client = createClient(registry, {
    env,
    spool: createSpool({ folder: join(tmpdir(), `signalbox-import-${process.pid}`) }),
  });
  const ids = declared.flatMap((each) => (each.kind === 'service' ? [each] : []));
  const end = now() + WITHIN;
  let left = 0;
  for (const [index, service] of services.entries()) {
    const own = ids[index];
    if (own === undefined) continue;
    const calls = new Map(registry.services.get(own.id)?.consumers.map((each) => [each.name, each]));
    const names = Object.keys(own.keys.operations as object);
    for (const [at, operation] of service.operations.entries()) {
      const call = calls.get(names[at] ?? '');
      if (operation.uncallable !== undefined || call === undefined || !call.active) continue;
      if (now() > end) left += 1;
      else compareOne(operation, service, call, client, losses);
    }
  }
  const [first] = services;
  if (left > 0 && first !== undefined)
    losses.note(
      `the dry runs of ${counted(left, 'operation')}`,
      'not compared with the contract, for lack of time',
      first.place,
    );
}

/** A secret is masked wherever it is, so that it is no part of anything else. */
const EXAMPLE = 'c0ffee-import-example';

/** A value for each setting that has no default, by which a dry run can be made. */
function settingsIn(texts: readonly string[]): Record<string, string> {
  const names = texts.flatMap((text) =>
    Array.from(text.matchAll(/\$\{(?:env|secret):([A-Za-z0-9_]+)\}/g), ([, name = '']) => name),
  );
  return Object.fromEntries(names.map((name) => [name, name.endsWith('_URL') ? 'https://target.invalid' : EXAMPLE]));
}

function compareOne(
  operation: DraftOperation,
  service: DraftService,
  call: ConsumerOperation,
  client: ReturnType<typeof createClient>,
  losses: Losses,
): void {
  let shown: Shown;
  try {
    shown = client.preview(call, exampleOf(operation, call));
  } catch (error) {
    // Documents within documents, thousands of them.
    const isTooDeep = error instanceof RangeError;
    if (!isTooDeep && !(error instanceof InvokeError)) throw error;
    const why = isTooDeep ? 'its document is too deep for an example' : error.message;
    losses.note(`the dry run of "${operation.name}"`, `not compared with the contract: ${why}`, operation.place);
    return;
  }
  for (const { what, stated, sent } of differences(operation, service, shown))
    losses.add(`${what} of the request of "${operation.name}": ${stated}`, `a dry run shows ${sent}`, operation.place);
}

/** An example of what a call is given, with every value of the URI and the headers. */
function exampleOf({ rest }: DraftOperation, call: ConsumerOperation): DocumentValue {
  if (call.kind === 'soap') {
    const { request } = call.soap;
    if (request.kind === 'none') return {};
    return request.kind === 'raw' ? { content: exampleContent('xml') } : exampleValue(request.document);
  }
  const outside = new Set([
    ...call.uris.flatMap(({ variables }) => variables.map(({ field }) => field.name)),
    ...Object.values(rest?.headers ?? {}),
  ]);
  const { body, input } = call;
  const shown = (fields: readonly Field[]): Document => ({
    ...input,
    fields: fields.map((each) => (outside.has(each.name) ? { ...each, required: true } : each)),
  });
  // The input has the fields of everything that the body may be, of which one is sent.
  if (body.kind === 'document' && isOneOfSeveral(body.document)) {
    const inBody = new Set(everyField(body.document).map(({ name }) => name));
    const others = shown(input.fields.filter(({ name }) => !inBody.has(name)));
    return { ...exampleValue(body.document), ...exampleValue(others) };
  }
  return exampleValue(shown(input.fields));
}

function exampleValue(document: Document): DocumentValue {
  const example = exampleDocument(document);
  if (example === undefined) return {};
  return compileDocument(document, { namespace: '' }).fromJson(JSON.stringify(exampleJson(document, example)));
}

/** What differs, in the words of both sides. */
interface Difference {
  readonly what: string;
  readonly stated: string;
  readonly sent: string;
}

function differences(operation: DraftOperation, service: DraftService, shown: Shown): Difference[] {
  const { rest, soap } = operation;
  if (soap !== undefined) return soapDifferences(operation, shown);
  if (rest === undefined) return [];
  const { addresses = service.addresses } = operation;
  return [...addressDifferences(rest, addresses, shown), ...headDifferences(operation, shown)];
}

function headerOf({ headers }: Shown, name: string): string | undefined {
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
}

function differ(what: string, stated: string, sent: string | undefined): Difference[] {
  return stated === sent ? [] : [{ what, stated, sent: sent ?? 'none' }];
}

/** Of an envelope: the media type and the action by its version. */
function soapDifferences({ soap }: DraftOperation, shown: Shown): Difference[] {
  if (soap === undefined) return [];
  const given = parseMediaType(headerOf(shown, 'content-type') ?? '');
  const expected = soap.version === '1.2' ? 'application/soap+xml' : 'text/xml';
  const type =
    given?.essence === 'multipart/related'
      ? (given.parameters.get('start-info') ?? given.parameters.get('type'))
      : given?.essence;
  const { action = '' } = soap;
  const sent =
    soap.version === '1.2'
      ? (given?.parameters.get('action') ?? '')
      : headerOf(shown, 'soapaction')?.replace(/^"(.*)"$/, '$1');
  return [
    ...differ('the method', 'POST', shown.method),
    ...differ('the media type', expected, type?.replace(/;.*/, '')),
    ...differ('the SOAPAction', action, sent),
  ];
}

type Rest = NonNullable<DraftOperation['rest']>;

/** Of the method, the path and the names in the query. */
function addressDifferences(
  { method, uris: [uri = ''] }: Rest,
  addresses: readonly string[],
  shown: Shown,
): Difference[] {
  const { parts, variables } = parseUriTemplate(uri === '' ? '/' : uri);
  const [path = '', query = ''] = shown.url.split('?');
  const base = addresses.map(baseIn).find((each) => each !== undefined);
  const names = new Set(query.split('&').flatMap((each) => (each === '' ? [] : [decoded(each.split('=')[0] ?? '')])));
  const wanted = variables.filter(({ place }) => place === 'query').map(({ wireName }) => wireName);
  return [
    ...differ('the method', method, shown.method),
    ...(isAt(path, base, pathLiterals(parts)) ? [] : [{ what: 'the path', stated: uri, sent: path }]),
    ...wanted.flatMap((name) =>
      names.has(name) ? [] : [{ what: 'the query', stated: name, sent: 'no such parameter' }],
    ),
  ];
}

/** An address as it is called; `undefined` for one that is a setting, or that an import does not take over. */
function baseIn(address: string): string | undefined {
  const url = /^https?:\/\/[^\s{}$?#]+$/i.test(address) ? URL.parse(address) : null;
  return url === null || url.username !== '' ? undefined : url.href.replace(/\/$/, '');
}

/** The literal of a template as a request has it. */
const sentLiteral = (text: string): string => text.replace(/[^\x21-\x7e]+/g, encodeURIComponent);

type Parts = ReturnType<typeof parseUriTemplate>['parts'];

/** The literals of a path around its variables, without a slash in front; those of the query are left out. */
function pathLiterals(parts: Parts): readonly string[] {
  const literals = [''];
  for (const part of parts) {
    if (part.kind === 'expression') {
      if (part.operator === '?' || part.operator === '&') break;
      literals.push('');
      continue;
    }
    const [path = '', query] = part.text.split('?');
    literals.push(`${literals.pop()}${sentLiteral(path)}`);
    if (query !== undefined) break;
  }
  return literals.map((each, index) => (index === 0 ? each.replace(/^\//, '') : each));
}

/** Whether an address has these literals in their order, from the base on and to its end. In linear time. */
function isAt(address: string, base: string | undefined, [first = '', ...others]: readonly string[]): boolean {
  const begins = base === undefined ? address.indexOf(first) : address.startsWith(`${base}/${first}`) ? 0 : -1;
  const isBare = base !== undefined && first === '' && others.length === 0;
  if (isBare) return address === base || address === `${base}/`;
  if (base === undefined && others.length === 0) return address.endsWith(first) || address.endsWith(`${first}/`);
  if (begins === -1) return false;
  const last = others.at(-1) ?? '';
  let at = base === undefined ? begins + first.length : base.length + 1 + first.length;
  for (const each of others.slice(0, -1)) {
    const found = address.indexOf(each, at);
    if (found === -1) return false;
    at = found + each.length;
  }
  if (others.length === 0) return at === address.length;
  return address.endsWith(last) && address.length - last.length >= at;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Of the media types and required headers. */
function headDifferences({ rest, request, responses, faultTypes = [] }: DraftOperation, shown: Shown): Difference[] {
  if (rest === undefined) return [];
  const sent = headerOf(shown, 'content-type');
  const replies = responses.flatMap(({ mediaType, message }) => (message.kind === 'none' ? [] : [mediaType]));
  const known = replies.flatMap((each) => each ?? []);
  const isStated = known.length === replies.length && known.length > 0;
  const accepted = ((headerOf(shown, 'accept') ?? '').match(/(?:"[^"]*"|[^,"])+/g) ?? []).flatMap(
    (each) => normal(each.replace(/;\s*q=[\d.]+\s*$/, '')) || [],
  );
  const wanted = [...known, ...faultTypes].filter((each) => parseMediaType(each) !== undefined).map(normal);
  const fields = request.kind === 'document' ? request.document.fields : [];
  const all = [...fields, ...(rest.template?.fields ?? [])];
  const needed = Object.entries(rest.headers).filter(
    ([, name]) => all.find((each) => each.name === name)?.options.required,
  );
  const isAccepted = wanted.every((each) => accepted.includes(each)) && accepted.every((each) => wanted.includes(each));
  const type = typeOf(rest);
  const isBody = request.kind !== 'none' && rest.body !== 'none' && rest.method !== 'GET' && rest.method !== 'HEAD';
  return [
    ...(isBody && type !== undefined
      ? differ('the media type', type, sent === undefined ? undefined : sentType(sent, type))
      : []),
    ...(isStated && !isAccepted
      ? [{ what: 'the accepted types', stated: wanted.join(', '), sent: accepted.join(', ') || 'none' }]
      : []),
    ...needed.flatMap(([name]) =>
      headerOf(shown, name.toLowerCase()) === undefined ? [{ what: 'the header', stated: name, sent: 'none' }] : [],
    ),
  ];
}

const normal = (mediaType: string): string => mediaType.toLowerCase().replace(/\s+/g, '');
const withoutCharset = (mediaType: string): string => mediaType.replace(/;charset=[^;]*/, '');

/** The media type of a body, as the contract states it. */
function typeOf({ form, mediaType }: Rest): string | undefined {
  if (form === 'urlencoded') return 'application/x-www-form-urlencoded';
  if (form === 'multipart') return 'multipart/form-data';
  return mediaType === undefined ? undefined : withoutCharset(normal(mediaType));
}

/** The media type that is sent, without the boundary and the charset that calls add. */
function sentType(sent: string, expected: string): string {
  return expected === 'multipart/form-data' ? normal(sent).replace(/;.*/, '') : withoutCharset(normal(sent));
}
