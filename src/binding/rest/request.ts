import { compileCheck, compileList, compileText } from '../../codec/index.ts';
import type { Field } from '../../model/field.ts';
import type { Operation, OperationUri } from '../../model/service.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import type { RawValue } from '../../wire/uri-template/match.ts';
import type { TemplateVariable } from '../../wire/uri-template/uri-template.ts';
import { guard, naming } from '../complaint.ts';
import { CONTENT } from '../message.ts';
import { compileBody, type RequestBody } from './body.ts';
import { compileVariable } from './uri-variable.ts';

/**
 * Reads the request message.
 * @param raw what the matcher bound, aligned with the URI's variables, still percent-encoded
 * @param header looks a header up by its name in lower case
 * @throws Fault MISSING_PARAMETER, BAD_PARAMETER, BAD_ENCODING, BAD_BODY, BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
 */
export type RequestReader = (
  raw: readonly RawValue[],
  header: (name: string) => string | undefined,
  body: RequestBody,
) => DocumentValue | Promise<DocumentValue>;

/**
 * Everything that one URI's requests need, closed over: a decoder a variable, a codec for the body, the final check.
 * @param namespace of the service
 */
export function compileReader(operation: Operation, uri: OperationUri, namespace: string): RequestReader {
  const variables = uri.variables.map((variable, index) =>
    compileVariable(variable, uri.template.variables[index] as TemplateVariable),
  );
  const headers = operation.requestHeaders.map(({ header, field }) => {
    return { header, key: header.toLowerCase(), field, read: compileHeader(field) };
  });
  const readBody = compileBody(operation, uri, namespace);
  const fields = operation.request.kind === 'document' ? operation.request.document.fields : [];
  const extra = uri.variables.map((variable) => variable.field).filter((field) => !fields.includes(field));
  const check = compileCheck([...fields, ...extra]);
  return (raw, header, body) => {
    const given: Record<string, Value> = {};
    for (let index = 0; index < variables.length; index++)
      (variables[index] as (typeof variables)[number])(raw[index], given);
    for (const bound of headers) {
      const text = header(bound.key);
      // Sent empty is the same as not sent, as it is in a URI.
      if (text !== undefined && text !== '') given[bound.field.name] = guard(bound.header, bound.read, text);
    }
    const complete = (content: Value | undefined): DocumentValue => {
      const input = naming(() => check(given));
      return content === undefined ? input : { ...input, [CONTENT]: content };
    };
    const read = readBody(body, given);
    return read instanceof Promise ? read.then(complete) : complete(read);
  };
}

/** One header's value; entries of a list stand between commas, empty ones count for nothing (RFC 9110 section 5.6.1). */
function compileHeader(field: Field): (text: string) => Value {
  if (field.type.kind !== 'list') return compileText(field);
  const read = compileList(field);
  return (text) =>
    read(
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    );
}
