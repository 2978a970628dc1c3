import { checkQueueAnswer } from '../../messaging/link/queue-answer.ts';
import type { Document } from '../../model/document.ts';
import { traitsOf } from '../../model/scalar.ts';
import type { Role } from '../../model/security.ts';
import {
  type Answer,
  finalAnswer,
  type MediaMessage,
  type Message,
  type Method,
  type Operation,
  type Service,
  type SoapForm,
  type Writes,
} from '../../model/service.ts';
import { isXmlType } from '../../wire/media-type.ts';
import { type Place, positionOf } from '../diagnostic/diagnostic.ts';
import { type Documents, documentOf } from '../document/documents.ts';
import { hasOwnValue } from '../document/field.ts';
import { type Linking, refuseKey } from '../linking.ts';
import { given, type Mutable } from '../object.ts';
import type { GrantSources } from '../security/grants.ts';
import type { Callers } from '../security/requirements.ts';
import { linkCallLimits } from '../value/limits.ts';
import { linkOnce } from '../value/once.ts';
import { checkGuardedClasses, checkReachedPublic, linkAs, linkGrants, linkRequires } from './access.ts';
import { checkCallAnswer } from './call-answer.ts';
import { type AnswerSources, type Exchange, linkExchange } from './exchange.ts';
import { isFaultless, linkDocument, linkFaultTypes, type RestInput, soapRequest } from './payload.ts';
import { linkRest } from './request.ts';
import { checkSigned, linkSoapForm, soapName } from './soap-form.ts';
import {
  checkProviderKeys,
  checkRestAlone,
  checkSoapAlone,
  linkTemplates,
  methodOf,
  type OperationSpot,
  templateCount,
} from './spot.ts';
import { linkVersion } from './version-answer.ts';

/** The definitions that operations refer to. */
export interface OperationContext extends GrantSources, AnswerSources {
  readonly roles: ReadonlyMap<string, Role>;
  readonly callers: Callers;
}

/** Links one operation. When a part of it was rejected, the rest is checked all the same. */
export function linkOperation(context: OperationContext, spot: OperationSpot, service: Service): Mutable<Operation> {
  const { documents } = context;
  const { linking } = documents;
  const { id, declared, at } = spot;
  const method = methodOf(spot);
  if (method === undefined) checkSoapAlone(linking, spot);
  if (soapName(spot.name, spot.declared) === undefined) checkRestAlone(linking, spot);
  checkProviderKeys(linking, spot);
  if (typeof declared.soap === 'object')
    refuseKey(
      linking,
      declared.soap,
      'addressing',
      id,
      'it is about the header blocks of calls to other systems; those of callers are understood, and `addressing: required` of the service requires them',
    );
  const templates = method === undefined ? [] : linkTemplates(linking, spot, method);
  const exchange = linkExchange(context, spot, service, method, templates);
  const { responses } = exchange;
  const rest = linkRest(documents, spot, method, exchange, templates);
  const fault = linkFault(documents, spot, method === undefined && isFaultless(linking, spot, responses));
  if (method !== undefined) checkWrapper(spot, linking, responses);
  const grants = linkGrants(linking, context, spot, service.delivered);
  const active = declared.active !== false && service.active;
  const isPublic = grants.public;
  const side = { input: rest, responses, active };
  const answer =
    exchange.answer.kind === 'version' ? linkVersion(linking, spot, exchange.answer, side) : exchange.answer;
  checkAnswer(linking, spot, { ...exchange, answer }, { input: rest, isPublic, active });
  if (answer.kind === 'queue') checkQueueAnswer(linking, spot, answer.queue, { method, ...rest });
  const soap = linkSoap(documents, spot, service, rest, exchange.soapResponses ?? responses);
  const writes = linkWrites(linking, spot, { method, answer, request: rest.request });
  if (writes === false) checkOnce(linking, spot);
  const forms = { rest: method !== undefined, soap: soap !== undefined, isPublic };
  const operation: Mutable<Operation> = {
    id,
    name: spot.name,
    service,
    ...rest,
    pathName: spot.inherited('alias')?.value ?? service.name,
    responses,
    status: declared.status ?? usualStatus(answer),
    answer,
    writes,
    ...grants,
    requires: linkRequires(linking, context.callers, spot, forms),
    limits: { ...linkCallLimits(linking, spot.above('limits')), ...linkCallLimits(linking, declared.limits) },
    active,
    ...given({
      exactStatus: declared.status === undefined ? undefined : (true as const),
      description: declared.description,
      soap,
      wrapper: declared.wrapper,
      fault,
      faultTypes: method === undefined || fault === undefined ? undefined : linkProviderFaultTypes(linking, spot),
      strict: spot.inherited('strict')?.value,
      tags: method === undefined ? undefined : spot.inherited('tags')?.value,
      once: linkOnce(linking, declared.once === undefined ? spot.service : declared),
      as: linkAs(linking, context.roles, spot, answer),
    }),
    at: positionOf(at),
  };
  checkSigned(linking, spot, operation);
  // A rejected template has not been removed.
  if (templates.length < templateCount(spot, method)) linking.doubt.mark(operation);
  return operation;
}

