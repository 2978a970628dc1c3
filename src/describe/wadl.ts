import { bareField, type Document, documentName } from '../model/document.ts';
import { type Field, singleType, typeWords } from '../model/field.ts';
import { formStyle, formStyleWords, partKind } from '../model/form.ts';
import type { Registry } from '../model/registry.ts';
import { requestForms } from '../model/request-form.ts';
import { traitsOf } from '../model/scalar.ts';
import type { TransportScheme } from '../model/security.ts';
import {
  type Operation,
  type OperationUri,
  onceOf,
  type ReplyForm,
  replyStatus,
  type Service,
  takesBody,
} from '../model/service.ts';
import { ownDescription } from '../model/simple-type.ts';
import { problemMediaType } from '../wire/problem.ts';
import { buildXml, element, type XmlElement } from '../wire/xml/build.ts';
import { faultForms, faultMeanings, faultStatuses, isKeyNeeded, keyWords, sentForms } from './exchange.ts';
import { mustBeGiven, takenFor } from './field.ts';
import { ncName } from './names.ts';
import { isWhole } from './openapi/request.ts';
import { accessNote, restSchemes } from './requirements.ts';
import { restScopeOf, type Scope, segmentOf } from './scope.ts';
import { type DescribedUri, type DescribedVariable, describeUri, operatorNote, type PathWriter } from './uri.ts';
import { boundsNote, codingNote, countNote, deprecationNote, joined, repeatsNote, titleOf } from './words.ts';
import { prefixesOf, type SchemaSet } from './xsd/schema.ts';
import { builtInType, lexical } from './xsd/types.ts';
import { schemasOf } from './xsd/xsd.ts';

// Web Application Description Language (W3C Member Submission, 31 August 2009).

/**
 * The WADL of a service: its resources with their parameters, the representations of requests, replies and faults, and
 * the XML Schemas of its documents inline. `base` is the gateway's address with its context, without a slash at the end.
 * @throws RangeError when `pathName` is not a path name of the service
 */
export function describeWadl(
  registry: Registry,
  service: Service,
  { base, pathName }: { readonly base: string; readonly pathName?: string | undefined },
): string {
  const scope = restScopeOf(registry, { service, pathName });
  const schemas = schemasOf(scope, parametersOf(scope));
  const attributes = {
    xmlns: 'http://wadl.dev.java.net/2009/02',
    'xmlns:xs': 'http://www.w3.org/2001/XMLSchema',
    ...prefixesOf(schemas),
  };
  const grammars = schemas.namespaces.map((namespace) => schemas.schemaOf(namespace));
  const resources = resourceElements({ scope, schemas });
  const deprecated = deprecationNote(service);
  const application = element('application', attributes, [
    element('doc', { title: scope.name }, [titleOf(scope)]),
    deprecated === undefined ? undefined : element('doc', { title: 'Deprecated' }, [deprecated]),
    faultsDoc(scope),
    codingsDoc(scope),
    grammars.length === 0 ? undefined : element('grammars', {}, grammars),
    resources.length === 0
      ? undefined
      : element('resources', { base: `${base}/RESTListeningConnector/${scope.gateway.id}/` }, resources),
  ]);
  return buildXml(application);
}

/** The meanings of the statuses, once for all methods. */
function faultsDoc({ rest, gateway }: Scope): XmlElement | undefined {
  if (rest.length === 0) return undefined;
  const lines = faultMeanings(rest, gateway).map(({ status, meaning }) => `${status}: ${meaning}`);
  return element('doc', { title: 'Statuses of faults' }, [lines.join('\n')]);
}

/** Once for all methods that take a body. */
function codingsDoc({ rest, gateway }: Scope): XmlElement | undefined {
  const note = codingNote(gateway);
  const hasBody = rest.some((operation) => operation.uris.some((uri) => takesBody(operation, uri)));
  return note === undefined || !hasBody ? undefined : element('doc', { title: 'Request bodies' }, [note]);
}

