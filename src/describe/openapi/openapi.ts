import type { Field } from '../../model/field.ts';
import type { Registry } from '../../model/registry.ts';
import type { BearerScheme, HmacScheme, TransportScheme } from '../../model/security.ts';
import type { Operation, OperationUri, Service } from '../../model/service.ts';
import { jsonPointer } from '../../wire/json-pointer.ts';
import { problemMediaType } from '../../wire/problem.ts';
import { sentForms } from '../exchange.ts';
import { type Json, type JsonObject, jsonText } from '../json.ts';
import { literalText, restSchemes } from '../requirements.ts';
import { type RestOperation, restScopeOf, type Scope, segmentOf } from '../scope.ts';
import { type DescribedUri, describeUri, type PathWriter } from '../uri.ts';
import { deprecationNote, firstSentence, joined } from '../words.ts';
import { openComponents } from './components.ts';
import { formContent, operationResponses, problemSchema, type Writing } from './replies.ts';
import { requestBody, uriParameters } from './request.ts';

// OpenAPI Specification 3.1.1 (OpenAPI Initiative, 24 October 2024).

/**
 * The OpenAPI 3.1 description of a service, as JSON text. `base` is the gateway's address with its context, without a
 * slash at the end.
 * @throws RangeError when `pathName` is not a path name of the service
 */
export function describeOpenApi(
  registry: Registry,
  service: Service,
  { base, pathName }: { readonly base: string; readonly pathName?: string | undefined },
): string {
  const scope = restScopeOf(registry, { service, pathName });
  const components = openComponents(scope.documents.all);
  const paths = pathItems({ scope, components });
  const url = `${base}/RESTListeningConnector/${scope.gateway.id}`;
  const { schemas, responses } = components.all();
  return jsonText({
    openapi: '3.1.1',
    info: { title: scope.name, description: infoText(scope), version: service.version },
    servers: [{ url }],
    externalDocs: {
      description: 'The same service as WADL, with the XML Schemas of the documents.',
      url: `${base}/RESTListeningConnector/${scope.name}.wadl`,
    },
    // Code generators write a class for each tag.
    tags: [{ name: service.id, description: service.description }],
    paths,
    components: {
      schemas: filled(schemas),
      responses: filled(responses),
      headers: {
        'X-Request-Id': {
          description: 'Identifies the request in the log of the gateway.',
          schema: { type: 'string' },
        },
        'X-Trace-Id': {
          description: 'Identifies the trace of a failed request (W3C Trace Context).',
          schema: { type: 'string' },
        },
      },
      securitySchemes: filled(securitySchemes(scope.rest)),
    },
  });
}

function infoText({ service, name }: Scope): string | undefined {
  const part = name === service.id ? undefined : `Part of the service ${service.id}.`;
  return joined('\n\n', service.description, part, deprecationNote(service));
}

function filled(members: JsonObject): JsonObject | undefined {
  return Object.keys(members).length === 0 ? undefined : members;
}

/** One operation at one of its URIs. */
interface Entry {
  readonly operation: Operation;
  readonly described: DescribedUri;
}

/** One path of the description, shared by templates that differ only in their query or in the names of variables. */
interface PathItem {
  readonly path: string;
  /** Names of the variables in the path, in order. */
  readonly names: readonly string[];
  readonly methods: Map<string, Entry[]>;
}

/** The `paths` of a description. */
function pathItems(context: Writing): JsonObject {
  return Object.fromEntries(
    collect(context.scope.rest).map(({ path, names, methods }) => {
      const operations = [...methods].map(([method, entries]) => [method, operationObject(entries, names, context)]);
      return [path, Object.fromEntries(operations)];
    }),
  );
}

/** Paths support `{X}` only; the operators `;` and `.` become styles of the parameter. */
const openApiPath: PathWriter = ({ operator, name }, first) => {
  if (operator === '/') return `/{${name}}`;
  return first || operator === ';' || operator === '.' ? `{${name}}` : `,{${name}}`;
};

function collect(operations: readonly RestOperation[]): PathItem[] {
  const items = new Map<string, PathItem>();
  for (const operation of operations) {
    for (const uri of operation.uris) {
      const described = describeUri(uri, openApiPath);
      const path = `/${segmentOf(operation)}/${described.path}`;
      const shape = path.replace(/\{[^}]*\}/g, '{}');
      const names = described.pathVariables.map((variable) => variable.template.name);
      const item = items.get(shape) ?? { path, names, methods: new Map<string, Entry[]>() };
      items.set(shape, item);
      const method = operation.method.toLowerCase();
      item.methods.set(method, [...(item.methods.get(method) ?? []), { operation, described }]);
    }
  }
  return [...items.values()];
}

