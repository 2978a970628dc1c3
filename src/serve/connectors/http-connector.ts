import { asFault } from '../../binding/message.ts';
import { readIbRequest, writeIbResponse } from '../../binding/soap/ib-message.ts';
import { Fault } from '../../model/fault.ts';
import type { Registry } from '../../model/registry.ts';
import { finalAnswer } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { readContentType } from '../../wire/content-type.ts';
import { FORM_MEDIA_TYPE } from '../../wire/form-values.ts';
import { SOAP_NAMESPACES } from '../../wire/soap/version.ts';
import { quote } from '../../wire/words.ts';
import { readXml } from '../../wire/xml/read-xml.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { isWrite } from '../exchange/cors.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { methodNotAllowed } from '../exchange/refuse.ts';
import type { Compiled } from '../operations.ts';
import type { Asked, Entrance, MessageProgress, MessageReader } from './connector-port.ts';
import {
  type HttpContent,
  isJson,
  oneWayForm,
  originalForm,
  plainForm,
  plainReader,
  type Said,
  XML,
} from './http-form.ts';
import { withOuter } from './http-parameters.ts';
import { readPostedForm } from './posted-form.ts';
import { askEnvelope, soapForm, versionByType } from './soap.ts';
import type { SoapRoutes } from './soap-routes.ts';

/** Methods for operations that write, and for requests that do not name an operation yet. */
export const POSTING: readonly string[] = ['POST', 'OPTIONS'];

/**
 * The HTTP connector: an envelope as at the services connector, or the request's document as XML or JSON, with the
 * operation named by `OperationName` or `Operation`. `OperationType` is Sync, Async (answered by an IBResponse) or Ping;
 * `From` is the caller's node, `To` this one. A form names the operation in its fields, and has the request in the URL's
 * query. Operations that only read can also be called by GET and HEAD.
 * @param connector the connector whose MTOM setting applies; errors of `services` are faults in an envelope until a
 * message without an envelope has arrived
 */
export function httpEntrance(registry: Registry, routes: SoapRoutes, connector: 'http' | 'services'): Entrance {
  const { gateway } = registry;
  const read = plainReader();
  const plain = (exchange: Exchange) =>
    plainForm(isJson(exchange.header('content-type')) ? 'json' : 'xml', gateway.limits, exchange.requestId);

  function checkSaid({ operationType = 'sync', to }: Said): 'sync' | 'async' | 'ping' {
    if (to !== undefined && to !== gateway.id)
      throw Fault.of('BAD_PARAMETER', { name: 'To', reason: `is ${quote(to)}, but this node is ${gateway.id}` });
    const type = operationType.toLowerCase();
    if (type === 'sync' || type === 'async' || type === 'ping') return type;
    throw Fault.of('BAD_PARAMETER', { name: 'OperationType', reason: 'is not Sync, Async or Ping' });
  }

  function find({ operationName }: Said, root: XmlElement | undefined): Compiled {
    const called = root && routes.called(root, operationName);
    if (operationName !== undefined) return called?.original ? called : routes.byName(operationName, root);
    if (root === undefined) throw Fault.of('MISSING_PARAMETER', { name: 'OperationName' });
    if (called === undefined) throw routes.unknownElement(root, undefined);
    return called;
  }

  const entrance: Entrance = {
    mtom: gateway.mtom[connector],
    firstForm: (exchange) =>
      connector === 'services' || exchange.header('soapaction') !== undefined || versionByType(exchange) === '1.2'
        ? soapForm(versionByType(exchange), 'alone')
        : plain(exchange),
    async ask(exchange, progress, messages) {
      const content = await open(exchange, progress, messages, entrance);
      const said = withOuter(content.said, exchange, gateway.limits.parameters);
      const type = checkSaid(said);
      if (type === 'ping') {
        const { requestId } = exchange;
        return messages.tell(exchange, XML, writeIbResponse({ type: 'success', transactionId: requestId }));
      }
      if (content.root !== undefined && isEnvelope(content.root)) {
        const { operationName } = said;
        const asked = askEnvelope(
          exchange,
          progress.opened,
          content.root,
          progress,
          routes,
          entrance.mtom,
          operationName,
        );
        checkType(type, asked.compiled);
        return heldToMethod(exchange, agreed(asked, said, routes));
      }
      if (connector === 'services') progress.form = plain(exchange);
      const compiled = find(said, content.root);
      progress.compiled = compiled;
      checkType(type, compiled);
      if (compiled.original) progress.form = originalForm();
      if (isOneWay(compiled)) progress.form = oneWayForm(exchange.requestId, progress.form);
      const { secured } = content;
      const asking = exchange.method === 'POST' ? content : withoutBody(content, compiled);
      return heldToMethod(exchange, {
        compiled,
        read: () => read(compiled, asking, progress.opened),
        ...(secured === undefined ? {} : { secured }),
      });
    },
  };
  return entrance;
}