/** WADL paths support `{X}` only; matrix variables are parameters outside of the path. */
const wadlPath: PathWriter = ({ operator, name }, first) => {
  const variable = `{${ncName(name)}}`;
  if (operator === ';') return '';
  if (operator === '/' || operator === '.') return `${operator}${variable}`;
  return first ? variable : `,${variable}`;
};

/** A resource per path name, with one per template below it; methods of a path with the same parameters share a resource. */
function resourceElements(context: WadlContext): XmlElement[] {
  const byPathName = Map.groupBy(context.scope.rest, segmentOf);
  return [...byPathName].map(([path, operations]) => {
    const children = new Map<string, { readonly attributes: { path: string }; readonly content: XmlElement[] }>();
    for (const operation of operations) {
      for (const uri of operation.uris) {
        const described = describeUri(uri, wadlPath);
        const params = described.pathVariables.map((variable) => variableParam(variable, context));
        const key = JSON.stringify([described.path, params]);
        const resource = children.get(key) ?? { attributes: { path: described.path }, content: [...params] };
        resource.content.push(methodOf(operation, described, context));
        children.set(key, resource);
      }
    }
    const inner = [...children.values()].map(({ attributes, content }) => element('resource', attributes, content));
    return element('resource', { path }, inner);
  });
}

/** The fields of all parameters in addresses and headers. Those of forms are in documents. */
function parametersOf({ rest }: Scope): readonly Field[] {
  return rest.flatMap((operation) => [
    ...operation.uris.flatMap(({ variables }) => variables.map(({ field }) => field)),
    ...operation.requestHeaders.map(({ field }) => field),
  ]);
}

function methodOf(operation: Operation, described: DescribedUri, context: WadlContext): XmlElement {
  const query = [
    ...described.constants.map(constantParam),
    ...described.queryVariables.map((variable) => variableParam(variable, context)),
  ];
  return methodElement(operation, described, query, context);
}

/** What the methods of a WADL share. */
interface WadlContext {
  readonly scope: Scope;
  readonly schemas: SchemaSet;
}

/** An operation at one of its URIs. */
function methodElement(
  operation: Operation,
  { uri }: DescribedUri,
  query: readonly XmlElement[],
  context: WadlContext,
): XmlElement {
  const headers = operation.requestHeaders.map(({ header, field }) => headerParam(header, field, context));
  const body = takesBody(operation, uri) ? requestRepresentations(operation, uri, context) : [];
  const content = [
    ...query,
    ...headers,
    ...apiKeyParams(restSchemes(operation)),
    ...keyParam(operation, context),
    ...body,
  ];
  const attributes = { name: operation.method, id: ncName(context.scope.nameOf(uri)) };
  return element('method', attributes, [
    element('doc', { title: operation.name }, [methodText(operation, uri)]),
    content.length === 0 ? undefined : element('request', {}, content),
    ...responses(operation, context),
  ]);
}

/** The header that names a call which may be repeated. */
function keyParam(operation: Operation, { scope: { gateway } }: WadlContext): XmlElement[] {
  const once = onceOf(operation, gateway);
  if (once === undefined) return [];
  const required = isKeyNeeded(operation, once) ? 'true' : undefined;
  const attributes = { name: 'Idempotency-Key', style: 'header', type: 'xs:string', required };
  return [element('param', attributes, [element('doc', {}, [keyWords(once)])])];
}

function methodText(operation: Operation, { template, index }: OperationUri): string | undefined {
  const uri = `URI template ${index}: ${template.text}`;
  return joined('\n', operation.description, uri, accessNote(restSchemes(operation)));
}

