import { API_KEY, bearerToken, SECURED_PATH, signatureCall, tokenCall } from '../child/schemes.ts';
import type { Random } from '../fleet/random.ts';
import type { Answer, Client } from './client.ts';

const REST = '/gateway/RESTListeningConnector';
const SOAP = '/gateway/PeopleSoftServiceListeningConnector';
const XML = 'text/xml; charset=utf-8';
const JSON_TYPE = 'application/json';

/** One action of a client, with a check of the answer. @throws Error for a wrong answer */
type Work = (client: Client, random: Random, name: string) => Promise<void>;

function must(answer: Answer, status: number, words: string): Answer {
  if (answer.status === status && answer.text.includes(words)) return answer;
  throw new Error(
    `expected ${status} and ${JSON.stringify(words)}, got ${answer.status}: ${answer.text.slice(0, 300)}`,
  );
}

const envelope = (body: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${body}</s:Body></s:Envelope>`;
const attachment = (operation: string, fields: string): string =>
  envelope(`<${operation} xmlns="urn:signalbox:sample:Attachments.v1">${fields}</${operation}>`);

const lookup: Work = async (client) => {
  must(await client.ask({ path: `${REST}/Locations.v1/Locations/?region=N` }), 200, 'NYC01');
};

const storedQuery: Work = async (client) => {
  const path = `${REST}/ExecuteQuery.v1/PUBLIC/EMPLOYEES_BY_DEPT/JSON/NONFILE?json_resp=true&prompt_uniquepromptname=DEPTNAME&prompt_fieldvalue=NONE`;
  must(await client.ask({ path }), 200, '"rows"');
};

const soapCall: Work = async (client) => {
  const body = envelope('<LOCATIONS_GET xmlns="urn:signalbox:sample:Locations.v1"><REGION>N</REGION></LOCATIONS_GET>');
  must(await client.ask({ method: 'POST', path: SOAP, type: XML, body }), 200, 'NYC01');
};

/** Each client has its own name, and reads what it has written. */
const mtom: Work = async (client, random, name) => {
  const content = `content ${random.between(1, 1e9)} `.repeat(random.between(1, 2_000));
  const include = '<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:a"/>';
  const xml = attachment('ATTACHMENT_PUT', `<name>${name}</name><content>${include}</content>`);
  const root = 'Content-Type: application/xop+xml; charset=UTF-8; type="text/xml"\r\nContent-ID: <root>';
  const part = 'Content-Type: text/plain\r\nContent-ID: <a>\r\nContent-Transfer-Encoding: binary';
  const body = `--b\r\n${root}\r\n\r\n${xml}\r\n--b\r\n${part}\r\n\r\n${content}\r\n--b--\r\n`;
  const type = 'multipart/related; boundary=b; type="application/xop+xml"; start="<root>"; start-info="text/xml"';
  must(await client.ask({ method: 'POST', path: SOAP, type, body }), 200, `<length>${content.length}</length>`);
  const got = attachment('ATTACHMENT_GET', `<name>${name}</name>`);
  must(
    await client.ask({ method: 'POST', path: SOAP, type: XML, body: got }),
    200,
    Buffer.from(content).toString('base64'),
  );
};

const polledQuery: Work = async (client) => {
  const { text } = must(
    await client.ask({ path: `${REST}/ExecuteQueryPoll.v1/PUBLIC/DEPARTMENTS/JSON/NONFILE?json_resp=true` }),
    200,
    'QueryInstance',
  );
  const instance = JSON.parse(text).QueryInstance as string;
  const limit = performance.now() + 30_000;
  for (;;) {
    const status = must(
      await client.ask({ path: `${REST}/QueryStatus.v1/getstatus?instanceid=${instance}&json_resp=true` }),
      200,
      'status',
    );
    if (status.text.includes('"success"')) break;
    if (performance.now() > limit || !/"(queued|running|posting)"/.test(status.text))
      throw new Error(`a run ended with ${status.text}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  must(
    await client.ask({
      path: `${REST}/QueryResults.v1/getresults?instanceid=${instance}&blocknumber=1&json_resp=true`,
    }),
    200,
    '"rows"',
  );
};

const process: Work = async (client, _, name) => {
  const body = JSON.stringify({
    RunControlId: name,
    ProcessType: 'Application Engine',
    ProcessName: 'LOCATION_EXTRACT',
  });
  const { text } = must(
    await client.ask({ method: 'POST', path: `${REST}/ProcessRequest.v1/requests`, type: JSON_TYPE, body }),
    201,
    'ProcessInstance',
  );
  must(
    await client.ask({ path: `${REST}/ProcessRequest.v1/requests/${JSON.parse(text).ProcessInstance}` }),
    200,
    'LOCATION_EXTRACT',
  );
};

const save: Work = async (client, random, name) => {
  const path = `${REST}/LocationSetup.v1/Locations/S/${name}`;
  const record = { REGION: 'S', LOCATION: name, DESCR: `Soak ${random.between(1, 1e9)}`, EFFDT: '2026-01-01' };
  const { status, text } = await client.ask({ method: 'PUT', path, type: JSON_TYPE, body: JSON.stringify(record) });
  if (status !== 200 && status !== 201) throw new Error(`${status}: ${text.slice(0, 300)}`);
  must(await client.ask({ path }), 200, record.DESCR);
};

const bearer: Work = async (client, random) => {
  // Half of the calls use the same token, which is remembered; the others use new ones.
  const token = random.between(0, 1) === 0 ? TOKEN : bearerToken();
  must(await client.ask({ path: SECURED_PATH, credentials: { authorization: `Bearer ${token}` } }), 200, 'NYC01');
};
const TOKEN = bearerToken();

const apiKey: Work = async (client) => {
  must(await client.ask({ path: SECURED_PATH, credentials: { 'x-api-key': API_KEY } }), 200, 'NYC01');
};

const secured: Work = async (client, random) => {
  const body = random.between(0, 1) === 0 ? tokenCall() : signatureCall();
  const asked = { method: 'POST', path: SOAP, type: XML, body, credentials: {} };
  must(await client.ask(asked), 200, 'NYC01');
  must(await client.ask(asked), 401, 'UNAUTHENTICATED');
};

/** The actions of clients; one that is listed several times is chosen accordingly often. */
export const WORK: readonly (readonly [string, Work])[] = [
  ...Array.from({ length: 8 }, () => ['lookup', lookup] as const),
  ...Array.from({ length: 4 }, () => ['stored query', storedQuery] as const),
  ...Array.from({ length: 4 }, () => ['SOAP', soapCall] as const),
  ...Array.from({ length: 2 }, () => ['attachment', mtom] as const),
  ['polled query', polledQuery],
  ['process', process],
  ...Array.from({ length: 2 }, () => ['save', save] as const),
  ['bearer', bearer],
  ['api-key', apiKey],
  ['WS-Security', secured],
];
