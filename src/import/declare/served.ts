import { templatesOverlap } from '../../wire/uri-template/overlap.ts';
import { parseUriTemplate, type UriTemplate, UriTemplateError } from '../../wire/uri-template/uri-template.ts';
import type {
  DraftContract,
  DraftDocument,
  DraftField,
  DraftMessage,
  DraftOperation,
  DraftRest,
  DraftService,
} from '../draft.ts';
import type { Losses } from '../place.ts';
import { xmlNameOf } from './names.ts';

/**
 * A contract as one gateway can serve it: each request reaches one operation. Of operations that a request could mean alike, the
 * first is served, and takes the requests of the others too where its form allows it; the others are declared as not callable.
 */
export function asServed(contract: DraftContract, losses: Losses): DraftContract {
  return {
    ...contract,
    services: contract.services.map((service) => {
      // Over SOAP, as over REST, each service has an address of its own.
      const calls = new Map<string, Caller>();
      const overSoap = service.operations.map((each) => distinctCall(each, service, calls));
      return { ...service, operations: distinctUris(overSoap, losses) };
    }),
  };
}

/** The operation that the requests with one element and one action call. */
interface Caller {
  readonly operation: DraftOperation;
  readonly service: DraftService;
}

/** The operation, or one that can't be served where an earlier one has the same calls. */
function distinctCall(operation: DraftOperation, service: DraftService, calls: Map<string, Caller>): DraftOperation {
  const { soap, uncallable } = operation;
  if (soap === undefined || uncallable !== undefined) return operation;
  const element = elementOf(operation, service);
  // The name of an element around fields is one of the operation, which it shares with no other one of its service.
  const names = soap.style === 'bare' ? [] : [`${service.name} ${soap.request.toLowerCase()}`];
  const keys = [JSON.stringify([element, soap.action ?? '']), ...names];
  const [earlier] = keys.flatMap((key) => calls.get(key) ?? []);
  if (earlier === undefined) {
    for (const key of keys) calls.set(key, { operation, service });
    return operation;
  }
  const isOther = elementOf(earlier.operation, earlier.service) !== element;
  return { ...operation, uncallable: whyServed(operation, service, earlier, isOther) };
}

function whyServed(operation: DraftOperation, service: DraftService, earlier: Caller, isOther: boolean): string {
  const place = earlier.service === service ? '' : ` of "${earlier.service.name}"`;
  const which = `"${earlier.operation.name}"${place}`;
  if (isOther) return `the element of its request has the name of that of ${which}`;
  return isSameCall(operation, earlier.operation)
    ? `${which} is the same, and serves its callers`
    : `its request has the element and the action of ${which}`;
}

function isSameCall(one: DraftOperation, other: DraftOperation): boolean {
  const documents = ({ request, responses }: DraftOperation): (DraftDocument | string)[] =>
    [request, ...responses.map(({ message }) => message)].map((message) =>
      message.kind === 'document' ? message.document : message.kind,
    );
  const theirs = documents(other);
  return (
    one.name === other.name && documents(one).every((each, index) => isSameDocument(each, theirs[index] as typeof each))
  );
}

/** Elements around fields are documents of their own for each operation, with the same fields. */
function isSameDocument(one: DraftDocument | string, other: DraftDocument | string): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return one === other || (one.fields === other.fields && one.extends === other.extends);
}

/** The element of a request in the Body; an empty text for an empty Body. */
function elementOf({ soap, request }: DraftOperation, service: DraftService): string {
  const own = service.namespace ?? '';
  if (soap?.style !== 'bare') return `{${soap?.namespace ?? own}}${soap?.request}`;
  if (request.kind !== 'document') return '';
  const { name, options } = request.document;
  return `{${options.namespace ?? own}}${options.xml ?? xmlNameOf(name)}`;
}

/** Operations over REST, each with URIs of its own. */
function distinctUris(operations: readonly DraftOperation[], losses: Losses): DraftOperation[] {
  const served: DraftOperation[] = [];
  const paths: Paths[] = [];
  for (const operation of operations) {
    const { rest, uncallable } = operation;
    const own = pathsOf(operation);
    const isSame = (each: DraftOperation, index: number): boolean =>
      each.rest?.method === rest?.method && each.uncallable === undefined && overlap(paths[index] as Paths, own);
    const at = rest === undefined || uncallable !== undefined ? -1 : served.findIndex(isSame);
    const earlier = served[at];
    paths.push(own);
    if (earlier === undefined) {
      served.push(operation);
      continue;
    }
    const wider = widened(earlier, operation, losses);
    if (wider !== undefined) {
      served[at] = wider;
      paths[at] = pathsOf(wider);
    }
    const words = `"${earlier.name}" has its method and path${wider === undefined ? '' : ', and takes its requests too'}`;
    served.push({ ...operation, uncallable: words });
  }
  return served;
}