function requestRepresentations(operation: Operation, uri: OperationUri, context: WadlContext): XmlElement[] {
  const forms = requestForms(operation, uri);
  const { request } = operation;
  if (request.kind !== 'document') return forms.map(({ mediaType }) => element('representation', { mediaType }));
  const { document } = request;
  const whole = bareField(document);
  const names = whole === undefined ? uri.body.map((field) => field.jsonName).join(', ') : typeWords(whole.type);
  const text = joined('. ', `${documentName(document)}: ${names}`, repeatsNote(uri.repeats));
  const elements = uri.body.map((field) => field.xmlName).join(', ');
  const part = joined('. ', `Contains only ${elements}`, repeatsNote(uri.repeats));
  const own = isWhole(document, uri) ? undefined : part;
  return forms.map(({ format, mediaType }) => {
    if (format === 'multipart')
      return element(
        'representation',
        { mediaType },
        uri.body.map((field) => partParam(field, context)),
      );
    if (format === 'urlencoded')
      return element(
        'representation',
        { mediaType },
        uri.body.map((field) => formParam(field, operation, context)),
      );
    if (format === 'xml') return xmlRepresentation(mediaType, qualified(document, context), own);
    return element('representation', { mediaType }, [element('doc', {}, [text])]);
  });
}

function responses(operation: Operation, context: WadlContext): XmlElement[] {
  const reply = sentForms(operation).map((form) => representation(form, context));
  const forms = faultForms(operation);
  const statuses = faultStatuses(operation, context.scope.gateway).map(({ status }) => String(status));
  const problem = forms.some((form) => form.mediaType === problemMediaType);
  return [
    element('response', { status: String(replyStatus(operation)) }, reply),
    element(
      'response',
      { status: statuses.join(' ') },
      forms.map((form) => representation(form, context)),
    ),
    // Faults of an address without an operation, or with several, have no fault document.
    ...(problem ? [] : [element('response', { status: '404 405' }, [problemRepresentation()])]),
  ];
}

function problemRepresentation(): XmlElement {
  return element('representation', { mediaType: problemMediaType }, [
    element('doc', {}, ['Problem details (RFC 9457), if the address does not belong to a single operation.']),
  ]);
}

/** One form of a reply or a fault; the XML form names an element of the grammars. */
function representation({ format, mediaType, message }: ReplyForm, context: WadlContext): XmlElement {
  if (message.kind !== 'document') {
    const note = mediaType === problemMediaType ? 'Problem details (RFC 9457).' : undefined;
    return element('representation', { mediaType }, [note === undefined ? undefined : element('doc', {}, [note])]);
  }
  const { document } = message;
  if (format === 'multipart')
    return element(
      'representation',
      { mediaType },
      document.fields.map((field) => partParam(field, context)),
    );
  if (format === 'xml') return xmlRepresentation(mediaType, qualified(document, context), undefined);
  const label = document.root ? ` under the root label ${document.id}` : '';
  const whole = bareField(document);
  const kind = whole === undefined ? '' : `: ${typeWords(whole.type)}`;
  const json = `The JSON form of ${documentName(document)}${label}${kind}.`;
  if (format === 'json') return element('representation', { mediaType }, [element('doc', {}, [json])]);
  return xmlRepresentation(
    mediaType,
    'data',
    `${json} It is in a CDATA section inside the element data, which has the attribute psnonxml="Yes". ` +
      'Callers with application/json in the Accept header get the JSON itself.',
  );
}

/** A part of a form (WADL 2009, section 2.11.2: a parameter of the style query). */
function partParam(field: Field, context: WadlContext): XmlElement {
  const note = { text: undefined, json: 'As JSON.', file: 'A file, as its bytes.' }[partKind(field)];
  return param(field, { style: 'query', name: field.jsonName, required: mustBeGiven(field), note }, context);
}

/** A field of a urlencoded form (WADL 2009, section 2.11.2). */
function formParam(field: Field, { formStyles }: Operation, context: WadlContext): XmlElement {
  const style = formStyle(field, formStyles);
  const note = formStyleWords(field, style);
  const place = { style: 'query', name: field.jsonName, required: mustBeGiven(field), note } as const;
  return param(field, { ...place, repeating: style === 'repeat' }, context);
}

function qualified(document: Document, { scope, schemas }: WadlContext): string {
  const prefix = schemas.prefixOf(scope.documents.namespaceOf(document));
  return prefix === undefined ? document.xmlName : `${prefix}:${document.xmlName}`;
}

