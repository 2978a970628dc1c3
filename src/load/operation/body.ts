import type { Field } from '../../model/field.ts';
import type { HeaderBinding, Message, Method, Operation, OperationUri, UriVariable } from '../../model/service.ts';
import { positionOf } from '../diagnostic/place.ts';
import { documentOf } from '../document/message.ts';
import type { Linking } from '../linking.ts';
import type { OperationSpot } from './spot.ts';
import type { PlacedTemplate } from './templates.ts';

/** What of a request travels in its body. */
interface Body {
  readonly kind: Operation['body'];
  /** The one field that is the body. */
  readonly field?: Field;
  /** Why nothing travels in the body. */
  readonly why: string;
  /** False where it can't be told, which has been reported. */
  readonly known: boolean;
}

const BODILESS: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'DELETE']);

/** Reads `body:` and what follows from method and request without it. */
export function linkBody(linking: Linking, spot: OperationSpot, method: Method, request: Message | undefined): Body {
  const { report, places } = linking;
  const said = spot.declared.body;
  const none = (why: string, known = true): Body => ({ kind: 'none', why, known });
  const refuse = (reason: string): Body => {
    const at = said === undefined ? spot.at : places.value(spot.declared, 'body');
    report.raise('bad-body', { reason }, at);
    return none('its body is refused', false);
  };
  if (request === undefined) return none('the request is not known', false);
  if (request.kind === 'raw') {
    if (said !== undefined)
      return refuse(`The request is ${request.raw}, which is the body; body: has nothing to name`);
    if (method === 'GET' || method === 'HEAD')
      return refuse(`The request is ${request.raw}, and ${method} carries no body`);
    return { kind: 'raw', why: '', known: true };
  }
  if (said === 'none') return none('the operation says body: none');
  if (said === undefined) {
    if (BODILESS.has(method)) return none(`${method} has no body`);
    return request.kind === 'none' ? none('there is no request') : { kind: 'document', why: '', known: true };
  }
  if (method === 'GET' || method === 'HEAD') return refuse(`${method} carries no body`);
  const document = documentOf(request);
  const field = document?.fields.find((each) => each.name === said);
  if (field !== undefined) return { kind: 'raw', field, why: `the body is the field ${said}`, known: true };
  if (spot.lacks('request') || (document !== undefined && linking.incomplete.has(document)))
    return none('the request is not known', false);
  return refuse(`body: names ${said}, which is no field of the request`);
}

/** What the parts of an operation's URIs are made of. */
export interface UriParts {
  readonly request: Message | undefined;
  readonly headers: readonly HeaderBinding[];
  readonly body: Body;
  /** Fields that a body may hold beside the URI. */
  readonly repeatable: readonly Field[];
}

/** One URI of an operation: its variables, and what is left for the body. */
export function linkUri(
  { report }: Linking,
  spot: OperationSpot,
  { index, template, at }: PlacedTemplate,
  variables: readonly UriVariable[],
  { request, headers, body, repeatable }: UriParts,
): OperationUri {
  const fields = request?.kind === 'document' ? request.document.fields : [];
  const elsewhere = new Set([...variables, ...headers].map((each) => each.field.name));
  const left = fields.filter((field) => !elsewhere.has(field.name));
  if (body.field !== undefined && elsewhere.has(body.field.name)) {
    report.raise(
      'bad-body',
      { reason: `The field ${body.field.name} is the body, and travels in the URI or a header too` },
      at,
    );
  }
  if (body.kind !== 'document' && !spot.lacks('request', 'headers', 'body')) {
    for (const field of left) {
      if (!field.required || field.fixed !== undefined || field === body.field) continue;
      report.raise('unreachable-field', { field: field.name, uri: index, why: body.why }, at);
    }
  }
  const carried = body.kind === 'document' ? left : body.field === undefined ? [] : [body.field];
  const repeats =
    body.kind === 'document' ? repeatable.filter((field) => variables.some((each) => each.field === field)) : [];
  return { index, template, variables, body: carried, repeats, at: positionOf(at) };
}