/** Of a reply over REST: RFC 9110, sections 15.3.1 to 15.3.3. */
function usualStatus(answer: Answer): number {
  if (answer.kind === 'version') return usualStatus(finalAnswer(answer.operation));
  if (answer.kind === 'queue') return 202;
  return answer.kind === 'component' && answer.action === 'create' ? 201 : 200;
}

/** Refuses `once` at an operation that only reads: such a call can be repeated as it is. */
function checkOnce({ report, places }: Linking, { id, declared }: OperationSpot): void {
  if (declared.once === undefined || declared.once === false) return;
  const reason = `has no effect, because ${id} does not write`;
  report.raise('bad-value', { name: 'once', reason, examples: [] }, places.key(declared, 'once'));
}

/** Checks an operation against what answers it. */
function checkAnswer(
  linking: Linking,
  spot: OperationSpot,
  { answer, responses }: Exchange,
  { input, isPublic, active }: { readonly input: RestInput; readonly isPublic: boolean; readonly active: boolean },
): void {
  // With a role, access to the answer does not depend on the caller.
  if (isPublic && spot.declared.as === undefined) checkReachedPublic(linking, spot, answer);
  if (isPublic) checkGuardedClasses(linking, spot, answer);
  if (answer.kind === 'call') checkCallAnswer(linking, spot, answer.call, { input, responses, active });
}

function linkSoap(
  documents: Documents,
  spot: OperationSpot,
  service: Service,
  rest: RestInput,
  responses: readonly MediaMessage[],
): SoapForm | undefined {
  const name = soapName(spot.name, spot.declared);
  if (name === undefined) return undefined;
  const request = soapRequest(documents, { id: spot.soapId, name }, rest, spot);
  return linkSoapForm(documents, spot, service, request, responses);
}

function linkFault(documents: Documents, spot: OperationSpot, faultless: boolean): Document | undefined {
  const fault = faultless ? undefined : linkDocument(documents, spot, 'fault');
  if (fault !== undefined) checkFault(documents.linking, fault, spot.inherited('fault')?.at ?? spot.at);
  return fault;
}

/** The media types of a fault. One without the document is refused: what fills it is not known. */
function linkProviderFaultTypes(linking: Linking, spot: OperationSpot): readonly string[] | undefined {
  const types = linkFaultTypes(linking, spot);
  const wrong = types?.find((each) => !/[/+](?:json|xml)(?:;|$)/i.test(each.replace(/\s+/g, '')));
  if (wrong !== undefined) {
    const reason = `A fault can't be ${wrong}: it is a document, which is JSON or XML`;
    linking.report.raise('bad-body', { reason }, spot.inherited('fault')?.at ?? spot.at);
  }
  return types;
}

function checkWrapper(
  { declared, id, lacks }: OperationSpot,
  { report, places }: Linking,
  responses: readonly MediaMessage[],
): void {
  if (declared.wrapper === undefined || lacks('query', 'save', 'read')) return;
  const isJson = ({ mediaType, message }: MediaMessage): boolean =>
    message.kind === 'document' && !isXmlType(mediaType.toLowerCase());
  if (!responses.some(isJson)) {
    report.raise('bad-wrapper', { operation: id }, places.key(declared, 'wrapper'));
  }
}

