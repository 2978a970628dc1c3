import { everyField } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { isAnyText, primitiveOf } from '../../model/scalar.ts';
import { type Answer, type MediaMessage, type Message, type Operation, operationsOf } from '../../model/service.ts';
import { contentOf, documentOf, messageWords } from '../document/documents.ts';
import { hasOwnValue, isNeeded } from '../document/field.ts';
import { typeWords } from '../document/field-type.ts';
import { fills } from '../document/fit.ts';
import { unprovenRestriction } from '../document/unproven.ts';
import { type Callee, type Calls, inputOf, replyOf, resolveCall } from '../flow/calls.ts';
import type { Linking } from '../linking.ts';
import { isMade } from '../value/config-text.ts';
import { everyUriRequires } from './payload.ts';
import type { OperationSpot } from './spot.ts';
import { begunVersion, callPlace, findVersion, type Provided, refuseMap } from './version-answer.ts';

/**
 * `call: NAME`: another system answers, or another operation of this gateway; `undefined` when nothing of that name can be
 * called.
 * @param name that of an operation, or of a service that has an operation of the same name
 */
export function linkCallAnswer(
  linking: Linking,
  spot: OperationSpot,
  { calls, provided }: { readonly calls: Calls; readonly provided: Provided },
  name: string,
): Extract<Answer, { kind: 'call' | 'version' }> | undefined {
  const version = findVersion(linking, spot, calls, provided, name);
  if (version !== false) return version && begunVersion(version);
  refuseMap(linking, spot);
  const named = provided.namesOf(name) === undefined ? name : `${name}.${spot.name}`;
  const call = resolveCall(linking, calls, named, callPlace(linking, spot));
  return call && { kind: 'call', call };
}

/** The input of a request, over REST and over SOAP. */
type CallerInput = Pick<Operation, 'request' | 'uris' | 'requestHeaders'>;

/** An operation that a call answers, as its callers see it. */
interface CallerSide {
  readonly input: CallerInput;
  readonly responses: readonly MediaMessage[];
  readonly active: boolean;
}

/** Checks an operation against the call that answers it: its required input and its reply. */
export function checkCallAnswer(linking: Linking, spot: OperationSpot, call: Callee, side: CallerSide): void {
  const { report } = linking;
  const at = callPlace(linking, spot);
  const raise = (reason: string): void => report.raise('bad-call-answer', { reason }, at);
  if (side.active && !call.active) raise(`${call.id} is not active, so ${spot.id} could not answer`);
  const wrong = whyNotGiven(linking, spot, call, side.input);
  const messages = new Set(side.responses.map(({ message }) => message));
  for (const message of messages) wrong.push(...whyNotAnswered(linking, call, message));
  wrong.forEach(raise);
  if (wrong.length > 0) return;
  const doubtful = [
    unprovenInput(linking, spot, call, side.input),
    ...[...messages].map((each) => unprovenReply(linking, call, each)),
  ];
  for (const reason of doubtful.flat()) report.raise('answer-may-not-fit', { reason }, at);
}

/** Restrictions of a call's input that values of the request may not meet. */
function unprovenInput(linking: Linking, spot: OperationSpot, call: Callee, input: CallerInput): string[] {
  const given = givenFields(input, spot);
  return inputOf(linking, call).fields.flatMap((field) => {
    const own = given.get(field.name)?.field;
    const found = own && unprovenRestriction(field, { own, values: undefined });
    return found === undefined ? [] : [`the input ${field.name} of ${call.id} ${found.reason} in the request`];
  });
}

/** Restrictions of a response that values of the reply may not meet. */
function unprovenReply(linking: Linking, call: Callee, response: Message): string[] {
  const { message } = replyOf(linking, call);
  if (response.kind !== 'document' || message.kind !== 'document' || response.document === message.document) return [];
  const replied = new Map(message.document.fields.map((field) => [field.name, field]));
  return response.document.fields.flatMap((field) => {
    const own = replied.get(field.name);
    const found = own && unprovenRestriction(field, { own, values: undefined });
    return found === undefined
      ? []
      : [`${field.name} of ${response.document.id} ${found.reason} in the reply of ${call.id}`];
  });
}

/** A field of the request, and whether it is always present. */
interface Given {
  readonly field: Field;
  readonly always: boolean;
}

