import { CONTENT, completed, guard, RequestErrors, reading, speaking } from '../../binding/message.ts';
import { bytesOf, lengthOf, textOf } from '../../binding/pieces.ts';
import { writeProblem } from '../../binding/rest/rest.ts';
import { type IbRequest, writeIbResponse } from '../../binding/soap/ib-message.ts';
import type { OpenedMessage } from '../../binding/soap/message.ts';
import { brokerDetail } from '../../binding/soap/soap.ts';
import { compileCheck, compileJsonReader, compileSeparated, readJsonMember } from '../../codec/index.ts';
import { publishedBy } from '../../messaging/serve/by-message.ts';
import { Fault } from '../../model/fault.ts';
import { singleType } from '../../model/field.ts';
import type { Limits } from '../../model/gateway.ts';
import type { Outcome } from '../../model/handler.ts';
import { finalAnswer } from '../../model/service.ts';
import type { DocumentValue, Value } from '../../model/value.ts';
import { streamOf } from '../../wire/measured.ts';
import { quote } from '../../wire/words.ts';
import { readXml } from '../../wire/xml/read-xml.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import type { WrittenFault } from '../exchange/refuse.ts';
import type { Compiled } from '../operations.ts';
import type { OutgoingReply, ReplyForm, SecuredMessage } from './connector-port.ts';
import { contentOf } from './soap.ts';

/** Facts about a message that are outside of it: in headers, in the query string, or in an IBRequest around it. */
export type Said = Omit<IbRequest, 'data'>;

/** The message of a request, without an enclosing IBRequest. */
export interface HttpContent {
  readonly root?: XmlElement;
  /** JSON text. */
  readonly json?: string;
  /** The request's own fields, from the query of the URL of a posted form. */
  readonly query?: URLSearchParams;
  /** Credentials from a form, in the form of those in a message. */
  readonly secured?: SecuredMessage;
  readonly said: Said;
}

export const XML = 'text/xml; charset=utf-8';

export function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/([\w.-]+\+)?json\b/i.test(contentType);
}

/** Reads a request's document without an envelope. */
export type PlainReader = (
  compiled: Compiled,
  content: HttpContent,
  opened: OpenedMessage | undefined,
) => DocumentValue;

/** Reads an operation's request; its readers are compiled when they are first used. @throws Fault BAD_BODY, BAD_PARAMETER */
export function plainReader(): PlainReader {
  const fromJson = byOperation(jsonReader);
  const fromQuery = byOperation(queryReader);
  const fromXml = (compiled: Compiled, root: XmlElement, opened: OpenedMessage | undefined): DocumentValue => {
    const { soap, original } = compiled;
    if (original) return soap!.readRequest(root);
    const { request } = soap!.form;
    const { namespace } = soap!;
    const own = soap!.request;
    if (root.local === own?.name && root.namespace === own.namespace)
      return soap!.readRequest(root, opened?.resolve, opened);
    if (request.kind === 'raw' && request.raw === 'xml')
      return soap!.readRequest({ ...root, content: [root] }, opened?.resolve, opened);
    const document = request.kind === 'document' ? request.document : undefined;
    const inner = innerXml(root);
    if (inner !== undefined) return fromXml(compiled, inner, opened);
    if (root.local === document?.xmlName && root.namespace === (document.namespace ?? namespace))
      return soap!.readRequest(root, opened?.resolve, opened);
    const reason = `its element is ${quote(`{${root.namespace}}${root.local}`)}, ${own === undefined ? 'and the operation takes none' : `not {${own.namespace}}${own.name}`}`;
    throw Fault.of('BAD_BODY', { reason });
  };
  return (compiled, { root, json, query }, opened) => {
    const { request, name } = compiled.soap!.form;
    if (query !== undefined) return fromQuery(compiled)(query);
    if (json !== undefined) return fromJson(compiled)(json);
    if (root === undefined) {
      if (request.kind === 'none') return {};
      throw Fault.of('BAD_BODY', { reason: `it is missing, and ${name} needs its request` });
    }
    return fromXml(compiled, root, opened);
  };
}

function byOperation<T>(make: (compiled: Compiled) => T): (compiled: Compiled) => T {
  const made = new Map<Compiled, T>();
  return (compiled) => {
    const known = made.get(compiled) ?? make(compiled);
    made.set(compiled, known);
    return known;
  };
}

/** A message may be wrapped in an element that contains only the message's text, as a CDATA section. */
function innerXml({ content }: XmlElement): XmlElement | undefined {
  const text = content.length === 1 && typeof content[0] === 'string' ? content[0].trim() : '';
  return text.startsWith('<') ? speaking(() => readXml(text)) : undefined;
}

