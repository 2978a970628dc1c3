import type { Document } from '../../model/document.ts';
import { type Message, type Operation, type OperationUri, takesBody } from '../../model/service.ts';
import { deliveredFacts } from '../delivered.ts';
import { bodyExample } from '../example/body.ts';
import { exampleXml } from '../example/text.ts';
import { exampleDocument, tellingFields } from '../example/value.ts';
import { mustBeGiven } from '../field.ts';
import type { JsonObject } from '../json.ts';
import { requestMediaTypes } from '../request-body.ts';
import { joined, repeatsNote } from '../words.ts';
import { type Components, labelled } from './components.ts';
import { PRIVATE_QUERY } from './private-query.ts';
import { type Writing, xmlSchema, xmlWords } from './replies.ts';
import { BYTES, documentSchema, fieldSchema, rawSchema } from './schema.ts';

/** Requests to an operation at one of its URIs. */
interface Requests {
  readonly operation: Operation;
  readonly uri: OperationUri;
  /** The URI's own, for the schema of its body. */
  readonly name: string;
}

/** The body of requests; undefined where they have none. */
export function requestBody(requests: Requests, context: Writing): JsonObject | undefined {
  const { operation, uri } = requests;
  if (!takesBody(operation, uri)) return undefined;
  const [mediaType = '', inXml] = requestMediaTypes(operation, uri);
  const required = operation.request.kind === 'raw' || uri.body.some(mustBeGiven);
  const content = { [mediaType]: bodyContent(requests, mediaType, context.components) };
  return { required, content: inXml === undefined ? content : { ...content, [inXml]: xmlContent(requests, context) } };
}

/** A body of fields as XML: the document's element with the fields that travel in the body. */
function xmlContent({ operation, uri }: Requests, { scope }: Writing): JsonObject {
  const { document } = operation.request as Extract<Message, { kind: 'document' }>;
  const whole = uri.body.length === document.fields.length;
  const names = uri.body.map((field) => field.xmlName).join(', ');
  const part = whole ? undefined : joined(' ', `It holds only ${names}.`, repeatsNote(uri.repeats));
  const fields = tellingFields(uri.body);
  const value = exampleDocument({ fields });
  return {
    schema: xmlSchema(joined(' ', xmlWords(document, scope), part) ?? ''),
    example: value === undefined ? undefined : exampleXml({ ...document, fields }, value, scope.documents),
  };
}

function bodyContent({ operation, uri, name }: Requests, mediaType: string, components: Components): JsonObject {
  const { request } = operation;
  const [field] = uri.body;
  if (request.kind === 'raw') return { schema: rawSchema(request.raw, mediaType) };
  if (request.kind === 'none') return {};
  if (operation.body === 'raw') {
    if (field === undefined || field.type.kind === 'binary') return { schema: BYTES };
    const isQuery = deliveredFacts(operation).body === 'private-query';
    const schema = isQuery ? components.schema('QUERY_DEFINITION', PRIVATE_QUERY) : fieldSchema(field, components);
    return { schema, example: bodyExample(operation, uri) };
  }
  const { document } = request;
  const whole = uri.body.length === document.fields.length;
  const part = whole ? undefined : components.schema(`${name}_BODY`, partSchema(document, uri, components));
  const schema = part === undefined ? components.message(document) : document.root ? labelled(document.id, part) : part;
  return { schema, example: bodyExample(operation, uri) };
}

/** The fields of a document that travel in the body; what the URI says need not be said again. */
function partSchema(document: Document, { body, repeats }: OperationUri, components: Components): JsonObject {
  const fields = document.fields.filter((field) => body.includes(field) || repeats.includes(field));
  const required = body.filter(mustBeGiven).map((field) => field.jsonName);
  return {
    ...documentSchema(document, fields, components),
    description: joined(' ', document.description, repeatsNote(repeats)),
    required: required.length === 0 ? undefined : required,
  };
}
