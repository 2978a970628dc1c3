import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileSoap } from '../../../../src/binding/soap/soap.ts';
import { createClient } from '../../../../src/invoke/index.ts';
import { standInVariable } from '../../../../src/invoke/stand-in.ts';
import type { SoapConsumer } from '../../../../src/model/consumer.ts';
import type { Registry } from '../../../../src/model/registry.ts';
import type { DocumentValue } from '../../../../src/model/value.ts';
import { createSpool } from '../../../../src/store/index.ts';
import { readXml } from '../../../../src/wire/xml/read-xml.ts';
import type { MessageXml } from './requests.ts';

/** A partner's server: it keeps the latest request and answers with an envelope. */
export interface Partner {
  readonly address: string;
  readonly sent: { headers: IncomingHttpHeaders; body: string };
  reply: string;
  close(): void;
}

export async function startPartner(): Promise<Partner> {
  const sent = { headers: {}, body: '' };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    Object.assign(sent, { headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(200, {
      'content-type': request.headers['content-type']?.replace(/;\s*action=.*/, '') ?? 'text/xml',
    });
    response.end(partner.reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const partner: Partner = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ...{ sent, reply: '' },
    close: () => void server.close().closeAllConnections(),
  };
  return partner;
}

const ENVELOPES = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};

/** An envelope of a message. */
export function envelopeOf({ body, headers }: MessageXml, version: '1.1' | '1.2'): string {
  const blocks = Object.values(headers).join('');
  const head = blocks === '' ? '' : `<e:Header>${blocks}</e:Header>`;
  return `<e:Envelope xmlns:e="${ENVELOPES[version]}">${head}<e:Body>${body ?? ''}</e:Body></e:Envelope>`;
}

/** The value of a request, read as the called system reads it. @throws Fault */
export function readValue(registry: Registry, consumer: SoapConsumer, { body, headers }: MessageXml): DocumentValue {
  const soap = compileSoap(consumer, registry.gateway.namespace);
  const blocks = Object.values(headers).map((each) => readXml(each));
  return soap.readRequest(body === null ? undefined : readXml(body), undefined, { blocks });
}

/** Calls a partner. @returns the reply as it would be written again, as an envelope @throws InvokeError */
export async function callPartner(
  registry: Registry,
  consumer: SoapConsumer,
  input: DocumentValue,
  { address }: Partner,
): Promise<string> {
  const env = { [standInVariable(consumer.target.id)]: address };
  const client = createClient(registry, { env, spool: createSpool({ folder: join(tmpdir(), 'signalbox-messages') }) });
  try {
    const { value } = await client.call(consumer, input, {});
    const soap = compileSoap(consumer, registry.gateway.namespace);
    if (consumer.soap.response.kind === 'none') return '';
    const body = soap
      .writeReply(value)
      .map((piece) => (typeof piece === 'string' ? piece : ''))
      .join('');
    return envelopeOf({ body, headers: { all: soap.writeReplyHeaders(value) } }, '1.1');
  } finally {
    await client.close();
  }
}

/** The namespace of an envelope tells its version. */
export function versionOf(envelope: string): '1.1' | '1.2' {
  return readXml(envelope).namespace === ENVELOPES['1.2'] ? '1.2' : '1.1';
}
