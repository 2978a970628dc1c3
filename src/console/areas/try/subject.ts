import { exampleContent } from '../../../describe/example/scalar.ts';
import { emptyExample, exampleDocument, exampleField, tellingFields } from '../../../describe/example/value.ts';
import { requestMediaTypes, sentForms } from '../../../describe/exchange.ts';
import { mustBeGiven } from '../../../describe/field.ts';
import { isRequired } from '../../../describe/uri.ts';
import type { ProvidedForm } from '../../../invoke/index.ts';
import type { ConsumerOperation, RestConsumer } from '../../../model/consumer.ts';
import type { Document } from '../../../model/document.ts';
import { Fault } from '../../../model/fault.ts';
import type { Field } from '../../../model/field.ts';
import type { Flow } from '../../../model/flow.ts';
import { primitiveOf } from '../../../model/scalar.ts';
import {
  type Message,
  type Operation,
  type OperationUri,
  operationsOf,
  type RawKind,
  takesBody,
} from '../../../model/service.ts';
import { envelope } from '../../../wire/soap/version.ts';
import type { ConsolePorts } from '../../console-port.ts';
import { type Entered, type FormField, fill, fillDocument, formFields } from './values.ts';

/** What can be tried: an operation of this gateway, an operation of another system, or a flow. */
export type Subject =
  | { readonly kind: 'provided'; readonly operation: Operation }
  | { readonly kind: 'consumer'; readonly operation: ConsumerOperation }
  | { readonly kind: 'flow'; readonly flow: Flow };

