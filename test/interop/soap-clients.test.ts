import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { childrenOf, textOf, type XmlElement } from '../../src/wire/xml/tree.ts';
import { eventually } from '../support/project.ts';
import type { SampleCopy } from '../support/sample.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { soapSample } from './soap-project.ts';
import { messageSchema } from './soap-schema.ts';
import {
  type Answer,
  type Calls,
  demoSession,
  nodeSoap,
  php,
  runSessions,
  type Session,
  type SessionResult,
  type SoapClient,
  zeep,
} from './soap-support.ts';
import { type Served, serve } from './support.ts';

let gateway: Served;
let project: SampleCopy;
beforeAll(async () => {
  project = await soapSample();
  gateway = await serve(project.root);
});
afterAll(async () => {
  await gateway?.stop();
  project?.remove();
});

const TEXT = 'Grüße, 日本 & <b>fett</b> ]]> "so" 🚂';
const XML = ['<a xmlns="urn:a">x &amp; y</a>', '<b xmlns="urn:b"/>'];

/** Contents by the names that they are kept under. */
const contents = {
  'every byte.bin': Buffer.from(Array.from({ length: 1024 }, (_, index) => index & 0xff)),
  'empty.txt': Buffer.alloc(0),
  'Grüße ]]> & <b>.bin': Buffer.from('Zeile 1\r\n--Zeile 2\n'),
  'large.bin': randomBytes(5 * 1024 * 1024),
};

const base64 = (bytes: Buffer): { base64: string } => ({ base64: bytes.toString('base64') });
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function attachmentCalls(): Calls {
  const calls = Object.entries(contents).flatMap(([name, content]) => {
    const contentType = 'application/x-test; a="b c"';
    return [
      [`put ${name}`, { operation: 'ATTACHMENT_PUT', argument: { name, contentType, content: base64(content) } }],
      [`get ${name}`, { operation: 'ATTACHMENT_GET', argument: { name } }],
    ];
  });
  return {
    ...Object.fromEntries(calls),
    unknown: { operation: 'ATTACHMENT_GET', argument: { name: 'nothing & <nobody>' } },
    'too long': { operation: 'ATTACHMENT_PUT', argument: { name: 'n'.repeat(256), content: base64(Buffer.from('x')) } },
  };
}

const shipment = {
  attributes: { ID: 7 },
  PRICE: '12345678.90',
  ACTIVE: false,
  MARK: 'Y',
  DAY: '2026-02-28',
  AT: '23:59:58',
  MOMENT: '2026-02-28T23:59:58+01:00',
  KEY: '0f8fad5b-d9cb-469f-a165-70867728950e',
  LINK: 'https://example.com/a%20b?c=d&e#f',
  BYTES: base64(Buffer.from([0, 1, 254, 255])),
  Note: TEXT,
  PLACE: { CITY: 'Köln', LATITUDE: '50.937500' },
  TAGS: { tag: [tag('a"<', 1), tag('b', -2)] },
  ROWS: [tag('c', 3), tag('d', 4)],
  NUMBERS: { item: [1, -2, 9007199254740991] },
};
function tag(KEY: string, VALUE: number): object {
  return { attributes: { KEY }, VALUE };
}

const exchangeCalls: Calls = {
  shipment: { operation: 'SHIPMENT_ECHO', argument: shipment },
  text: { operation: 'TEXT_ECHO', argument: { content: TEXT } },
  xml: { operation: 'XML_ECHO', argument: { any: XML } },
  note: { operation: 'NOTE_GET', argument: {} },
  department: { operation: 'DEPARTMENT_GET', argument: { DEPTNAME: 'FINANCE' } },
  'trouble of the caller': { operation: 'TROUBLE', argument: { STATUS: 409 } },
  'trouble of the gateway': { operation: 'TROUBLE', argument: { STATUS: 500 } },
};

const bytesCall: Calls[string] = {
  operation: 'BYTES_ECHO',
  argument: { content: base64(contents['every byte.bin']) },
};

const locationCalls: Calls = {
  region: { operation: 'LOCATIONS_GET', argument: { REGION: 'N' } },
  location: { operation: 'LOCATIONS_GET', argument: { REGION: 'N', LOCATION: 'NYC01' } },
  nowhere: { operation: 'LOCATIONS_GET', argument: { REGION: 'NN' } },
};

/** The text of a note, another for each client. */
const noteOf = (client: SoapClient, version: Session['version']): string => `${TEXT} ${client.name} ${version}`;