function operationObject(entries: readonly Entry[], names: readonly string[], context: Writing): JsonObject {
  const [first] = entries as [Entry, ...Entry[]];
  const { scope } = context;
  const parameters = entries.map(({ operation, described }) =>
    uriParameters(described, names, operation, scope.gateway),
  );
  const bodies = entries.map(({ operation, described: { uri } }) =>
    requestBody({ operation, uri, name: scope.nameOf(uri) }, context),
  );
  const operations = [...new Set(entries.map((entry) => entry.operation))];
  const replies = operations.map((operation) => operationResponses(operation, context));
  const merged = mergeParameters(parameters);
  return {
    operationId: scope.nameOf(first.described.uri),
    tags: [scope.service.id],
    summary: summaryOf(operations),
    description: descriptionOf(entries),
    deprecated: scope.service.deprecated === undefined ? undefined : true,
    parameters: merged.length === 0 ? undefined : merged,
    requestBody: mergeBodies(bodies),
    responses: mergeResponses(replies),
    callbacks: filled(Object.fromEntries(entries.flatMap((entry) => callbackOf(entry, context)))),
    security: securityOf(operations),
  };
}

/** The reply that is sent later, to the address in a field of the request. */
function callbackOf(
  { operation, described: { uri } }: Entry,
  context: Writing,
): readonly [name: string, callback: JsonObject][] {
  const { answer } = operation;
  if (answer.kind !== 'queue' || answer.replyTo?.field === undefined) return [];
  const { field, form } = answer.replyTo;
  const replies = sentForms({ ...operation, responses: [form] }).slice(0, 1);
  const content = {
    ...Object.fromEntries(replies.map((each) => [each.mediaType, formContent(each, context)])),
    [problemMediaType]: { schema: context.components.schema('Problem', problemSchema) },
  };
  const request = {
    summary: 'The reply, or a fault.',
    parameters: ['X-Correlation-ID', 'Idempotency-Key'].map((name) => ({
      ...{ name, in: 'header', description: CALLBACK_HEADERS[name], required: true, schema: { type: 'string' } },
    })),
    requestBody: { required: true, content },
    responses: { '2XX': { description: 'Taken.' } },
  };
  return [['reply', { [addressExpression(operation, uri, field)]: { post: request } }]];
}

const CALLBACK_HEADERS: Readonly<Record<string, string>> = {
  'X-Correlation-ID': 'The id of the message, as the reply with the status 202 has it.',
  'Idempotency-Key': 'The same in each attempt, by which a repetition is recognised.',
};

/** The runtime expression of the address (OpenAPI 3.1.1, section 4.8.20.4). */
function addressExpression({ request, requestHeaders, body }: Operation, uri: OperationUri, field: Field): string {
  const header = requestHeaders.find((each) => each.field.name === field.name)?.header;
  if (header !== undefined) return `{$request.header.${header}}`;
  const variable = uri.variables.find((each) => each.field.name === field.name);
  if (variable !== undefined) return `{$request.${variable.place}.${variable.wireName}}`;
  if (body === 'raw') return '{$request.body}';
  const label = request.kind === 'document' && request.document.root ? [request.document.id] : [];
  return `{$request.body${jsonPointer([...label, field.jsonName])}}`;
}

/** The summary of an address: the first sentence of each operation's description, or its name if it has none. */
function summaryOf(operations: readonly Operation[]): string {
  const summaries = operations.map(({ name, description = name }) => firstSentence(description));
  return [...new Set(summaries)].join('; ');
}

function descriptionOf(entries: readonly Entry[]): string {
  const descriptions = new Set(entries.flatMap(({ operation }) => operation.description ?? []));
  const templates = entries.map(({ described: { uri } }) => `URI template ${uri.index}: \`${uri.template.text}\``);
  return [...descriptions, ...templates].join('\n\n');
}

// OpenAPI has one operation per path and method: templates that differ only in their query are merged.

/** Parameters of several templates. A parameter is required if every template requires it. */
function mergeParameters(lists: readonly (readonly JsonObject[])[]): JsonObject[] {
  const merged = new Map<string, JsonObject>();
  const keyOf = (parameter: JsonObject): string => `${parameter.in} ${parameter.name}`;
  for (const parameter of lists.flat()) {
    const key = keyOf(parameter);
    const known = merged.get(key);
    merged.set(key, known === undefined ? parameter : both(known, parameter));
  }
  return [...merged].map(([key, parameter]) => {
    const everywhere = lists.every((list) => list.some((each) => keyOf(each) === key && each.required === true));
    return everywhere ? parameter : { ...parameter, required: false };
  });
}

function both(one: JsonObject, other: JsonObject): JsonObject {
  return { ...one, schema: anyOf([one.schema, other.schema]) };
}

/** Bodies of several templates: whatever one of them accepts, required if all of them require a body. */
function mergeBodies(bodies: readonly (JsonObject | undefined)[]): JsonObject | undefined {
  const given = bodies.filter((body) => body !== undefined);
  if (given.length <= 1 && given.length === bodies.length) return given[0];
  if (given.length === 0) return undefined;
  const required = given.length === bodies.length && given.every((body) => body.required === true);
  return { required, content: mergeContents(given.map((body) => body.content as JsonObject)) };
}

