import type { Field } from '../model/field.ts';
import type { Operation, OperationUri, RawKind } from '../model/service.ts';
import type { UriValue } from '../wire/uri-template-expand.ts';
import { compileUriExpander } from '../wire/uri-template-write.ts';
import { type ExampleValue, exampleField } from './example-value.ts';
import { bodyExample } from './openapi-body.ts';
import { replyForms, takesBody } from './replies.ts';
import { requestMediaType } from './request-body.ts';

/** A request that can be sent as it is, but for the credentials that an operation which is not public needs. */
export interface ExampleRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * An example of a call of an operation at one of its URIs. Values are the `example` of each field; what is required and
 * has none gets one by its type, what may be left out is left out. `base` is the gateway's address with its context,
 * without a slash at the end; the address has no node, which stands for the local one.
 */
export function exampleRequest(operation: Operation, uri: OperationUri, base: string): ExampleRequest {
  const service = `${operation.pathName}.${operation.service.version}`;
  const path = expand(uri).replace(/^\//, '');
  const [form] = replyForms(operation);
  const headers: Record<string, string> = form === undefined ? {} : { Accept: form.mediaType };
  for (const { header, field } of operation.requestHeaders) {
    const value = given(field, field.required);
    if (value !== undefined) headers[header] = String(value);
  }
  const request = { method: operation.method, url: `${base}/RESTListeningConnector/${service}/${path}`, headers };
  if (!takesBody(operation, uri)) return request;
  headers['Content-Type'] = requestMediaType(operation, uri);
  return { ...request, body: bodyText(operation, uri) };
}

function expand({ template, variables }: OperationUri): string {
  const styles = new Map(
    template.variables.map((variable, index) => [variable, variables[index]?.field.url ?? 'segment']),
  );
  const values: Record<string, UriValue> = {};
  for (const [index, { name }] of template.variables.entries()) {
    const { field, required } = variables[index] as OperationUri['variables'][number];
    const value = given(field, required);
    if (value !== undefined) values[name] = value as UriValue;
  }
  return compileUriExpander(template, (variable) => styles.get(variable) ?? 'segment')(values);
}

/** A value for what is required or has an example. */
function given(field: Field, required: boolean): ExampleValue | undefined {
  return required || field.example !== undefined ? exampleField(field) : undefined;
}

function bodyText(operation: Operation, uri: OperationUri): string {
  if (operation.body === 'document') return JSON.stringify(bodyExample(operation, uri) ?? {});
  const [field] = uri.body;
  if (operation.request.kind === 'raw') return rawBodies[operation.request.raw];
  const example = field === undefined ? undefined : exampleField(field);
  return example === undefined ? rawBodies.text : String(example);
}

const rawBodies: Readonly<Record<RawKind, string>> = { json: '{}', xml: '<value/>', text: 'text', binary: 'text' };