/** All active subjects, ordered by id. */
export function subjectsOf({ registry: { operations, consumers, flows } }: Pick<ConsolePorts, 'registry'>): Subject[] {
  const all: Subject[] = [
    ...[...operations.values()].map((operation): Subject => ({ kind: 'provided', operation })),
    ...[...consumers.values()].map((operation): Subject => ({ kind: 'consumer', operation })),
    ...[...flows.values()].map((flow): Subject => ({ kind: 'flow', flow })),
  ];
  return all.filter((each) => thingOf(each).active).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

export const thingOf = (subject: Subject): Operation | ConsumerOperation | Flow =>
  subject.kind === 'flow' ? subject.flow : subject.operation;

export const idOf = (subject: Subject): string => thingOf(subject).id;

/** @throws Fault NOT_FOUND */
export function findSubject({ registry }: Pick<ConsolePorts, 'registry'>, id: string): Subject {
  const operation = registry.operations.get(id);
  if (operation?.active === true) return { kind: 'provided', operation };
  const consumer = registry.consumers.get(id);
  if (consumer?.active === true) return { kind: 'consumer', operation: consumer };
  const flow = registry.flows.get(id);
  if (flow?.active === true) return { kind: 'flow', flow };
  throw Fault.of('NOT_FOUND', { what: `active operation or flow ${id}` });
}

/** The operations whose grants a call needs. */
export const grantedThings = (subject: Subject): readonly (Operation | ConsumerOperation)[] =>
  subject.kind === 'provided'
    ? [subject.operation]
    : operationsOf(subject.kind === 'flow' ? subject.flow : subject.operation);

/** Whether a call may change something. Calls to other systems always may, whatever their method. */
export const mayWrite = (subject: Subject): boolean =>
  subject.kind !== 'provided' || subject.operation.writes !== false;

/** One way of calling a subject. */
export interface Way {
  /** The id in addresses: `rest-1`, `soap-1.2`. */
  readonly id: string;
  readonly title: string;
  readonly uri?: OperationUri;
  readonly soap?: '1.1' | '1.2';
}

export function waysOf(subject: Subject): readonly [Way, ...Way[]] {
  if (subject.kind === 'flow') return [{ id: 'flow', title: 'Flow' }];
  const { operation } = subject;
  if (subject.kind === 'consumer' && subject.operation.kind === 'soap') return [{ id: 'soap', title: 'SOAP' }];
  const { method = '', uris } = operation as Operation | RestConsumer;
  const rest = uris.map((uri) => ({ id: `rest-${uri.index}`, title: `${method} ${uri.template.text || '/'}`, uri }));
  const isSoap = subject.kind === 'provided' && subject.operation.soap !== undefined;
  const soap = isSoap
    ? (['1.1', '1.2'] as const).map((version) => ({ id: `soap-${version}`, title: `SOAP ${version}`, soap: version }))
    : [];
  return [...rest, ...soap] as unknown as readonly [Way, ...Way[]];
}

/** Fields of a form under a heading. */
export interface Group {
  readonly title: string;
  readonly fields: readonly FormField[];
  readonly isChoice: boolean;
  /** The document whose example fills the fields; without it each field has its own example. */
  readonly document?: Document;
  /** Whether the group is the body. */
  readonly isBody?: true;
}

/** The field for the whole content of a message without a document. */
function contentField(kind: RawKind, { at }: Pick<Document, 'at'>, example = exampleContent(kind)): FormField {
  const field: Field = {
    ...{ name: 'content', jsonName: 'content', xmlName: 'content', type: { kind }, required: true, at },
    ...{
      example,
      anyCase: false,
      sensitive: false,
      attribute: false,
      absent: 'omit',
      url: 'segment',
    },
  };
  return { field, required: true, nullable: false };
}

const plain = (field: Field, required: boolean): FormField => ({ field, required, nullable: field.nullable === true });

export function groupsOf(subject: Subject, way: Way): readonly Group[] {
  if (subject.kind === 'flow')
    return inputGroup('Input', { kind: 'document', document: subject.flow.input }, subject.flow);
  const { operation } = subject;
  if (subject.kind === 'consumer') return consumerGroups(subject.operation);
  const { soap, requestHeaders, request, body } = subject.operation;
  if (way.soap !== undefined && soap !== undefined) return inputGroup('Request', soap.request, operation);
  const uri = way.uri as OperationUri;
  const groups: Group[] = [
    { title: 'Address', fields: uri.variables.map((each) => plain(each.field, isRequired(each))), isChoice: false },
    { title: 'Headers', fields: requestHeaders.map(({ field }) => plain(field, mustBeGiven(field))), isChoice: false },
  ];
  if (!takesBody(subject.operation, uri)) return groups.filter(hasFields);
  const isBody = true;
  if (request.kind === 'raw')
    groups.push({ title: 'Body', fields: [contentField(request.raw, operation)], isChoice: false, isBody });
  else if (request.kind === 'document') {
    const document = { ...request.document, fields: uri.body };
    const isChoice = document.choice !== undefined;
    const own = body === 'raw' ? {} : { document };
    groups.push({ title: 'Body', fields: formFields(document), isChoice, isBody, ...own });
  }
  return groups.filter((each) => hasFields(each) || each.isBody);
}

const hasFields = ({ fields }: Group): boolean => fields.length > 0;

function consumerGroups(operation: ConsumerOperation): readonly Group[] {
  if (operation.kind === 'soap') {
    const { soap, properties } = operation;
    if (properties.upContent || soap.request.kind !== 'raw') return inputGroup('Request', soap.request, operation);
    // The text is the whole envelope.
    const { start, end } = envelope(operation.headers.some(({ value }) => value.includes('soap+xml')) ? '1.2' : '1.1');
    const field = contentField(soap.request.raw, operation, `${start}${exampleContent('xml')}${end}`);
    return [{ title: 'Envelope', fields: [field], isChoice: false }];
  }
  const { input, filled } = operation;
  const fields = formFields(input).map((each) => (filled.has(each.field.name) ? { ...each, required: false } : each));
  return [{ title: 'Input', fields, isChoice: false }].filter(hasFields);
}

function inputGroup(title: string, message: Message, { at }: Pick<Document, 'at'>): readonly Group[] {
  if (message.kind === 'none') return [];
  if (message.kind === 'raw') return [{ title, fields: [contentField(message.raw, { at })], isChoice: false }];
  const { document } = message;
  const group = { title, fields: formFields(document), isChoice: document.choice !== undefined, document };
  return [group].filter(hasFields);
}

/** Fills a new form with the examples of the definitions. */
export function prefilled(groups: readonly Group[]): Entered {
  const entered = new URLSearchParams();
  for (const { fields, document } of groups) {
    if (document !== undefined) {
      const telling = { ...document, fields: tellingFields(document.fields) };
      fillDocument(entered, document, '', exampleDocument(telling) ?? emptyExample());
      continue;
    }
    for (const { field, required } of fields)
      if (required || field.example !== undefined) fill(entered, field, field.name, exampleField(field));
  }
  return entered;
}

/** The choices of a REST request besides its fields: the media types of its body and of its reply. */
export function mediaTypesOf(
  subject: Subject,
  { uri }: Way,
): { readonly body: readonly string[]; readonly reply: readonly string[] } {
  if (subject.kind !== 'provided' || uri === undefined) return { body: [], reply: [] };
  const { operation } = subject;
  const reply = [...new Set(sentForms(operation).map(({ mediaType }) => mediaType))];
  return { body: takesBody(operation, uri) ? requestMediaTypes(operation, uri) : [], reply };
}

/** Whether the body can be written as text instead. */
export function takesText(subject: Subject, way: Way): boolean {
  if (subject.kind !== 'provided') return false;
  if (way.soap !== undefined) return true;
  return way.uri !== undefined && takesBody(subject.operation, way.uri) && !isContent(subject.operation, way.uri);
}

/** Whether the body is binary content, which is a file. */
function isContent({ request, body }: Operation, uri: OperationUri): boolean {
  if (request.kind === 'raw') return request.raw === 'binary';
  const [field] = uri.body;
  return body === 'raw' && field !== undefined && primitiveOf(field.type) === 'binary';
}

/** The form of a call of a served operation, depending on what was chosen. */
export function formOf(way: Way, entered: Entered, bodyless: boolean, mtom: boolean): ProvidedForm {
  if (way.soap !== undefined) return { kind: 'soap', version: way.soap, inline: !mtom || entered.has('inline') };
  const [contentType, accept] = [entered.get('type'), entered.get('accept')];
  return {
    ...{ kind: 'rest', uriIndex: way.uri?.index ?? 1, bodyless },
    ...(contentType === null || contentType === '' ? {} : { contentType }),
    ...(accept === null || accept === '' ? {} : { accept }),
  };
}