function sessionsOf(client: SoapClient, version: Session['version']) {
  const session = (service: string, calls: Calls): Session => demoSession(gateway, service, version, calls);
  const attachments = attachmentCalls();
  const { 'put every byte.bin': put, 'get every byte.bin': get, unknown } = attachments;
  const { region } = locationCalls as { region: Calls[string] };
  const sent = { 'note, one way': { operation: 'NOTE_SEND', argument: { TEXT: noteOf(client, version) } } };
  return {
    attachments: session('Attachments.v1', attachments),
    // Without the large ones.
    traced: { ...session('Attachments.v1', { put, get, unknown } as Calls), trace: true },
    exchange: { ...session('Exchange.v1', { ...sent, ...exchangeCalls }), binary: ['BYTES'], trace: true },
    bytes: session('Exchange.v1', { bytes: bytesCall }),
    locations: { ...session('Locations.v1', locationCalls), trace: true },
    stranger: { ...session('Locations.v1', { region }), password: 'wrong' },
    guest: { ...session('Locations.v1', { region }), user: 'guest', password: 'guest' },
  };
}

/** How a client shows what it is given, where that is not the same in all of them. */
interface Ways {
  readonly client: SoapClient;
  /** A reply with one field is that field. */
  readonly unwraps?: true;
  readonly shipment?: object;
}

const ways: readonly Ways[] = [
  { client: php },
  { client: zeep, unwraps: true },
  {
    client: nodeSoap,
    // Its decimals are numbers, its days and moments are dates, its attributes are texts.
    shipment: {
      ID: '7',
      PRICE: 12345678.9,
      DAY: '2026-02-28T00:00:00.000Z',
      MOMENT: '2026-02-28T22:59:58.000Z',
      PLACE: { CITY: 'Köln', LATITUDE: 50.9375 },
    },
  },
];