/** Refuses a fault document that the gateway can't fill: its required fields need fixed values. */
function checkFault({ report, doubt }: Linking, document: Document, at: Place): void {
  if (doubt.about(document)) return;
  if (document.choice !== undefined) {
    const reason = 'is one of several documents, and nothing says which of them a fault of the gateway is';
    report.raise('bad-choice', { document: document.id, reason }, at);
    return;
  }
  if (document.abstract) {
    const reason = 'is abstract, and nothing says which of the documents that derive from it a fault of the gateway is';
    report.raise('bad-derivation', { document: document.id, reason }, at);
    return;
  }
  const field = unfilled(document, []);
  if (field !== undefined) report.raise('unfillable-fault', { document: document.id, field }, at);
}

/** Path of a required field without a value of its own; `required` and `default` exclude each other. */
function unfilled(document: Document, outer: readonly Document[]): string | undefined {
  if (outer.includes(document)) return undefined;
  const around = [...outer, document];
  for (const { name, type, required, fixed } of document.fields) {
    if (type.kind === 'document' && hasValues(type.document, around)) {
      const inner = unfilled(type.document, around);
      if (inner !== undefined) return `${name}.${inner}`;
    } else if (required && fixed === undefined) {
      return name;
    }
  }
  return undefined;
}

/** Whether a document contains a field with a value of its own, so that it is written. */
function hasValues(document: Document, outer: readonly Document[]): boolean {
  if (outer.includes(document) || document.choice !== undefined || document.abstract) return false;
  const around = [...outer, document];
  return document.fields.some((field) =>
    field.type.kind === 'document' ? hasValues(field.type.document, around) : hasOwnValue(field),
  );
}

/** The properties of an operation that decide whether it writes. */
interface Effect {
  readonly method: Method | undefined;
  readonly answer: Answer;
  readonly request: Message;
}

/** Methods that write, whatever answers them. */
const CHANGING: ReadonlySet<Method | undefined> = new Set(['PUT', 'PATCH', 'DELETE'] as const);

/** `writes:`, or the default from the method and the answer. */
function linkWrites(linking: Linking, spot: OperationSpot, effect: Effect): Writes {
  const { writes } = spot.declared;
  if (writes === undefined) return writesByNature(effect);
  if (writes === false) return refusesToRead(linking, spot, effect);
  return writes === true ? true : linkConditions(linking, spot, effect, writes);
}

/** GET and HEAD are safe (RFC 9110 section 9.2.1), and so are stored queries and reads of a component. */
function writesByNature({ method, answer }: Effect): boolean {
  // What another operation writes, this one writes, whatever its method is.
  if (answer.kind === 'version') return answer.operation.writes !== false || CHANGING.has(method);
  if (
    method === 'GET' ||
    method === 'HEAD' ||
    answer.kind === 'reply' ||
    answer.kind === 'query' ||
    answer.kind === 'queries'
  )
    return false;
  return answer.kind !== 'component' || answer.action !== 'read';
}

function refusesToRead(linking: Linking, spot: OperationSpot, { method, answer }: Effect): boolean {
  const saves = answer.kind === 'component' && answer.action !== 'read';
  const calls = answer.kind === 'version' && answer.operation.writes !== false;
  if (!saves && !calls && !CHANGING.has(method)) return false;
  const reason = saves
    ? `${spot.id} saves ${answer.component.id}`
    : calls
      ? `${answer.operation.id}, which answers ${spot.id}, writes`
      : `${spot.id} has the method ${method}`;
  linking.report.raise(
    'bad-writes',
    { reason: `${reason}, so it always writes` },
    linking.places.value(spot.declared, 'writes'),
  );
  return true;
}

function linkConditions(
  { report, places, doubt }: Linking,
  spot: OperationSpot,
  { request }: Effect,
  conditions: Readonly<Record<string, string>>,
): Operation['writes'] {
  const document = documentOf(request);
  const isKnown = !doubt.about(document);
  return Object.entries(conditions).flatMap(([name, value]) => {
    const field = document?.fields.find((each) => each.name === name);
    const refuse = (reason: string): [] => {
      if (isKnown || field !== undefined) report.raise('bad-writes', { reason }, places.key(conditions, name));
      return [];
    };
    if (field === undefined) return refuse(`${name} is not a field of the request of ${spot.id}`);
    const traits = traitsOf(field.type);
    if (traits?.anyText !== true && traits?.values === undefined) return refuse(`${name} is not a text field`);
    if (field.enum !== undefined && !field.enum.includes(value))
      return refuse(`${name} is never ${JSON.stringify(value)}; it must be one of ${field.enum.join(', ')}`);
    return [{ field, value }];
  });
}
