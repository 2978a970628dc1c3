import fc from 'fast-check';
import { API_KEY, bearerToken, SECURED_PATH, signatureCall, tokenCall } from '../child/schemes.ts';
import { mutated } from './mutate.ts';

const REST = '/gateway/RESTListeningConnector';
const SOAP = '/gateway/PeopleSoftServiceListeningConnector';
const DEMO = `Authorization: Basic ${Buffer.from('demo:demo').toString('base64')}`;

const TARGETS: readonly string[] = [
  `${REST}/LOCAL/Locations.v1/Locations/?region=N`,
  `${REST}/Locations.v1/Locations/N/?location=NYC01`,
  `${REST}/LocationSetup.v1/Locations/N/NYC01`,
  `${REST}/ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR/JSON/NONFILE?isconnectedquery=N&maxrows=10&prompt_uniquepromptname=OPRID&prompt_fieldvalue=VP1&filterfields=OPRID,PRCSNAME&json_resp=true`,
  `${REST}/ExecuteQuery.v1/PUBLIC/DEPARTMENTS/XML/NONFILE?isconnectedquery=Y`,
  `${REST}/ExecuteQuery.v1/PUBLIC/LOCATION_LIST/EXCEL/NONFILE?prompt_uniquepromptname=REGION&prompt_fieldvalue=N`,
  `${REST}/ListQuery.v1/PUBLIC?search=EMP&maxrows=5`,
  `${REST}/QueryFile.v1/00000000-0000-0000-0000-000000000000/x.csv`,
  `${REST}/ProcessRequest.v1/requests?ProcessInstanceFrom=1&RunStatus=Queued`,
  `${REST}/Locations.v1.wadl`,
  `${SOAP}/Locations.v1?wsdl`,
  '/health/ready',
  '/metrics',
  '/',
];

const envelope = (body: string): string =>
  `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${body}</s:Body></s:Envelope>`;
const attachments = (operation: string, fields: string): string =>
  `<${operation} xmlns="urn:signalbox:sample:Attachments.v1">${fields}</${operation}>`;
const ENVELOPES: readonly string[] = [
  envelope('<LOCATIONS_GET xmlns="urn:signalbox:sample:Locations.v1"><REGION>N</REGION></LOCATIONS_GET>'),
  envelope(
    attachments('ATTACHMENT_PUT', '<name>a</name><contentType>text/plain</contentType><content>aGVsbG8=</content>'),
  ),
  envelope(attachments('ATTACHMENT_GET', '<name>a</name>')),
  '<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"><e:Header><x:h xmlns:x="u:x" e:mustUnderstand="0"/></e:Header><e:Body><LOCATIONS_GET xmlns="urn:signalbox:sample:Locations.v1"/></e:Body></e:Envelope>',
];

const INCLUDE = '<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:a"/>';
const PACKAGE = [
  '--b\r\nContent-Type: application/xop+xml; charset=UTF-8; type="text/xml"\r\nContent-ID: <root>\r\n\r\n',
  envelope(attachments('ATTACHMENT_PUT', `<name>a</name><content>${INCLUDE}</content>`)),
  '\r\n--b\r\nContent-Type: text/plain\r\nContent-ID: <a>\r\nContent-Transfer-Encoding: binary\r\n\r\nhello\r\n--b--\r\n',
].join('');

const LOCATION = { REGION: 'N', LOCATION: 'FUZZ', DESCR: 'Fuzz', EFFDT: '2026-01-01', EFF_STATUS: 'A' };
const QUERY = { query: 'FUZZ', prompts: { P: { type: 'string(5)' } }, columns: { N: 'text' }, sql: 'select :P as n' };
const REQUEST = { RunControlId: 'F', ProcessType: 'Application Engine', ProcessName: 'LOCATION_EXTRACT' };

interface Message {
  readonly line: string;
  readonly type: string;
}
const JSON_MESSAGES: readonly (Message & { readonly body: object })[] = [
  { line: `PUT ${REST}/LocationSetup.v1/Locations/N/FUZZ`, type: 'application/json', body: LOCATION },
  {
    line: `PATCH ${REST}/LocationSetup.v1/Locations/N/FUZZ`,
    type: 'application/json',
    body: { DESCR: null, CITY: 'x' },
  },
  { line: `POST ${REST}/QuerySave.v1/`, type: 'application/json', body: QUERY },
  { line: `PATCH ${REST}/ProcessRequest.v1/requests/1`, type: 'application/json', body: { RunStatus: 'Cancelled' } },
  {
    line: `POST ${REST}/ProcessRequest.v1/requests`,
    type: 'application/json',
    body: { ...REQUEST, ProcessName: 'NONE' },
  },
];

/** A request with a valid head, so that its body reaches the body's reader. */
function posted({ line, type }: Message, body: Buffer, credentials: readonly string[] = [DEMO]): Buffer {
  const head = [
    `${line} HTTP/1.1`,
    'Host: x',
    ...credentials,
    `Content-Type: ${type}`,
    'Accept: application/json, text/xml, */*',
  ];
  return Buffer.concat([Buffer.from([...head, `Content-Length: ${body.length}`, '', ''].join('\r\n')), body]);
}