/** What NOTE_GET answers. */
async function keptNote(): Promise<string | undefined> {
  const asked = '<NOTE_GET xmlns="urn:signalbox:sample:Exchange.v1"/>';
  const reply = await fetch(`${gateway.address}/gateway/PeopleSoftServiceListeningConnector`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml', authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` },
    body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${asked}</s:Body></s:Envelope>`,
  });
  const [body] = childrenOf(readXml(await reply.text()));
  const [note] = childrenOf(childrenOf(body as XmlElement)[0] as XmlElement);
  return note === undefined ? undefined : textOf(note);
}

const versions = ['1.1', '1.2'] as const;
const CODES = {
  '1.1': { caller: 'soap:Client', gateway: 'soap:Server' },
  '1.2': { caller: 'env:Sender', gateway: 'env:Receiver' },
};
const combinations = ways.flatMap((way) => versions.map((version) => ({ ...way, version, name: way.client.name })));

describe.each(combinations)('$name, SOAP $version (needs $client.needs)', (combination) => {
  const { client, version, unwraps } = combination;
  let results: Readonly<Record<keyof ReturnType<typeof sessionsOf>, SessionResult>>;
  beforeAll(async () => {
    if (client.isHere) results = await runSessions(client, sessionsOf(client, version));
  });
  const itWhere = (possible: boolean) => test.skipIf(!client.isHere || !possible);
  const it = itWhere(true);
  const answer = (session: keyof typeof results, call: string): Answer => results[session].answers[call] as Answer;
  const only = (field: string, value: unknown): unknown => (unwraps ? value : { [field]: value });

  it('finds every operation in the WSDL', () => {
    const found = (session: keyof typeof results): Set<string> => new Set(results[session].operations);
    expect(found('attachments')).toEqual(new Set(['ATTACHMENT_PUT', 'ATTACHMENT_GET']));
    expect(found('exchange')).toEqual(
      new Set(['BYTES_ECHO', 'NOTE_SEND', ...Object.values(exchangeCalls).map(({ operation }) => operation)]),
    );
    expect(found('locations')).toContain('LOCATIONS_GET');
  });

  it.each(Object.entries(contents))('puts %s and gets the same bytes', (name, content) => {
    const put = answer('attachments', `put ${name}`);
    expect(put).toEqual({ reply: { name, length: content.length, sha256: sha256(content) } });
    const got = answer('attachments', `get ${name}`).reply;
    expect(got).toMatchObject({ name, contentType: 'application/x-test; a="b c"' });
    const bytes = Buffer.from(got.content?.base64 ?? '', 'base64');
    expect(bytes.equals(content)).toBe(true);
  });

  it('catches faults as its own, with the fault document in the detail', () => {
    const message = 'There is no attachment nothing & <nobody>.';
    const { caller: code, gateway: ours } = CODES[version];
    expect(answer('attachments', 'unknown')).toEqual({
      fault: { code, reason: message, detail: { ATTACHMENT_FAULT: { message } } },
    });
    const { fault } = answer('attachments', 'too long');
    expect(fault).toEqual({ code, reason: fault?.reason, detail: { ATTACHMENT_FAULT: { message: fault?.reason } } });
    expect(fault?.reason).toMatch(/^name .*255/);
    expect(answer('locations', 'nowhere').fault).toMatchObject({
      code,
      detail: { LOC_FAULT: { MESSAGE: expect.stringContaining('REGION') } },
    });
    expect(statusOf(answer('exchange', 'trouble of the caller'))).toEqual([code, TROUBLE, 409, TROUBLE]);
    const untold = 'TROUBLE failed because of an internal error.';
    expect(statusOf(answer('exchange', 'trouble of the gateway'))).toEqual([ours, untold, 500, untold]);
  });

  it('is told what is wrong with its credentials', () => {
    const { caller: code } = CODES[version];
    const wrong = answer('stranger', 'region').fault;
    expect(wrong).toMatchObject({ code, reason: 'Credentials are missing or wrong.' });
    expect(JSON.stringify(wrong?.detail)).toContain('UNAUTHENTICATED');
    const reason = 'User guest may not use operation LOCATIONS_GET.';
    expect(answer('guest', 'region').fault).toEqual({ code, reason, detail: { LOC_FAULT: { MESSAGE: reason } } });
  });

  it('gets back a field of each type', () => {
    const { attributes, TAGS, ROWS, ...fields } = shipment;
    expect(answer('exchange', 'shipment').reply).toEqual({
      ...attributes,
      ...fields,
      STATE: 'NEW',
      TAGS: {
        tag: [
          { KEY: 'a"<', VALUE: 1 },
          { KEY: 'b', VALUE: -2 },
        ],
      },
      ROWS: [
        { KEY: 'c', VALUE: 3 },
        { KEY: 'd', VALUE: 4 },
      ],
      ...combination.shipment,
    });
  });

  it('calls operations whose messages are a text or XML', () => {
    expect(answer('exchange', 'text').reply).toEqual(only('content', TEXT));
    expect(answer('bytes', 'bytes').reply).toEqual(only('content', base64(contents['every byte.bin'])));
    const { reply, received } = answer('exchange', 'xml');
    expect(received).toContain(`>${XML.join('')}</`);
    expect(JSON.stringify(reply)).toContain('x &');
  });

  it('sends one way, and there it is', async () => {
    expect(answer('exchange', 'note, one way').reply).toBeNull();
    // PHP goes on without waiting for the reply, which has nothing to say.
    const wanted = noteOf(client, version);
    await eventually('the note', async () => ((await keptNote()) === wanted ? true : undefined));
  });

  it('gets the rows of a stored query', () => {
    const { reply } = answer('exchange', 'department');
    const rows = unwraps ? reply : reply.rows.row;
    expect(rows.map(({ NAME }: { NAME: string }) => NAME)).toContain('Jürgen Groß');
    expect(rows[0]).toEqual(
      Object.fromEntries(
        ['NAME', 'TITLE', 'LOCATION', 'EMAIL_ADDR', 'PHONE'].map((name) => [name, expect.stringMatching(/./)]),
      ),
    );
  });

  it("calls the sample's lookup", () => {
    const { LOC_DATA } = answer('locations', 'region').reply;
    expect(LOC_DATA.LOC_DTL_VW.map(({ LOCATION }: { LOCATION: string }) => LOCATION)).toContain('NYC01');
    const { EMP_DATA } = answer('locations', 'location').reply;
    expect(EMP_DATA.EE_LIST_VW.map(({ NAME }: { NAME: string }) => NAME)).toContain('Priya Raman');
  });

  itWhere(hasXmllint)('sends and gets what the schemas of the WSDL allow (needs xmllint)', async () => {
    for (const session of ['traced', 'exchange', 'locations'] as const) {
      const { nowhere, ...valid } = results[session].answers;
      const schema = messageSchema(version, await (await fetch(sessionsOf(client, version)[session].wsdl)).text());
      const messages = Object.values(valid).flatMap(({ sent, received }) => [sent, received]);
      expect(validateXml(schema, messages.filter(isGiven)), session).toBe('');
      if (nowhere === undefined) continue;
      expect(validateXml(schema, [nowhere.received ?? ''])).toBe('');
      expect(validateXml(schema, [nowhere.sent ?? ''])).toMatch(/REGION.*maxLength/s);
    }
  });
});

const isGiven = (message: string | undefined): message is string => message !== undefined && message !== '';

const TROUBLE = 'Ärger & <mehr> ]]> "so"';

function statusOf({ fault }: Answer): unknown[] {
  const { STATUS, TEXT: text } = (fault?.detail as { EXCHANGE_FAULT: { STATUS: string; TEXT: string } }).EXCHANGE_FAULT;
  return [fault?.code, fault?.reason, Number(STATUS), text];
}
