import { writeProblem } from '../binding/rest/rest.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import { readContentType } from '../wire/content-type.ts';
import { soapForm, versionByType } from './connectors/soap.ts';
import { wholeLimit } from './exchange/body.ts';
import type { Exchange, Mounts } from './exchange/exchange.ts';
import { methodNotAllowed } from './exchange/refuse.ts';
import { REPLY_CONNECTOR } from './log/record.ts';
import type { PlainRoutes } from './plain-routes.ts';
import type { ConnectorPorts, Stages } from './stages.ts';

/** The secret in an address for a reply: 32 bytes in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/;

interface ReplyPorts extends Pick<ConnectorPorts, 'services' | 'pace'> {
  readonly registry: Registry;
  readonly stages: Stages;
}

/** Mounts the connector, if a subscription awaits replies. Its callers need no credentials: the address itself is secret. */
export function mountReplies(app: Mounts, ports: ReplyPorts, { plain, tellAllowed }: PlainRoutes): void {
  const { registry, services, stages, pace } = ports;
  const { messages } = services;
  if (!messages.later.expected) return;
  const { context, limits } = registry.gateway;
  const prefix = `/${context}/${REPLY_CONNECTOR}`;
  const limit = wholeLimit(limits);

  const take = async (exchange: Exchange): Promise<Response> => {
    const { method, path, requestId } = exchange;
    if (method === 'OPTIONS') return tellAllowed(exchange, ['POST', 'OPTIONS']);
    if (method !== 'POST') throw methodNotAllowed(method, ['POST', 'OPTIONS']);
    await stages.arrive(exchange);
    const secret = path.slice(prefix.length + 1);
    if (!SECRET.test(secret)) throw Fault.of('NOT_FOUND', { what: 'message that awaits a reply at this address' });
    const received = exchange.body({ ...limit, pace, codings: registry.gateway.requestEncodings });
    if (!received.present) throw Fault.of('BAD_BODY', { reason: 'it is missing' });
    exchange.admitted = true;
    const { contentType } = received;
    const bytes = received.attachment(contentType ?? '').stream();
    await messages.later.take(secret, { contentType, status: statusOf(contentType), bytes, requestId });
    return plain.text(exchange, 202, '', '');
  };

  app.connect(REPLY_CONNECTOR, (exchange) => {
    exchange.route = `${prefix}/{secret}`;
    return stages.inTime(exchange, () =>
      take(exchange).catch((error: unknown) =>
        stages.refuse(exchange, {}, error, (fault) =>
          isXml(exchange)
            ? soapForm(versionByType(exchange), 'alone').fault(fault, undefined)
            : writeProblem(fault, exchange.requestId),
        ),
      ),
    );
  });
}

/** Problem details are the fault of a reply over REST (RFC 9457). */
function statusOf(contentType: string | undefined): number {
  return /^application\/problem\+(?:json|xml)$/.test(essenceOf(contentType)) ? 500 : 200;
}

/** Whether a caller over SOAP should get its faults. */
function isXml(exchange: Exchange): boolean {
  return /^(?:text\/xml|application\/soap\+xml|multipart\/related)$/.test(essenceOf(exchange.header('content-type')));
}

function essenceOf(contentType = ''): string {
  return readContentType(contentType)?.essence ?? '';
}
