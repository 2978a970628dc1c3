import { compileDocument, writeJsonMember, writeJsonText } from '../../codec/index.ts';
import { carryDigits, digitsWritten } from '../../codec/json/digits.ts';
import { FlowError, type Head, InvokeError, type PreparedRequest, ReplyFault, SoapFault } from '../../invoke/index.ts';
import type { Document } from '../../model/document.ts';
import { type FieldType, isCollection } from '../../model/field.ts';
import type { FlowReply, InvokeReply, ReplyTimings, StepTrace } from '../../model/invoke-reply.ts';
import { primitiveOf } from '../../model/scalar.ts';
import type { Message } from '../../model/service.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { counted } from '../../wire/words.ts';
import { CliFailure } from '../failure.ts';
import { size } from '../progress.ts';
import { type Colors, note, printable } from '../terminal.ts';
import { KeptAttachment, type KeptReply } from './files.ts';

/** A reply as JSON: its document, with descriptions of attachments as objects. */
export function renderJson({ value, segments }: KeptReply, response: Message): string {
  const text = jsonOf(value, response);
  const json =
    segments.length === 0
      ? text
      : `{"reply":${text},"segments":${writeJsonText(segments.map((each) => each.toJson()))}}`;
  return `${json}\n`;
}

function jsonOf(value: DocumentValue, response: Message): string {
  const bare = withoutKept(value) as DocumentValue;
  return response.kind === 'document'
    ? compileDocument(described(response.document), { namespace: '' }).toJson(bare)
    : writeJsonText(bare);
}

/** Replaces descriptions of attachments by plain values. */
function withoutKept(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof KeptAttachment) return value.toJson();
  if (Array.isArray(value)) return carryDigits(value, (value as readonly Value[]).map(withoutKept));
  const members = Object.entries(value).map(([name, each]) => [name, withoutKept(each as Value)] as const);
  return carryDigits(value, Object.fromEntries(members));
}

/** The document with descriptions in place of binary content. */
function described(document: Document, known = new Map<Document, Document>()): Document {
  const found = known.get(document);
  if (found !== undefined) return found;
  const fields: Document['fields'][number][] = [];
  const derived: Document[] = [];
  const copy = { ...document, fields, ...(document.kinds && { kinds: { ...document.kinds, derived } }) };
  // Set before its fields are read: a document may contain itself.
  known.set(document, copy);
  for (const each of document.kinds?.derived ?? []) derived.push(described(each, known));
  for (const field of document.fields) fields.push({ ...field, type: describedType(field.type, known) });
  return copy;
}

function describedType(type: FieldType, known: Map<Document, Document>): FieldType {
  if (type.kind === 'document') return { kind: 'document', document: described(type.document, known) };
  if (isCollection(type)) return { ...type, item: describedType(type.item, known) as typeof type.item };
  return primitiveOf(type) === 'binary' ? { kind: 'json' } : type;
}

/** The output for a reply. */
export interface Paper {
  readonly colours: Colors;
  /** Control characters are replaced. */
  readonly terminal: boolean;
}

/** A reply for people: one line per field, or the text. */
export function renderReply(reply: KeptReply, response: Message, { colours, terminal }: Paper): string {
  const { value, segments } = reply;
  const attachments = segments.map((segment, index) => [`segment ${index + 1}`, describe(segment)] as const);
  const isText = response.kind === 'raw' && response.raw !== 'binary';
  if (isText) return textOf(value, terminal) + renderFields(attachments, colours);
  return renderFields([...fieldPaths(value), ...attachments], colours);
}

function textOf(value: KeptReply['value'], terminal: boolean): string {
  const { content } = value;
  const text = typeof content === 'string' ? content : writeJsonMember(value, 'content');
  const shown = terminal ? text.replace(/[\p{Cc}--[\n\t]]/gv, ' ') : text;
  return shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`;
}

/** The fields of a value by their paths, in order. */
function fieldPaths(value: Value, path = '', digits?: string): [string, string][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [[path, digits ?? String(value)]];
  if (Array.isArray(value))
    return (value as readonly Value[]).flatMap((each, index) =>
      fieldPaths(each, `${path}[${index}]`, digitsWritten(value, index, each)),
    );
  if (value instanceof KeptAttachment) return [[path, describe(value)]];
  return Object.entries(value).flatMap(([name, each]) =>
    fieldPaths(each as Value, path === '' ? name : `${path}.${name}`, digitsWritten(value, name, each)),
  );
}

/** `application/pdf, 1.4 MB, in report.pdf`. */
function describe({ contentType, name, length, file }: KeptAttachment): string {
  const where = file === undefined ? 'discarded' : `in ${file === '-' ? 'standard output' : file}`;
  const parts = [contentType, name, length === undefined ? undefined : size(length), where];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** One line per field, with aligned values. */
function renderFields(fields: readonly (readonly [name: string, value: string])[], colours: Colors): string {
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${colours.bold(name.padEnd(width))}  ${printable(value)}\n`).join('');
}

/** Requests in the form in which they are sent, each below a comment with its operation. */
export function renderPrepared(requests: readonly PreparedRequest[]): string {
  return requests.map((request, index) => renderOne(request, index + 1, requests.length)).join('\n');
}

