import type { Operation, OperationUri } from '../model/service.ts';
import { fieldJson, membersJson } from './example-text.ts';
import { exampleDocument, exampleField } from './example-value.ts';
import type { Json, JsonObject } from './json.ts';
import { type Components, labelled } from './openapi-components.ts';
import { rawSchema } from './openapi-replies.ts';
import { documentSchema, fieldSchema } from './openapi-schema.ts';
import { takesBody } from './replies.ts';
import { requestMediaType } from './request-body.ts';

/** The body of requests to a URI; undefined where there is none. `name` is the URI's own, for the schema of its body. */
export function requestBody(
  operation: Operation,
  uri: OperationUri,
  name: string,
  components: Components,
): JsonObject | undefined {
  if (!takesBody(operation, uri)) return undefined;
  const mediaType = requestMediaType(operation, uri);
  const required =
    operation.request.kind === 'raw' || uri.body.some((field) => field.required && field.default === undefined);
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
    const value = exampleField(field);
    return {
      schema: fieldSchema(field, components),
      example: value === undefined ? undefined : fieldJson(field, value),
    };
  }
  const { document } = request;
  const whole = uri.body.length === document.fields.length;
  const part = whole ? undefined : components.schema(`${name}_BODY`, documentSchema(document, uri.body, components));
  const schema = part === undefined ? components.message(document) : document.root ? labelled(document.id, part) : part;
  return { schema, example: bodyExample(operation, uri) };
}

/** The JSON of a body: the fields that are required or have an example, or all of them where none is. */
export function bodyExample({ request }: Operation, { body }: OperationUri): Json | undefined {
  if (request.kind !== 'document') return undefined;
  const telling = body.filter((field) => field.required || field.example !== undefined);
  const fields = telling.length > 0 ? telling : body;
  const value = exampleDocument({ fields });
  if (value === undefined) return undefined;
  const members = membersJson(fields, value);
  return request.document.root ? { [request.document.id]: members } : members;
}