async function open(
  exchange: Exchange,
  progress: MessageProgress,
  messages: MessageReader,
  entrance: Entrance,
): Promise<HttpContent> {
  const contentType = exchange.header('content-type');
  if (contentType !== undefined && readContentType(contentType)?.essence === FORM_MEDIA_TYPE)
    return readPostedForm((await messages.text(exchange)) ?? '', exchange.query ?? '');
  const json = isJson(contentType);
  const text = json ? await messages.text(exchange) : undefined;
  if (json) return text === undefined ? { said: {} } : { json: text, said: {} };
  const opened = await messages.open(exchange, entrance, progress);
  if (opened === undefined) return { said: {} };
  progress.opened = opened;
  const request = readIbRequest(opened.root);
  if (request === undefined) return { root: opened.root, said: {} };
  const { data, ...said } = request;
  if (data === undefined) return { said };
  return /^\s*[[{]/.test(data) ? { json: data, said } : { root: readInner(data), said };
}

/** Reads XML that a message contains as text. @throws Fault BAD_BODY */
function readInner(text: string): XmlElement {
  try {
    return readXml(text.trim());
  } catch (error) {
    throw asFault(error);
  }
}

/** The reply of a message that is delivered later is an acknowledgement too. */
const isOneWay = ({ operation, soap }: Compiled): boolean =>
  soap?.form.response.kind === 'none' || finalAnswer(operation).kind === 'queue';

function checkType(type: 'sync' | 'async', compiled: Compiled): void {
  if (type === 'sync' || isOneWay(compiled)) return;
  const reason = `is Async, but ${compiled.operation.id} is answered at once: use Sync`;
  throw Fault.of('BAD_PARAMETER', { name: 'OperationType', reason });
}

function agreed(asked: Asked, { operationName }: Said, routes: Pick<SoapRoutes, 'isNamed'>): Asked {
  if (operationName === undefined || routes.isNamed(asked.compiled, operationName)) return asked;
  const reason = `OperationName is ${quote(operationName)}, but its Body is for ${asked.compiled.soap?.form.name}`;
  throw Fault.of('BAD_REQUEST', { reason });
}

/**
 * GET and HEAD can only call operations that read: a client that follows a link or prefetches must not change anything
 * (RFC 9110 section 9.2.1).
 * @throws Fault METHOD_NOT_ALLOWED
 */
function heldToMethod({ method }: Exchange, asked: Asked): Asked {
  if (method === 'POST') return asked;
  const { operation } = asked.compiled;
  const check = (input?: DocumentValue): void => {
    if (isWrite(operation, input)) throw methodNotAllowed(method, POSTING);
  };
  check();
  const read = (): DocumentValue => {
    const input = asked.read();
    check(input);
    return input;
  };
  return { ...asked, read };
}

/** A GET has no body, so a document without required fields may be absent. */
function withoutBody(content: HttpContent, { soap }: Compiled): HttpContent {
  const isGiven = content.root !== undefined || content.json !== undefined;
  return isGiven || soap?.form.request.kind !== 'document' ? content : { ...content, json: '{}' };
}

function isEnvelope({ local, namespace }: XmlElement): boolean {
  return local === 'Envelope' && Object.values(SOAP_NAMESPACES).includes(namespace);
}
