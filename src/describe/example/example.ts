import type { Field, UrlStyle } from '../../model/field.ts';
import { type Method, type Operation, type OperationUri, takesBody, type UriVariable } from '../../model/service.ts';
import { compileUriExpander, UriExpansionError, type UriValue } from '../../wire/uri-template/expand.ts';
import { type TemplateVariable, UriTemplateError } from '../../wire/uri-template/uri-template.ts';
import { sentForms } from '../replies.ts';
import { requestMediaType } from '../request-body.ts';
import { segmentOf } from '../scope.ts';
import { isRequired } from '../uri.ts';
import { bodyExample } from './body.ts';
import { type ExampleValue, exampleField } from './value.ts';

/** A request to try, without the credentials that an operation which is not public needs. */
export interface ExampleRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * An example of a call of an operation at one of its URIs. Values are the `example` of each field; what is required and
 * has none gets one by its type, what may be left out is left out. Where none can be made up, as for a pattern that only a
 * person can satisfy, the URI template stands in the address as it is. `base` is the gateway's address with its context,
 * without a slash at the end; the address has no node, which stands for the local one.
 */
export function exampleRequest(operation: Operation, uri: OperationUri, base: string): ExampleRequest {
  const path = expand(uri).replace(/^\//, '');
  const [form] = sentForms(operation);
  const headers: Record<string, string> = form === undefined ? {} : { Accept: form.mediaType };
  for (const { header, field } of operation.requestHeaders) {
    const value = given(field, field.required);
    if (value !== undefined) headers[header] = String(value);
  }
  // An operation that has a URI has a method.
  const method = operation.method as Method;
  const request = { method, url: `${base}/RESTListeningConnector/${segmentOf(operation)}/${path}`, headers };
  if (!takesBody(operation, uri)) return request;
  const mediaType = requestMediaType(operation, uri);
  headers['Content-Type'] = mediaType;
  return { ...request, body: bodyText(operation, uri, mediaType) };
}

/** The template itself where there are no values to fill it with: a person has to. */
function expand({ template, variables }: OperationUri): string {
  const values: Record<string, UriValue> = {};
  const styles = new Map<TemplateVariable, UrlStyle>();
  for (const [index, variable] of template.variables.entries()) {
    const bound = variables[index] as UriVariable;
    const required = isRequired(bound);
    const value = given(bound.field, required);
    if (value === undefined && required) return template.text;
    if (value !== undefined) values[variable.name] = value as UriValue;
    styles.set(variable, bound.field.url);
  }
  try {
    return compileUriExpander(template, (variable) => styles.get(variable) ?? 'segment')(values);
  } catch (error) {
    // Dots alone are no segment of a path, and `{/x}` keeps no slashes, whatever the field's style.
    if (error instanceof UriExpansionError || error instanceof UriTemplateError) return template.text;
    throw error;
  }
}

/** A value for what is required or has an example. */
function given(field: Field, required: boolean): ExampleValue | undefined {
  return required || field.example !== undefined ? exampleField(field) : undefined;
}

function bodyText(operation: Operation, uri: OperationUri, mediaType: string): string {
  const example = bodyExample(operation, uri);
  if (mediaType === 'application/json') return JSON.stringify(example ?? {});
  return String(example ?? (mediaType === 'application/xml' ? '<value/>' : 'text'));
}
