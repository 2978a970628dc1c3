// The partner of partner.ts with the package `soap`. PARTNER_WSDL names the WSDL. Below /1.1 it speaks SOAP 1.1, below /1.2 SOAP
// 1.2, since it answers in one version, whatever it is asked in.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen } from 'soap';

/** Orders as the package reads them. */
interface Order {
  readonly attributes: object;
  readonly CUSTOMER?: object;
  readonly PLACED?: Date;
  readonly SHIPPED?: Date;
}

/** It writes null as `xsi:nil` without saying what xsi is. */
const NIL = { attributes: { 'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance', 'xsi:nil': 'true' } };

function orderSend(order: Order, _callback: unknown, _header: unknown, { headers }: IncomingMessage): object {
  const { attributes, CUSTOMER, PLACED, SHIPPED, ...rest } = order;
  const head = [headers['content-type'], headers.soapaction, headers['content-encoding']];
  return {
    HEAD: head.map((value) => value ?? '').join('\n'),
    SEEN: JSON.stringify(order),
    BACK: { attributes, CUSTOMER, PLACED: PLACED?.toISOString().slice(0, 10), SHIPPED: NIL, ...rest },
  };
}

let note = '';
function noteSend({ TEXT }: { readonly TEXT: string }): void {
  note = TEXT;
}

interface Trouble {
  readonly CODE: 'Client' | 'Server';
}
const REASON = 'Ärger ]]> & <mehr>';
const detailOf = (CODE: string): object => ({
  $xml: `<p:ORDER_FAULT xmlns:p="urn:test:Partner.v1"><p:CODE>${CODE}</p:CODE><p:TEXT>Grüße &amp; &lt;mehr></p:TEXT><p:LINES><p:item>1</p:item><p:item>2</p:item></p:LINES></p:ORDER_FAULT>`,
});

const troubles = {
  /** Without a status of its own, it is sent with 200. */
  '1.1'({ CODE }: Trouble): never {
    throw { Fault: { faultcode: `soap:${CODE}`, faultstring: REASON, detail: detailOf(CODE) } };
  },
  '1.2'({ CODE }: Trouble): never {
    const Code = { Value: CODE === 'Client' ? 'soap:Sender' : 'soap:Receiver', Subcode: { Value: 'Order' } };
    throw { Fault: { Code, Reason: { Text: REASON }, Detail: detailOf(CODE), statusCode: 500 } };
  },
};

const server = createServer((_, response) => response.writeHead(404).end());
const wsdl = readFileSync(String(process.env.PARTNER_WSDL), 'utf8');
const credential = `Basic ${Buffer.from('partner:hush').toString('base64')}`;
for (const version of ['1.1', '1.2'] as const) {
  const operations = {
    ORDER_SEND: orderSend,
    PACKED_SEND: orderSend,
    NOTE_SEND: noteSend,
    NOTE_GET: () => ({ TEXT: note }),
    TROUBLE: troubles[version],
  };
  const service = listen(server, {
    path: `/${version}`,
    services: { PartnerService: { PartnerSoap11Port: operations, PartnerSoap12Port: operations } },
    xml: wsdl,
    forceSoap12Headers: version === '1.2',
    oneWay: { responseCode: 202 },
    suppressStack: true,
  });
  service.authorizeConnection = ({ headers }, response) => {
    if (headers.authorization === credential) return true;
    response?.writeHead(401, { 'WWW-Authenticate': 'Basic realm="partner"', 'Content-Type': 'text/html' });
    response?.write('Wer da?');
    return false;
  };
}
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