function renderOne({ operation, method, url, headers, body }: PreparedRequest, index: number, of: number): string {
  const lines = [
    of === 1 ? `# ${operation}` : `# ${index} of ${of}: ${operation}`,
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const text = body === undefined ? [] : ['', ...body.split('\n')];
  return `${[...lines, ...text].map(printable).join('\n')}\n`;
}

/** Prints the heads of each exchange to standard error. */
export const heads = {
  onRequest: (head: Head): void => noteHead('>', head),
  onReply: (head: Head): void => noteHead('<', head),
};

function noteHead(mark: string, { line, headers }: Head): void {
  for (const each of [line, ...headers.map(([name, value]) => `${name}: ${value}`), ''])
    note(`${mark} ${each}`.trimEnd());
}

/** Prints times and statuses of a call, or of each step of a flow. */
export function noteReply(reply: InvokeReply | FlowReply): void {
  if ('steps' in reply) noteSteps(reply.steps);
  else note(`* ${spent(reply.timings, reply.attempts)}`);
  note(`* response status ${reply.responseStatus}, call ${reply.requestId}`);
}

/** Prints the results of a flow's steps, one line each. */
function noteSteps(steps: readonly StepTrace[]): void {
  for (const step of steps) note(`* ${step.operation}: ${stepWords(step)}`);
}

function stepWords({ kept, timings, attempts, httpResponseCode }: StepTrace): string {
  if (kept) return 'kept values are still valid';
  if (timings !== undefined) return spent(timings, attempts);
  const answered = httpResponseCode === undefined ? 'no reply' : `failed, HTTP status ${httpResponseCode}`;
  return `${answered}; ${counted(attempts, 'attempt')}`;
}

function spent({ connected, sent, head, value }: ReplyTimings, attempts: number): string {
  const times = [
    ...(connected === undefined ? [] : [`${connected.toFixed(1)} ms to the connection`]),
    `${sent.toFixed(1)} to the end of the request`,
    `${head.toFixed(1)} to the head of the reply`,
    `${value.toFixed(1)} ms to its value`,
  ];
  return `${times.join(', ')}; ${counted(attempts, 'attempt')}`;
}

/** Prints the results of the steps before and at the one that failed. */
export function noteFailure(error: unknown): void {
  if (error instanceof FlowError) noteSteps(error.steps);
}

/** A failed call, in the style of a command's own errors. Other errors are returned unchanged. */
export function callFailure(error: unknown): unknown {
  if (!(error instanceof InvokeError)) return error;
  const lines = [...answerLines(error), ...whereLines(error)];
  return new CliFailure(printable(error.message), {
    hint: lines.length === 0 ? undefined : lines.join('\n'),
    exitCode: isUsage(error) ? 2 : 1,
    cause: error,
  });
}

/** Whether nothing was sent because of wrong usage. A flow that has reached a step has sent something. */
function isUsage(error: InvokeError): boolean {
  const { code, attempts } = error;
  return attempts === 0 && !(error instanceof FlowError) && (code === 'BAD_INPUT' || code === 'UNKNOWN_OPERATION');
}

/** The reply of the other side, in a flow that of the failed step. */
function answerLines(error: InvokeError): string[] {
  const answer = error.cause instanceof InvokeError && error.cause.code === error.code ? error.cause : error;
  if (answer instanceof SoapFault) return soapLines(answer);
  if (answer instanceof ReplyFault) return faultLines(answer);
  return otherLines(answer);
}

function soapLines({ code, subcodes, reason, detail, detailXml }: SoapFault): string[] {
  // The gateway's own detail repeats code and reason.
  const isOther = detail === undefined && detailXml !== '' && !detailXml.startsWith('<IBResponse');
  return [
    `Fault: ${[code, ...subcodes].map(printable).join(' > ')}`,
    ...documentLines(detail, reason),
    ...(isOther ? [shortened(detailXml)] : []),
  ];
}

function faultLines({ fault, reason, detail, body }: ReplyFault): string[] {
  if (fault !== undefined) return documentLines(fault, reason);
  if (detail !== '') return [shortened(detail)];
  return body === undefined ? [] : [`Reply: ${shortened(body)}`];
}

/** The fields of a fault document, except those that repeat the reason. */
function documentLines(document: DocumentValue | undefined, reason: string): string[] {
  const fields = document === undefined ? [] : fieldPaths(document).filter(([, value]) => value !== reason);
  return fields.map(([name, value]) => `${name}: ${printable(value)}`);
}

function otherLines({ hint, body }: InvokeError): string[] {
  return [...(hint === undefined ? [] : [hint]), ...(body === undefined ? [] : [`Reply: ${shortened(body)}`])];
}

const SHOWN = 300;

const shortened = (text: string): string =>
  printable(text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}...` : text);

/** Facts to find the call in the log of the other side. */
function whereLines({ called: { address, requestId }, httpResponseCode, sent, attempts }: InvokeError): string[] {
  if (address === undefined) return [];
  const status = httpResponseCode === undefined ? '' : `HTTP status ${httpResponseCode}, `;
  const method = sent === undefined ? '' : `${sent.method} `;
  const tried = attempts > 1 ? `, ${counted(attempts, 'attempt')}` : '';
  return [`${status}${method}${address}${tried}, call ${requestId}`];
}