/** Reads the fields of a request that have a text form from parameters of the same names; other parameters are ignored. */
function queryReader({ soap }: Compiled): (query: URLSearchParams) => DocumentValue {
  const { request } = soap!.form;
  const fields = request.kind === 'document' ? request.document.fields : [];
  const readers = fields
    .filter(({ type }) => type.kind !== 'map' && singleType(type).kind !== 'document')
    .map((field) => ({ name: field.name, isList: field.type.kind === 'list', read: compileSeparated(field) }));
  const complete = compileCheck(fields, request.kind === 'document' ? request.document : undefined);
  return (query) => {
    const values: Record<string, Value> = {};
    let errors: RequestErrors | undefined;
    for (const { name, isList, read } of readers) {
      const texts = query.getAll(name);
      // An empty value counts as absent, as it does over REST.
      const given = isList ? texts : texts.filter((text) => text !== '');
      if (given.length === 0) continue;
      try {
        values[name] = guard(name, read, given, { parameter: name });
      } catch (error) {
        errors = (errors ?? new RequestErrors()).add(error);
      }
    }
    return completed(values, complete, errors, ({ path }) => (path === '' ? {} : { parameter: path }));
  };
}

function jsonReader({ soap }: Compiled): (text: string) => DocumentValue {
  const { request, name } = soap!.form;
  if (request.kind === 'document') {
    const read = compileJsonReader(request.document);
    return (text) => reading(() => read(text), request.document);
  }
  if (request.kind === 'raw' && request.raw === 'json') return (text) => reading(() => readJsonMember(CONTENT, text));
  return () => {
    throw Fault.of('UNSUPPORTED_MEDIA_TYPE', { given: 'Content-Type application/json', supported: `XML, by ${name}` });
  };
}

/** Replies without an envelope: the reply document; errors as an IBResponse in XML, and as over REST in JSON. */
export function plainForm(format: 'json' | 'xml', { body }: Limits, requestId: string): ReplyForm {
  return {
    format,
    write: (compiled, outcome) => writePlain(compiled, outcome, format, body),
    fault(fault, compiled) {
      if (format === 'json') {
        const as = compiled?.binding.representations.find((each) => each.format === 'json');
        return compiled === undefined || as === undefined
          ? writeProblem(fault, requestId)
          : compiled.binding.writeFault(fault, as, requestId);
      }
      return writeIbFault(fault);
    },
  };
}

/** Replies without an envelope in the shapes of the original; errors as an IBResponse. */
export function originalForm(): ReplyForm {
  return {
    format: 'soap',
    write(compiled, outcome) {
      const { pieces } = contentOf(compiled, outcome);
      const whole = { text: textOf(pieces), length: lengthOf(pieces), bytes: () => bytesOf(pieces) };
      return { status: 200, headers: { 'Content-Type': XML }, ...whole };
    },
    fault: writeIbFault,
  };
}

function writeIbFault(fault: Fault): WrittenFault {
  return { contentType: XML, text: brokerDetail(fault) };
}

/** Replies of one-way operations: an acknowledgement that the message was accepted. The transaction is the message, or the request. */
export function oneWayForm(requestId: string, { format, fault }: ReplyForm): ReplyForm {
  const write = ({ operation }: Compiled, outcome: Outcome): OutgoingReply => {
    const message = finalAnswer(operation).kind === 'queue' ? publishedBy(outcome) : undefined;
    return textReply(XML, writeIbResponse({ type: 'success', transactionId: message ?? requestId }));
  };
  return { format, write, fault };
}

function textReply(contentType: string, text: string): OutgoingReply {
  return { status: 200, headers: { 'Content-Type': contentType }, text };
}

async function writePlain(
  { binding }: Compiled,
  outcome: Outcome,
  format: 'json' | 'xml',
  limit: number,
): Promise<OutgoingReply> {
  if (outcome.kind === 'bytes') {
    const { contentType, length, body } = outcome.bytes;
    return { status: 200, headers: { 'Content-Type': contentType }, length, bytes: streamOf(body) };
  }
  if (outcome.segments !== undefined && outcome.segments.length > 0)
    throw Fault.of('NOT_ACCEPTABLE', { offered: 'multipart/related, in an envelope' });
  const as = binding.representations.find((each) => each.format === format) ?? binding.representations[0]!;
  return textReply(as.contentType, await binding.writeReply(outcome.value, as, limit));
}