/** Responses by status, in the order of their statuses. */
function mergeResponses(lists: readonly (readonly [string, JsonObject][])[]): JsonObject {
  const byStatus = Map.groupBy(lists.flat(), ([status]) => status);
  const merged = [...byStatus].map(([status, entries]): [string, JsonObject] => {
    const distinct = unique(entries.map(([, response]) => response));
    const [first, ...others] = distinct as [JsonObject, ...JsonObject[]];
    // For faults of two operations at one address the form of the first one is used.
    if (others.length === 0 || '$ref' in first) return [status, first];
    const contents = distinct.map((response) => (response.content ?? {}) as JsonObject);
    return [status, { ...first, content: mergeContents(contents) }];
  });
  return Object.fromEntries(merged);
}

function mergeContents(contents: readonly JsonObject[]): JsonObject {
  const byType = Map.groupBy(
    contents.flatMap((content) => Object.entries(content) as [string, JsonObject][]),
    ([mediaType]) => mediaType,
  );
  return Object.fromEntries(
    [...byType].map(([mediaType, entries]) => {
      const [, first] = entries[0] as [string, JsonObject];
      return [mediaType, { ...first, schema: anyOf(entries.map(([, each]) => each.schema)) }];
    }),
  );
}

function anyOf(schemas: readonly (Json | undefined)[]): Json | undefined {
  const distinct = unique(schemas.filter((schema) => schema !== undefined));
  return distinct.length <= 1 ? distinct[0] : { anyOf: distinct };
}

function unique<T extends Json>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** The `securitySchemes` of a description, by their ids: those that operations require over REST. */
function securitySchemes(operations: readonly Operation[]): JsonObject {
  const wanted = new Map(operations.flatMap(restSchemes).map((scheme) => [scheme.id, scheme]));
  return Object.fromEntries([...wanted].map(([id, scheme]) => [id, schemeObject(scheme)]));
}

/**
 * The security requirements of an address: none if it is public, optional if one of several operations is. The scopes of a
 * bearer token are listed at the name of its scheme, which OpenAPI 3.1 permits for every kind of scheme.
 */
function securityOf(operations: readonly Operation[]): JsonObject[] {
  const schemes = new Map(operations.flatMap(restSchemes).map((scheme) => [scheme.id, scheme]));
  if (schemes.size === 0) return [];
  const open = operations.some((operation) => operation.public) ? [{}] : [];
  return [...open, ...[...schemes].map(([id, scheme]) => ({ [id]: scheme.kind === 'bearer' ? scheme.scopes : [] }))];
}

function schemeObject(scheme: TransportScheme): JsonObject {
  const { description } = scheme;
  switch (scheme.kind) {
    case 'basic':
      return {
        type: 'http',
        scheme: 'basic',
        description: description ?? 'A user of the gateway and the password (RFC 7617).',
      };
    case 'api-key':
      return { type: 'apiKey', in: 'header', name: scheme.header, description };
    case 'bearer':
      return {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: joined('\n\n', description, bearerText(scheme)),
      };
    case 'client-certificate':
      return { type: 'mutualTLS', description };
    case 'webhook':
      return {
        type: 'apiKey',
        in: 'header',
        name: 'webhook-signature',
        description: joined('\n\n', description, WEBHOOK),
      };
    case 'hmac':
      return {
        type: 'apiKey',
        in: 'header',
        name: scheme.header,
        description: joined('\n\n', description, hmacText(scheme)),
      };
  }
}

const WEBHOOK =
  'The signature of a webhook (Standard Webhooks): `v1,` and base64 of HMAC-SHA256, or `v1a,` and base64 of Ed25519, over `webhook-id`, `webhook-timestamp` and the body, with a full stop between them. Libraries of https://www.standardwebhooks.com write the three headers.';

function hmacText({ algorithm, form, signed, timestamp, webhookId }: HmacScheme): string {
  const places = [
    timestamp === undefined ? '' : ` {timestamp} is the header ${timestamp}.`,
    webhookId === undefined ? '' : ` {id} is the header ${webhookId}.`,
  ];
  return `The signature of a webhook: \`${form}\`, HMAC with ${algorithm} (RFC 2104) over \`${signed}\`.${places.join('')}`;
}

/** An issuer may not support OpenID Connect or publish where tokens are issued, so those kinds of schemes don't fit. */
function bearerText({ issuer, audience, scopes }: BearerScheme): string | undefined {
  const from = literalText(issuer);
  const meant = audience.map(literalText).filter((text) => text !== undefined);
  return joined(
    ' ',
    `A JSON Web Token${from === undefined ? '' : ` of the issuer ${from}`} (RFC 6750, RFC 7519).`,
    meant.length === 0 ? undefined : `Audience: ${meant.join(' or ')}.`,
    scopes.length === 0 ? undefined : `Required scopes: ${scopes.join(' ')}.`,
  );
}
