import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openClient } from '../../src/client/client.ts';
import { describeContract } from '../../src/describe/index.ts';
import { registryFile } from '../../src/generate/registry-file.ts';
import { typesFile } from '../../src/generate/types-file.ts';
import { vocabulary } from '../../src/generate/vocabulary.ts';
import { loadTexts, registryOf } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { startTestGateway } from '../support/gateway.ts';
import { writeProject } from '../support/project.ts';
import { CONTRACTS } from './assumed-contracts.ts';
import { declaredOf, errorsOf, yamlOf } from './support.ts';

// What a contract assumes about a field that is not given is never sent, and never returned.

interface Recorded {
  /** Method, target, and the headers that concern the caller. */
  readonly head: string;
  readonly contentType: string;
  readonly body: string;
}

/** A partner that records what it gets, and answers with one text. */
async function partner(reply = '{"id":"1"}', contentType = 'application/json') {
  const recorded: Recorded[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const own = Object.entries(request.headers).filter(([name]) => /^x-(?!request-id)/.test(name));
      const words = own.map(([name, value]) => `; ${name}: ${String(value)}`);
      recorded.push({
        head: `${request.method} ${request.url}${words.join('')}`,
        contentType: request.headers['content-type'] ?? '',
        body: Buffer.concat(chunks).toString(),
      });
      response.writeHead(200, { 'content-type': contentType }).end(reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, recorded };
}

type Contract = keyof typeof CONTRACTS;

async function definitionsOf(name: Contract, as: 'consumer' | 'provider'): Promise<Record<string, string>> {
  const { declared } = await declaredOf({ [name]: CONTRACTS[name] }, { as });
  expect(errorsOf(declared)).toEqual([]);
  return Object.fromEntries(Object.entries(yamlOf(declared)).map(([file, text]) => [`definitions/${file}.yaml`, text]));
}

/** Calls an operation of an imported contract. */
async function called(name: Contract, operation: string, input: DocumentValue, reply?: readonly [string, string]) {
  const { url, recorded } = await partner(...(reply ?? []));
  const project = writeProject(await definitionsOf(name, 'consumer'));
  onTestFinished(() => project.remove());
  const client = await openClient({ folder: project.root, env: { PARTNER_URL: url } });
  onTestFinished(() => client.close());
  const { value } = (await client.call(operation, input)) as { readonly value: unknown };
  const prepared = client.preview(operation, input);
  expect(recorded.length).toBe(1);
  return { ...(recorded[0] as Recorded), value, prepared };
}

describe('a call of an imported contract', () => {
  test('sends the members, parameters and headers that were given, and no others', async () => {
    const { head, body, value } = await called('stores.yaml', 'updateStore', { id: '1', label: 'North' });
    expect([head, body]).toEqual(['PATCH /stores/1', '{"label":"North"}']);
    expect(value).toEqual({ id: '1' });
    const all = { id: '1', notify: true, X_Mode: 'test', label: 'N', private: false, kind: 'shop', tone: 'A' };
    const given = await called('stores.yaml', 'updateStore', all);
    expect(given.head).toBe('PATCH /stores/1?notify=true; x-mode: test');
    expect(given.body).toBe('{"label":"N","private":false,"kind":"shop","tone":"A"}');
  });

  test('shows in a dry run what it sends', async () => {
    const { prepared } = await called('stores.yaml', 'updateStore', { id: '1', label: 'North' });
    expect(JSON.stringify(prepared)).toContain('{\\"label\\":\\"North\\"}');
    expect(JSON.stringify(prepared)).not.toMatch(/private|notify|x-mode|kind/i);
  });

  test('sends the only value of what the contract requires, which nobody could give another', async () => {
    const { body } = await called('stores.yaml', 'addSale', { amount: 5 });
    expect(body).toBe('{"amount":5,"channel":"web"}');
  });

  test('takes only the value that there is for an optional field', async () => {
    const refused = called('stores.yaml', 'addSale', { amount: 5, dryRun: false });
    await expect(refused).rejects.toThrow('dryRun is "false", not one of true');
    expect((await called('stores.yaml', 'addSale', { amount: 5, dryRun: true })).body).toContain('"dryRun":true');
  });

  test.each([
    ['urlencoded', 'name=Bolt'],
    ['multipart', /^--\S+\r\nContent-Disposition: form-data; name="name"\r\n\r\nBolt\r\n--\S+--\r\n$/],
  ] as const)('sends the fields of a form that were given: %s', async (form, expected) => {
    const { body } = await called('stores.yaml', `rename_${form}`, { id: '1', name: 'Bolt' });
    if (typeof expected === 'string') expect(body).toBe(expected);
    else expect(body).toMatch(expected);
  });

  test('sends the parameters of WADL and of OpenAPI 2 that were given', async () => {
    expect((await called('pay.wadl', 'listPay', {})).head).toBe('GET /pay');
    expect((await called('pay.wadl', 'listPay', { page: 2, deleted: true })).head).toBe('GET /pay?page=2&deleted=true');
    expect((await called('old.json', 'listOld', {})).head).toBe('GET /old');
    expect((await called('old.json', 'addOld', { name: 'x' })).body).toBe('name=x');
  });

  test('sends the elements and attributes over SOAP that were given', async () => {
    const reply = (text: string) =>
      [soap(`<UpdateDeskResponse xmlns="urn:desk">${text}</UpdateDeskResponse>`), 'text/xml'] as const;
    const plain = await called('desk.wsdl', 'UpdateDesk', { name: 'A' }, reply(''));
    expect(plain.body).toContain('<UpdateDesk xmlns="urn:desk"><name>A</name></UpdateDesk>');
    expect(plain.value).toEqual({});
    const read = await called('desk.wsdl', 'UpdateDesk', { name: 'A', volume: 7 }, reply('<state/><size/>'));
    expect(read.body).toContain('<name>A</name><volume>7</volume></UpdateDesk>');
    // An empty element has the default of its declaration (XML Schema, part 1, 3.3.4).
    expect(read.value).toEqual({ state: 'OPEN', size: 3 });
  });
});

const soap = (body: string): string =>
  `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${body}</s:Body></s:Envelope>`;

describe('a reply of a partner', () => {
  test('has the members that it was sent with', async () => {
    const { value } = await called('stores.yaml', 'readStore', { id: '1' });
    expect(value).toEqual({ id: '1' });
  });

  test('without a member that the contract requires is refused, though only one value could stand there', async () => {
    const refused = called('stores.yaml', 'readSale', { id: '1' });
    await expect(refused).rejects.toThrow('channel is missing');
  });
});

/** A gateway that serves a contract, and whose handlers answer with what they got. */
async function served(name: Contract, handlers: readonly string[]) {
  const gateway = await startTestGateway({
    files: {
      ...Object.fromEntries(
        Object.entries(await definitionsOf(name, 'provider')).map(([path, text]) => [
          path,
          text.replace('permission: PARTNER', 'public: true'),
        ]),
      ),
      ...Object.fromEntries(handlers.map((each) => [`src/handlers/${each}.ts`, ECHO])),
    },
  });
  onTestFinished(() => gateway.stop());
  return gateway;
}

const ECHO = `export default {
  onRequest: (given) => ({ id: given.id, note: JSON.stringify(given) }),
};
`;

describe('a served contract', () => {
  const REST = '/gateway/RESTListeningConnector/Stores.v1';
  const json = { 'content-type': 'application/json' };

  test('gives handlers what the caller gave, and replies what they gave', async () => {
    const gateway = await served('stores.yaml', [
      'update-store',
      'add-sale',
      'read-store',
      'read-sale',
      'rename-urlencoded',
      'rename-multipart',
    ]);
    const patched = await gateway.call(`${REST}/stores/1`, { method: 'PATCH', headers: json, body: '{"label":"N"}' });
    expect(patched).toMatchObject({ status: 200, text: '{"id":"1","note":"{\\"id\\":\\"1\\",\\"label\\":\\"N\\"}"}' });
    const renamed = await gateway.call(`${REST}/stores/1/name`, {
      method: 'PUT',
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nB\r\n--b--\r\n',
    });
    expect(renamed.text).toBe('{"id":"1","note":"{\\"id\\":\\"1\\",\\"name\\":\\"B\\"}"}');
  });

  test('gives handlers what the caller gave over SOAP, and the default of an empty element', async () => {
    const gateway = await served('desk.wsdl', ['update-desk']);
    const post = (inside: string, attribute = '') =>
      gateway.call('/gateway/PeopleSoftServiceListeningConnector', {
        method: 'POST',
        headers: { 'content-type': 'text/xml', soapaction: '"urn:desk/UpdateDesk"' },
        body: soap(`<UpdateDesk xmlns="urn:desk"${attribute}><name>A</name>${inside}</UpdateDesk>`),
      });
    expect((await post('')).text).toContain('<note>{"name":"A"}</note></UpdateDeskResponse>');
    const empty = await post('<volume/><forward/>');
    expect(empty.text).toContain('<note>{"name":"A","volume":7,"forward":false}</note>');
    expect((await post('', ' mode="full"')).text).toContain('<note>{"name":"A","mode":"full"}</note>');
  });
});

async function registryOfContract(name: string, text: string): Promise<Registry> {
  const { declared } = await declaredOf({ [name]: text }, { as: 'provider' });
  expect(errorsOf(declared)).toEqual([]);
  const files = Object.entries({ gateway: 'gateway: LOCAL\n', ...yamlOf(declared) });
  return registryOf(loadTexts(new Map(files.map(([file, yaml]) => [`definitions/${file}.yaml`, yaml]))));
}

describe('descriptions of what is served', () => {
  test.each([
    ['stores.yaml', 'openapi'],
    ['old.json', 'openapi'],
    ['desk.wsdl', 'wsdl'],
    ['pay.wadl', 'wadl'],
  ] as const)('state what is assumed, so that the contract survives: %s', async (name, form) => {
    const registry = await registryOfContract(name, CONTRACTS[name]);
    const [service] = [...registry.services.values()].filter(({ delivered }) => !delivered);
    if (service === undefined) throw new Error('nothing is served');
    const subject = { service, pathName: service.name };
    const [text = ''] = describeContract(registry, form, subject, 'https://gateway.example').values();
    expect(optionsIn(await registryOfContract(`again.${form}`, text))).toEqual(optionsIn(registry));
    expect(optionsIn(registry).length).toBeGreaterThan(3);
  });
});

/** What each field assumes, and its single value, by name. */
function optionsIn({ operations }: Registry): string[] {
  const found = new Set<string>();
  for (const { request, responses, uris } of operations.values()) {
    const fields = uris.flatMap(({ variables }) => variables.map(({ field }) => field));
    for (const message of [request, ...responses.map((each) => each.message)])
      if (message.kind === 'document') fields.push(...message.document.fields);
    for (const { name, assumed, enum: values, fixed } of fields)
      if (assumed !== undefined || values?.length === 1 || fixed !== undefined)
        found.add(JSON.stringify({ name, assumed, values, fixed }));
  }
  return [...found].toSorted();
}

describe('what is written for programs', () => {
  test('keeps an optional field optional, and names what is assumed', async () => {
    const types = typesFile(vocabulary(await registryOfContract('stores.yaml', CONTRACTS['stores.yaml'])));
    expect(types).toContain('  /** Assumed to be `false` when absent. */\n  readonly private?: boolean | undefined;');
    expect(types).toContain('  readonly dryRun?: true | undefined;');
    expect(types).toContain("  readonly kind?: 'shop' | undefined;");
    expect(types).toContain("  readonly channel: 'web';");
  });

  test('is in the committed registry', async () => {
    const registry = await registryOfContract('stores.yaml', CONTRACTS['stores.yaml']);
    expect(registryFile(registry)).toContain('"assumed": false');
  });
});