/** What decides whether requests to two operations are the same. */
interface Paths {
  readonly templates: readonly UriTemplate[];
  /** Names of the variables that are lists. */
  readonly lists: ReadonlySet<string>;
}

function pathsOf(operation: DraftOperation): Paths {
  return { templates: templatesOf(operation), lists: new Set(listsOf(operation)) };
}

function overlap(one: Paths, other: Paths): boolean {
  const isList = (name: string): boolean => one.lists.has(name) || other.lists.has(name);
  return one.templates.some((template) =>
    other.templates.some((each) => templatesOverlap(template, each, ({ name }) => (isList(name) ? 'list' : 'string'))),
  );
}

function templatesOf({ rest }: DraftOperation): readonly UriTemplate[] {
  return (rest?.uris ?? []).flatMap((text) => {
    try {
      return [parseUriTemplate(text === '' ? '/' : text)];
    } catch (error) {
      if (error instanceof UriTemplateError) return [];
      throw error;
    }
  });
}

function listsOf({ rest, request }: DraftOperation): readonly string[] {
  const documents = [
    ...(request.kind === 'document' ? [request.document] : []),
    ...(rest?.template ? [rest.template] : []),
  ];
  return documents.flatMap(({ fields }) => fields.flatMap(({ name, type }) => (type.kind === 'list' ? [name] : [])));
}

/**
 * An operation over REST that takes the requests of another one with the same method and path, too: the queries of both, whose
 * variables are optional then, and the body of either. `undefined` where no declaration has the form of both.
 */
function widened(one: DraftOperation, other: DraftOperation, losses: Losses): DraftOperation | undefined {
  const [mine, theirs] = [partsOf(one), partsOf(other)];
  if (mine === undefined || theirs === undefined || mine.path !== theirs.path) return undefined;
  const body = commonBody(mine, theirs);
  if (body === undefined) return undefined;
  const places = placesOf(mine);
  const isMoved = [...placesOf(theirs)].some(([field, place]) => (places.get(field) ?? place) !== place);
  if (isMoved) return undefined;
  const fields = commonFields(mine, theirs);
  const added = theirs.query.filter((each) => !places.has(nameOf(each)));
  const variables = [...mine.query, ...added];
  const query = variables.length === 0 ? '' : `{?${variables.join(',')}}`;
  const common = {
    uris: [mine.path + query],
    headers: { ...theirs.rest.headers, ...mine.rest.headers },
    otherTypes: [mine.rest.otherTypes, theirs.rest.mediaType, theirs.rest.otherTypes].flatMap((each) => each ?? []),
  };
  tellReplies(one, other, losses);
  if (body === mine.body) return { ...one, ...withFields(one, { ...mine.rest, ...common }, fields, body) };
  losses.add(
    `the bodies of "${one.name}" and "${other.name}", which are of two elements`,
    'taken as any XML',
    one.place,
  );
  const { template: _, ...rest } = mine.rest;
  const name = ['body', 'content', 'xml'].find((each) => fields.every((field) => field.name !== each)) ?? 'the_body';
  const content: DraftField = {
    name,
    place: one.place,
    type: { kind: 'scalar', word: 'xml' },
    options: { required: true },
  };
  return {
    ...one,
    rest: { ...rest, ...common, body: name, mediaType: 'application/xml', otherTypes: [] },
    request: message(one, [...fields, content]),
  };
}

/** An operation in parts. */
interface Parts {
  readonly rest: DraftRest;
  /** The URI without its query. */
  readonly path: string;
  /** Variables of the query, as the template spells them. */
  readonly query: readonly string[];
  /** Fields that are in the URI and in headers, and others that are not in a body of one element. */
  readonly fields: readonly DraftField[];
  readonly body: Body;
}

/** The body of a request: an element, a text of a kind, fields of its own, or none. */
type Body =
  | { readonly kind: 'element'; readonly document: DraftDocument; readonly isXml: boolean }
  | { readonly kind: 'raw'; readonly field: DraftField }
  | { readonly kind: 'fields' | 'none' };

const NO_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE']);

