import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWsdl } from '../../../src/describe/index.ts';
import { type Client, createClient } from '../../../src/invoke/index.ts';
import { loadProject, renderDiagnostics } from '../../../src/load/index.ts';
import type { Registry } from '../../../src/model/registry.ts';
import { createSpool } from '../../../src/store/file/spool.ts';
import type { SoapVersion } from '../../../src/wire/soap/version.ts';
import { freePort } from '../../support/free-port.ts';
import { type TestProject, writeProject } from '../../support/project.ts';
import { type StartedServer, startServer } from './start.ts';

/** What the partner's service says at one of its ends beside what it says at both. */
interface End {
  readonly service: string;
  /** Behind PACKED_SEND. */
  readonly properties: string;
  readonly operations: string;
}

/** The partner's own. */
const offering: End = { service: '', properties: '', operations: '' };

/** Ours, with operations that the partner does not know. */
const calling = (contentType: string): End => ({
  service: `target: PARTNER\nheaders: { Content-Type: ${contentType} }`,
  properties: ', properties: { sendUncompressed: N }',
  operations: `  UNKNOWN_SEND: { soap: true, request: ORDER, response: ORDER }
  ENVELOPE_SEND:
    soap: true
    request: xml
    response: xml
    headers: { SOAPAction: '"ORDER_SEND.v1"' }
    properties: { SOAPUpContent: N }`,
});

const service = (end: End): string => `service: Partner.v1
public: true
fault: ORDER_FAULT
${end.service}
operations:
  ORDER_SEND: { soap: true, request: ORDER, response: ORDER_REPLY }
  PACKED_SEND: { soap: true, request: ORDER, response: ORDER_REPLY${end.properties} }
  NOTE_SEND: { soap: true, request: { fields: { TEXT: { type: text, required: true } } } }
  NOTE_GET: { soap: true, response: { fields: { TEXT: text } } }
  TROUBLE: { soap: true, request: { fields: { CODE: string } }, response: { fields: { TEXT: text } } }
${end.operations}
---
document: ORDER
fields:
  ID: { type: integer, attribute: true, required: true }
  CUSTOMER:
    fields:
      NAME: { type: string(60), required: true }
      ADDRESS: { fields: { CITY: string, COUNTRY: { type: string(2), attribute: true } } }
  PLACED: date
  SHIPPED: datetime
  EXPRESS: boolean
  TOTAL: decimal(12.2)
  NOTE: { type: text, xml: Note }
  CHECKSUM: binary
  LINES: list of ORDER_LINE
  CODES: { type: list of string, flat: true }
---
document: ORDER_LINE
xml: line
fields: { SKU: { type: string, attribute: true, required: true }, QUANTITY: integer, PRICE: decimal(10.3) }
---
document: ORDER_REPLY
description: What the partner saw of the request, head and order, and the order as it has it.
fields: { HEAD: text, SEEN: text, BACK: ORDER }
---
document: ORDER_FAULT
fields:
  CODE: { type: string, default: "{fault.code}" }
  TEXT: { type: text, default: "{fault.message}" }
  LINES: list of integer
`;

const nodes = `node: PARTNER
base: \${env:PARTNER_URL}
credential: { basic: { user: partner, password: "\${secret:PARTNER_PASSWORD}" } }
`;

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Starts PHP's SoapServer with a WSDL, behind PHP's own web server. */
export async function startPhp(wsdl: string): Promise<StartedServer> {
  const address = `127.0.0.1:${await freePort()}`;
  return startServer(['php', '-S', address, script('soap-server.php')], { PARTNER_WSDL: wsdl });
}

/** Starts the server of the package `soap` with a WSDL. */
export function startNodeSoap(wsdl: string): Promise<StartedServer> {
  return startServer([process.execPath, script('node-soap.ts')], { PARTNER_WSDL: wsdl });
}

/** A partner that runs, and clients of ours for it. */
export interface Partner {
  readonly clients: Readonly<Record<SoapVersion, Client>>;
  stop(): Promise<void>;
}

/** Starts a partner with the WSDL of its own definitions; those of the clients have the same documents. */
export async function startPartner(start: (wsdl: string) => Promise<StartedServer>): Promise<Partner> {
  const provider = writeProject({ 'definitions/partner.yaml': service(offering) });
  const wsdl = join(provider.root, 'partner.wsdl');
  const registry = registryOf(provider);
  writeFileSync(wsdl, describeWsdl(registry, registry.services.get('Partner.v1')!, { base: 'http://partner.test' }));
  const server = await start(wsdl);
  const ends = [client(server, '1.1', 'text/xml'), client(server, '1.2', 'application/soap+xml')] as const;
  return {
    clients: { '1.1': ends[0].client, '1.2': ends[1].client },
    async stop() {
      await Promise.all(ends.map((end) => end.client.close()));
      await server.stop();
      for (const project of [provider, ...ends.map((end) => end.project)]) project.remove();
    },
  };
}

function client(
  { url }: StartedServer,
  version: SoapVersion,
  contentType: string,
): { readonly client: Client; readonly project: TestProject } {
  const project = writeProject({
    'definitions/partner.yaml': service(calling(contentType)),
    'definitions/nodes.yaml': nodes,
  });
  const env = { PARTNER_URL: `${url}/${version}`, PARTNER_PASSWORD: 'hush' };
  const spool = createSpool({ folder: join(project.root, 'spool') });
  return { client: createClient(registryOf(project), { env, spool }), project };
}

/** The registry of a project, with handlers or without. */
export function registryOf({ root }: Pick<TestProject, 'root'>): Registry {
  const loaded = loadProject({ root, handlers: 'ignore-missing' });
  if (loaded.registry !== undefined) return loaded.registry;
  throw new Error(renderDiagnostics(loaded, { colour: false }));
}