const got = (target: string, authorization = DEMO): string =>
  ['GET ', target, ' HTTP/1.1\r\nHost: x\r\n', authorization, '\r\nConnection: close\r\n\r\n'].join('');

const whole: readonly (string | Buffer)[] = [
  ...TARGETS.map((target) => got(target)),
  ...ENVELOPES.map((xml) => posted({ line: `POST ${SOAP}`, type: 'text/xml; charset=utf-8' }, Buffer.from(xml))),
  ...JSON_MESSAGES.map((message) => posted(message, Buffer.from(JSON.stringify(message.body)))),
  posted(
    { line: `POST ${SOAP}`, type: 'multipart/related; boundary=b; type="application/xop+xml"' },
    Buffer.from(PACKAGE),
  ),
  `POST ${SOAP} HTTP/1.1\r\nHost: x\r\n${DEMO}\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  `OPTIONS ${TARGETS[0]} HTTP/1.1\r\nHost: x\r\nOrigin: http://a.example\r\nAccess-Control-Request-Method: GET\r\n\r\n`,
];

const AUTHORIZATIONS: readonly string[] = [
  DEMO.slice('Authorization: '.length),
  'Basic ZGVtbzo=',
  'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJkZW1vIiwiZXhwIjo5OTk5OTk5OTk5fQ.',
  'Bearer eyJhbGciOiJIUzI1NiIsImtpZCI6Ii4uLy4uL2tleSJ9.eyJzdWIiOiJkZW1vIn0.c2ln',
  'Digest username="demo", realm="signalbox", nonce="x", uri="/", response="0"',
  'Negotiate YIIB',
];

/** Valid tokens, and some that must be refused. */
const JWTS: readonly string[] = [
  bearerToken(),
  bearerToken({ exp: 1 }),
  bearerToken({ aud: ['signalbox', 'b'], scope: ['call'], nbf: -1 }),
  bearerToken({ sub: null, scope: { a: 1 }, iat: '1' }, { crit: ['x'], jku: 'http://127.0.0.1:1/', kid: 7 }),
  ...['none', 'HS256', 'ES384'].map((alg) => bearerToken({}, { alg, typ: 'at+jwt' })),
];

const oneLine = (bytes: Buffer): string => bytes.toString('latin1').replace(/[\r\n\0]/g, ' ');
const soap = { line: `POST ${SOAP}`, type: 'text/xml; charset=utf-8' };
const multipart = {
  line: `POST ${SOAP}`,
  type: 'multipart/related; boundary=b; type="application/xop+xml"; start="<root>"',
};
const anyJson = fc.json({ maxDepth: 5 }).map((text) => Buffer.from(text));

/** The bytes that are sent on one connection, by kind. */
export const KINDS: Readonly<Record<string, fc.Arbitrary<Buffer>>> = {
  http: mutated(whole),
  uri: mutated(TARGETS).map((target) =>
    Buffer.from(got(oneLine(target).replace(/[^\x21-\x7e\x80-\xff]/g, '%20')), 'latin1'),
  ),
  xml: mutated(ENVELOPES).map((body) => posted(soap, body)),
  multipart: mutated([PACKAGE]).map((body) => posted(multipart, body)),
  json: fc
    .constantFrom(...JSON_MESSAGES)
    .chain((message) =>
      fc.oneof(mutated([JSON.stringify(message.body)]), anyJson).map((body) => posted(message, body)),
    ),
  authorization: fc
    .constantFrom(TARGETS[0] as string, SECURED_PATH)
    .chain((target) =>
      mutated([...AUTHORIZATIONS, `Bearer ${JWTS[0]}`]).map((value) =>
        Buffer.from(got(target, `Authorization: ${oneLine(value)}`), 'latin1'),
      ),
    ),
  // Either the JSON inside is changed, or the text of a complete token.
  jwt: fc
    .oneof(
      mutated(JWTS),
      fc.tuple(mutated(JWTS.map(claimsOf)), fc.nat(2)).map(([json, part]) => withPart(json, part)),
    )
    .map((token) => Buffer.from(got(SECURED_PATH, `Authorization: Bearer ${oneLine(token)}`), 'latin1')),
  'api-key': mutated([API_KEY]).map((key) => Buffer.from(got(SECURED_PATH, `X-Api-Key: ${oneLine(key)}`), 'latin1')),
  // Each is valid once, so each is generated anew.
  wsse: fc
    .tuple(fc.boolean(), fc.uint8Array({ minLength: 16, maxLength: 16 }))
    .chain(([isSigned, nonce]) => mutated([isSigned ? signatureCall() : tokenCall(Buffer.from(nonce))]))
    .map((body) => posted(soap, body, [])),
};

function claimsOf(token: string): string {
  return Buffer.from(token.split('.')[1] as string, 'base64url').toString();
}

/** A token in which one part consists of other bytes. */
function withPart(bytes: Buffer, part: number): Buffer {
  return Buffer.from(bearerToken().split('.').with(part, bytes.toString('base64url')).join('.'));
}