/** All fields that a request supplies, by name. URIs and headers may refer to fields that its document does not have. */
function givenFields({ request, uris, requestHeaders }: CallerInput, { at }: OperationSpot): Map<string, Given> {
  // Without a document, the request is its content, which may be empty.
  const content = contentOf(request, { at }).map((field) => ({ ...field, required: true }));
  const own = request.kind === 'document' ? everyField(request.document) : content;
  const others = [...uris.flatMap((uri) => uri.variables), ...requestHeaders].map(({ field }) => field);
  const given = new Map<string, Given>();
  for (const field of [...own, ...others]) {
    if (given.has(field.name)) continue;
    const always = field.required || hasOwnValue(field) || everyUriRequires(uris, field.name);
    given.set(field.name, { field, always });
  }
  return given;
}

function whyNotGiven(linking: Linking, spot: OperationSpot, call: Callee, input: CallerInput): string[] {
  const given = givenFields(input, spot);
  const { fields, complete } = inputOf(linking, call);
  if (!complete) return [];
  return fields.flatMap((field) => {
    const { name } = field;
    const found = given.get(name);
    if (found === undefined)
      return isNeeded(field) && isWhole(linking, spot, input)
        ? `${call.id} requires ${name}, which is not a field of the request`
        : [];
    if (isNeeded(field) && !found.always)
      return `${call.id} requires ${name}, which is optional in the request and has no default`;
    if (isNeeded(field) && found.field.nullable && !field.nullable)
      return `${call.id} requires ${name}, which may be null in the request`;
    const { default: standard } = found.field;
    if (typeof standard === 'string' && isMade(standard))
      return `${name} has the default ${standard} in the request, where it is literal text: remove it so that the call fills the field`;
    if (fills(found.field.type, field.type) || takesBase64(call, field, found.field)) return [];
    return `the input ${name} of ${call.id} is ${typeWords(field.type)}, but the field of that name in the request is ${typeWords(found.field.type)}`;
  });
}

/** Whether no part of a request was rejected. */
function isWhole({ doubt }: Linking, spot: OperationSpot, { request, uris }: CallerInput): boolean {
  if (spot.lacks('variables') || doubt.about(documentOf(request))) return false;
  return uris.every(({ template, variables }) => variables.length === template.variables.length);
}

/** `Base64toBinary=Y`: content may be Base64 text. */
function takesBase64(call: Callee, { name, type }: Field, given: Field): boolean {
  if (primitiveOf(type) !== 'binary' || !isAnyText(given.type)) return false;
  const users = operationsOf(call).filter(
    (each) => each.kind === 'rest' && each.input.fields.some((field) => field.name === name),
  );
  return users.length > 0 && users.every((each) => each.kind === 'rest' && each.properties.base64ToBinary);
}

function whyNotAnswered(linking: Linking, call: Callee, response: Message): string[] {
  const { message, complete } = replyOf(linking, call);
  if (!complete || response.kind === 'none' || linking.doubt.about(documentOf(response))) return [];
  if (response.kind === 'document') {
    if (message.kind === 'document') return whyNotFilled(call, response.document, message.document);
    return [`The response is the document ${response.document.id}, but ${call.id} answers ${messageWords(message)}`];
  }
  const isSame = message.kind === 'raw' && message.raw === response.raw;
  return isSame ? [] : [`The response is ${messageWords(response)}, but ${call.id} answers ${messageWords(message)}`];
}

function whyNotFilled(call: Callee, response: Document, reply: Document): string[] {
  const replied = new Map(reply.fields.map((field) => [field.name, field]));
  const reasons = response.fields.flatMap((field) => {
    const { name, type, absent } = field;
    const found = replied.get(name);
    if (found?.nullable && isNeeded(field) && !field.nullable)
      return `${name} of ${response.id} is required, but the field of that name in the reply of ${call.id} may be null`;
    if (found !== undefined && fills(found.type, type)) return [];
    if (found !== undefined)
      return `${name} of ${response.id} is ${typeWords(type)}, but the field of that name in the reply of ${call.id} is ${typeWords(found.type)}`;
    if (!isNeeded(field) || absent === 'blank') return [];
    return `${name} of ${response.id} is required, but the reply of ${call.id} has no such field`;
  });
  if (response.choice !== undefined && reply.choice === undefined)
    return [`The response ${response.id} is one of several documents, and the reply of ${call.id} is not`];
  if ((response.kinds ?? reply.kinds) !== undefined && response !== reply)
    return [
      `Other documents derive from ${response.kinds ? response.id : reply.id}: the response and the reply of ${call.id} must be the same`,
    ];
  if (reasons.length > 0 || response.open || response.fields.some(({ name }) => replied.has(name))) return reasons;
  return [`no field of ${response.id} has the name of a field in the reply of ${call.id}`];
}
