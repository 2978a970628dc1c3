import type { Field } from '../../model/field.ts';
import type { Registry } from '../../model/registry.ts';
import type { Operation, OperationUri, Service } from '../../model/service.ts';
import { jsonPointer } from '../../wire/json-pointer.ts';
import { problemMediaType } from '../../wire/problem.ts';
import { sentForms } from '../exchange.ts';
import { type JsonObject, jsonText } from '../json.ts';
import { type RestOperation, restScopeOf, type Scope, segmentOf } from '../scope.ts';
import { type DescribedUri, describeUri, type PathWriter } from '../uri.ts';
import { deprecationNote, firstSentence, joined } from '../words.ts';
import { openComponents } from './components.ts';
import { mergeBodies, mergeParameters, mergeResponses } from './merge.ts';
import { uriParameters } from './parameters.ts';
import { formContent, operationResponses, problemSchema, type Writing } from './replies.ts';
import { requestBody } from './request.ts';
import { securityOf, securitySchemes } from './security.ts';

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
    tags: tagObjects(scope),
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

/** The tags of operations, each once; `undefined` for none. */
function tagNames(operations: readonly Operation[]): readonly string[] | undefined {
  const names = new Set(operations.flatMap(({ tags, service }) => tags ?? [service.id]));
  return names.size === 0 ? undefined : [...names];
}

function tagObjects({ rest, service }: Scope): readonly JsonObject[] | undefined {
  return tagNames(rest)?.map((name) => ({
    name,
    description: name === service.id ? service.description : undefined,
  }));
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
    uriParameters(described, names, operation, scope.gateway, context.components),
  );
  const bodies = entries.map(({ operation, described: { uri } }) =>
    requestBody({ operation, uri, name: scope.nameOf(uri) }, context),
  );
  const operations = [...new Set(entries.map((entry) => entry.operation))];
  const replies = operations.map((operation) => operationResponses(operation, context));
  const merged = mergeParameters(parameters);
  return {
    operationId: scope.nameOf(first.described.uri),
    tags: tagNames(operations),
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