function partsOf({ rest, request }: DraftOperation): Parts | undefined {
  const [uri, ...others] = rest?.uris ?? [];
  const found = uri === undefined ? undefined : /^([^?]*?)(?:\{\?([^{}?]*)\})?$/.exec(uri);
  if (rest === undefined || found === null || found === undefined || others.length > 0) return undefined;
  const [, path = '', query = ''] = found;
  const all = request.kind === 'document' ? request.document.fields : [];
  const variables = query === '' ? [] : query.split(',');
  const parts = (fields: readonly DraftField[], body: Body): Parts => ({ rest, path, query: variables, fields, body });
  if (NO_BODY.has(rest.method) || rest.body === 'none') return parts(all, { kind: 'none' });
  const field = all.find(({ name }) => name === rest.body);
  if (field !== undefined)
    return parts(
      all.filter((each) => each !== field),
      { kind: 'raw', field },
    );
  if (request.kind === 'document' && (rest.template !== undefined || (path + query).indexOf('{') < 0) && !rest.form) {
    const { mediaType = 'application/xml' } = rest;
    const isXml = /[/+]xml\b/i.test(mediaType);
    return parts(rest.template?.fields ?? [], { kind: 'element', document: request.document, isXml });
  }
  return request.kind === 'none' ? parts([], { kind: 'none' }) : parts(all, { kind: 'fields' });
}

/** The name of a variable of a query: `tags*` is that of a list. */
function nameOf(variable: string): string {
  return variable.replace(/[*:].*$/, '');
}

/** Where fields beside the body are sent. */
function placesOf({ rest, query }: Parts): ReadonlyMap<string, string> {
  return new Map([
    ...query.map((each) => [nameOf(each), 'query'] as const),
    ...Object.entries(rest.headers).map(([header, field]) => [field, `header ${header}`] as const),
  ]);
}

/** The body that both have, or any XML where each is an element; `undefined` for others. */
function commonBody({ body: mine }: Parts, { body: theirs }: Parts): Body | undefined {
  if (mine.kind === 'none' && theirs.kind === 'none') return mine;
  if (mine.kind === 'raw' && theirs.kind === 'raw')
    return wordOf(mine.field) === wordOf(theirs.field) ? mine : undefined;
  if (mine.kind !== 'element' || theirs.kind !== 'element') return undefined;
  if (mine.document === theirs.document) return mine;
  return mine.isXml && theirs.isXml ? theirs : undefined;
}

function wordOf({ type }: DraftField): string {
  return type.kind === 'scalar' ? type.word : '';
}

/** The fields of both; those that one of them does not have are optional. */
function commonFields({ fields: mine }: Parts, { fields: theirs }: Parts): readonly DraftField[] {
  const optional = (field: DraftField): DraftField => {
    const { required: _, ...options } = field.options;
    return { ...field, options };
  };
  const isIn = (fields: readonly DraftField[], { name }: DraftField): boolean =>
    fields.some((each) => each.name === name);
  return [
    ...mine.map((field) => (isIn(theirs, field) ? field : optional(field))),
    ...theirs.filter((field) => !isIn(mine, field)).map(optional),
  ];
}

function withFields(
  one: DraftOperation,
  rest: DraftRest,
  fields: readonly DraftField[],
  body: Body,
): Pick<DraftOperation, 'rest' | 'request'> {
  if (body.kind === 'element') {
    const template = rest.template ?? emptyDocument(one);
    return {
      rest: fields.length === 0 ? rest : { ...rest, template: { ...template, fields: [...fields] } },
      request: one.request,
    };
  }
  return { rest, request: message(one, body.kind === 'raw' ? [...fields, body.field] : fields) };
}

function message(one: DraftOperation, fields: readonly DraftField[]): DraftMessage {
  if (fields.length === 0) return { kind: 'none' };
  const document = one.request.kind === 'document' ? (one.rest?.template ?? one.request.document) : emptyDocument(one);
  return { kind: 'document', document: { ...document, fields: [...fields] } };
}

function emptyDocument({ name, place }: DraftOperation): DraftDocument {
  return { name: `${name}_REQUEST`, place, named: false, options: {}, fields: [] };
}

/** Of two operations with one method and path, the replies are those of the first. */
function tellReplies(one: DraftOperation, other: DraftOperation, losses: Losses): void {
  const wordsOf = ({ responses, status = 200 }: DraftOperation): string =>
    JSON.stringify([
      status,
      ...responses.map(({ mediaType, message: each }) => [
        mediaType,
        each.kind === 'document' ? each.document.name : each.kind === 'raw' ? each.raw : each.kind,
      ]),
    ]);
  if (wordsOf(one) !== wordsOf(other))
    losses.add(`the replies of "${other.name}"`, `its callers get those of "${one.name}"`, other.place);
}