/** A name without a namespace needs a scope without a default namespace, in which WADL elements have a prefix. */
function xmlRepresentation(mediaType: string, name: string, note: string | undefined): XmlElement {
  const prefix = name.includes(':') ? '' : 'wadl:';
  const scope = prefix === '' ? {} : { 'xmlns:wadl': 'http://wadl.dev.java.net/2009/02', xmlns: '' };
  return element(`${prefix}representation`, { ...scope, mediaType, element: name }, [
    note === undefined ? undefined : element(`${prefix}doc`, {}, [note]),
  ]);
}

/** A URI variable as `param`: of a path in style `template` or `matrix`, else `query`. */
function variableParam(variable: DescribedVariable, context: WadlContext): XmlElement {
  const { field, place, wireName, required, template } = variable;
  const style = place === 'query' ? 'query' : template.operator === ';' ? 'matrix' : 'template';
  return param(field, { style, name: wireName, required, note: operatorNote(variable) }, context);
}

/** A header that a field of the request fills. */
function headerParam(header: string, field: Field, context: WadlContext): XmlElement {
  return param(field, { style: 'header', name: header, required: mustBeGiven(field) }, context);
}

/** Headers of API keys, so that tools ask for one. WADL can't describe other credentials. */
function apiKeyParams(schemes: readonly TransportScheme[]): XmlElement[] {
  return schemes.flatMap((scheme) => {
    if (scheme.kind !== 'api-key') return [];
    const required = schemes.length === 1 ? 'true' : undefined;
    const text = scheme.description ?? 'An API key.';
    return element('param', { name: token(scheme.header), style: 'header', type: 'xs:string', required }, [
      element('doc', {}, [text]),
    ]);
  });
}

/** A query parameter with a fixed value. */
function constantParam({ name, value }: { readonly name: string; readonly value: string }): XmlElement {
  return element('param', { name: token(name), style: 'query', type: 'xs:string', required: 'true', fixed: value }, [
    spelling(name),
  ]);
}

/** What a parameter has besides the facts of its field. */
interface Place {
  readonly style: 'template' | 'matrix' | 'query' | 'header';
  readonly name: string;
  readonly required: boolean;
  readonly note?: string | undefined;
  /** Whether it may be there several times; a list, where nothing else is said. */
  readonly repeating?: boolean;
}

function param(
  field: Field,
  { style, name, required, note, repeating = field.type.kind === 'list' }: Place,
  { schemas }: WadlContext,
): XmlElement {
  const type = singleType(field.type);
  const named = schemas.parameterType(field);
  const words =
    named === undefined
      ? joined(' ', field.description, note, boundsNote(field))
      : joined(' ', ownDescription(field), note, countNote(field));
  const options = field.enum ?? traitsOf(type)?.values ?? [];
  const preset = takenFor(field);
  return element(
    'param',
    {
      name: token(name),
      style,
      type: named ?? typeOf(field),
      default: preset === undefined ? undefined : lexical(preset),
      required: required ? 'true' : undefined,
      repeating: repeating ? 'true' : undefined,
      fixed: field.fixed === undefined ? undefined : lexical(field.fixed),
    },
    [
      spelling(name),
      words === undefined ? undefined : element('doc', {}, [words]),
      ...options.map((value) => {
        const label = field.labels?.[String(value)];
        return element('option', { value: lexical(value) }, [label && element('doc', { title: label }, [])]);
      }),
    ],
  );
}

/** The built-in type of a parameter. Documents and markup are texts. */
function typeOf({ type, space }: Field): string {
  const single = singleType(type);
  return single.kind === 'document' || traitsOf(single).xml.markup ? 'xs:string' : builtInType(single, space);
}

/** `param/@name` is an NMTOKEN (section 2.12.1); any other name is described in words. */
function token(name: string): string {
  return /^[\w.:-]+$/.test(name) ? name : ncName(name);
}

function spelling(name: string): XmlElement | undefined {
  return token(name) === name ? undefined : element('doc', { title: 'Name' }, [`The name in requests is ${name}`]);
}
