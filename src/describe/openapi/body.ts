import type { Document } from '../../model/document.ts';
import type { Operation, OperationUri } from '../../model/service.ts';
import { mustBeGiven } from '../entry.ts';
import { fieldJson, membersJson } from '../example/text.ts';
import { exampleDocument, exampleField, tellingFields } from '../example/value.ts';
import type { Json, JsonObject } from '../json.ts';
import { takesBody } from '../replies.ts';
import { requestMediaType } from '../request-body.ts';
import { repeatsNote } from '../words.ts';
import { type Components, labelled } from './components.ts';
import { rawSchema } from './replies.ts';
import { documentSchema, fieldSchema } from './schema.ts';

/** The body of requests to a URI; undefined where there is none. `name` is the URI's own, for the schema of its body. */
export function requestBody(
  operation: Operation,
  uri: OperationUri,
  name: string,
  components: Components,
): JsonObject | undefined {
  if (!takesBody(operation, uri)) return undefined;
  const mediaType = requestMediaType(operation, uri);
  const required = operation.request.kind === 'raw' || uri.body.some(mustBeGiven);
  return { required, content: { [mediaType]: bodyContent(operation, uri, name, mediaType, components) } };
}

function bodyContent(
  operation: Operation,
  uri: OperationUri,
  name: string,
  mediaType: string,
  components: Components,
): JsonObject {
  const { request } = operation;
  const [field] = uri.body;
  if (request.kind === 'raw') return { schema: rawSchema(request.raw, mediaType) };
  if (request.kind === 'none') return {};
  if (operation.body === 'raw') {
    if (field === undefined || field.type.kind === 'binary') return { schema: {} };
    return { schema: fieldSchema(field, components), example: bodyExample(operation, uri) };
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
  const description = [document.description, repeatsNote(repeats)].filter((each) => each !== undefined).join(' ');
  return {
    ...documentSchema(document, fields, components),
    description: description === '' ? undefined : description,
    required: required.length === 0 ? undefined : required,
  };
}

/**
 * An example of a body, as JSON: of the one field that it is, unless that is bytes; else of the fields that are required
 * or have an example, or of all of them where none is.
 */
export function bodyExample(operation: Operation, { body }: OperationUri): Json | undefined {
  const { request } = operation;
  if (request.kind !== 'document') return undefined;
  if (operation.body === 'raw') {
    const [field] = body;
    const value = field === undefined || field.type.kind === 'binary' ? undefined : exampleField(field);
    return field === undefined || value === undefined ? undefined : fieldJson(field, value);
  }
  const fields = tellingFields(body);
  const value = exampleDocument({ fields });
  if (value === undefined) return undefined;
  const members = membersJson(fields, value);
  return request.document.root ? { [request.document.id]: members } : members;
}
