import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { inOut, message, service, types, wrapper, wsdl } from '../import/wsdl/wsdl-text.ts';
import { bin, cleanEnvironment, finish, signalbox, signalboxProcess, temporaryFolder } from './support.ts';

const orders = (more = ''): string =>
  wsdl(
    types(`${wrapper('place', 'customer', 'item')}${wrapper('placeResponse', 'number')}${more}`) +
      message('place', 'element="t:place"') +
      message('placeReply', 'element="t:placeResponse"') +
      service({ place: inOut('place', 'placeReply') }),
  );

/** A folder with a contract. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(cwd, path, '..'), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
  return cwd;
}

test.concurrent('an import into an empty folder is a project that check accepts', async () => {
  const cwd = await folderWith({ 'orders.wsdl': orders() });
  const imported = await signalboxProcess(['import', 'orders.wsdl'], { cwd });
  expect(imported).toEqual({
    code: 0,
    signal: null,
    stdout: `orders: 1 operation, 2 documents, 3 fields, as calls.
wrote definitions/gateway.yaml
wrote definitions/orders/service.yaml
wrote definitions/orders/setup.yaml
`,
    stderr: '',
  });
  expect(await signalbox(['check'], { cwd })).toMatchObject({ code: 0 });
  const { stdout } = await signalbox(['invoke', 'place', 'customer=C1', 'item=I1', '--dry-run'], { cwd });
  expect(stdout).toContain('http://partner.example.org/soap');
  expect(stdout).toContain('urn:t/place');
});

test.concurrent('no file of the folder where it runs is touched, however old', async () => {
  const files = { '.env': 'A=1', 'README.md': 'text', [randomUUID()]: 'text' };
  const cwd = await folderWith({ ...files, 'stores.yaml': STORES });
  for (const name of Object.keys(files)) await utimes(join(cwd, name), 1, 1);
  expect(await signalbox(['import', 'stores.yaml'], { cwd })).toMatchObject({ code: 0 });
  for (const [name, text] of Object.entries(files)) expect(await readFile(join(cwd, name), 'utf8')).toBe(text);
});

const STORES = `openapi: 3.0.3
info: { title: Stores, version: '1' }
servers: [{ url: 'http://stores.example.org' }]
paths:
  /stores/{id}:
    patch:
      operationId: updateStore
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: notify, in: query, schema: { type: boolean, default: true } }
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, properties: { label: { type: string }, private: { type: boolean, default: false } } } } }
      responses: { '200': { description: ok } }
`;

test.concurrent('a dry run sends no value that nobody gave, and names what the other side assumes', async () => {
  const cwd = await folderWith({ 'stores.yaml': STORES });
  await signalbox(['import', 'stores.yaml'], { cwd });
  const { stdout, stderr } = await signalbox(['invoke', 'updateStore', 'id=1', 'label=N', '--dry-run'], { cwd });
  expect(stdout).toMatch(/^# updateStore\nPATCH http:\/\/stores\.example\.org\/stores\/1\n/);
  expect(stdout).toMatch(/\n\n\{"label":"N"\}\n$/);
  expect(stderr).toBe('Not sent, since the other side assumes it: private=false, notify=true\n');
  const given = ['id=1', 'notify=false', 'private=true'];
  expect(await signalbox(['invoke', 'updateStore', ...given, '--dry-run'], { cwd })).toMatchObject({ stderr: '' });
});

test.concurrent('as a provider it has a handler for each operation', async () => {
  const cwd = await folderWith({ 'orders.wsdl': orders() });
  const { code, stderr } = await signalbox(['import', 'orders.wsdl', '--as', 'provider'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'created src/handlers/place.ts\n' });
  const { stdout } = await signalbox(['describe', 'wsdl', 'Orders.v1'], { cwd });
  expect(stdout).toContain('targetNamespace="urn:t"');
});

test.concurrent('an operation that can not be served has no handler, which check does not ask for', async () => {
  const text = orders().replaceAll('use="literal"', 'use="encoded"').replace('style="document"', 'style="rpc"');
  const cwd = await folderWith({ 'orders.wsdl': text });
  const { code, stdout, stderr } = await signalbox(['import', 'orders.wsdl', '--as', 'provider'], { cwd });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'No operation of orders can be served: the list has the reasons.\n',
  });
  expect(stdout).toContain('declared with `active: false`');
  expect(await signalbox(['check'], { cwd })).toMatchObject({ code: 0 });
});

test.concurrent('a second import shows what changed, and keeps what people did', async () => {
  const cwd = await folderWith({ 'orders.wsdl': orders() });
  await signalbox(['import', 'orders.wsdl'], { cwd });
  const path = join(cwd, 'definitions/orders/service.yaml');
  await writeFile(
    path,
    (await readFile(path, 'utf8')).replace('permission: ORDERS', 'permission: ORDERS\ntimeout: 5 s'),
  );
  await writeFile(join(cwd, 'orders.wsdl'), orders().replace('"item"', '"product"'));
  const { code, stdout } = await signalbox(['import', 'orders.wsdl'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('+ service Orders.v1 > operations > place > request > fields > product');
  expect(stdout).toContain('- service Orders.v1 > operations > place > request > fields > item');
  expect(await readFile(path, 'utf8')).toContain('timeout: 5 s');
  const again = await signalbox(['import', 'orders.wsdl'], { cwd });
  expect(again.stdout).toContain('definitions/orders is up to date.');
});

test.concurrent('--dry-run and --strict write nothing', async () => {
  const cwd = await folderWith({ 'orders.wsdl': orders('<xs:include schemaLocation="gone.xsd"/>') });
  const dry = await signalbox(['import', 'orders.wsdl', '--dry-run'], { cwd });
  expect(dry.code).toBe(0);
  expect(dry.stdout).toContain('service: Orders.v1\n');
  expect(dry.stdout).toContain('the part "gone.xsd" does not exist');
  const strict = await signalbox(['import', 'orders.wsdl', '--strict'], { cwd });
  expect(strict.code).toBe(1);
  expect(strict.stdout).not.toContain('wrote');
  expect(strict.stderr).toBe("--strict: 1 thing can't be carried, so nothing was written.\n");
  await expect(readFile(join(cwd, 'definitions/gateway.yaml'))).rejects.toThrow('ENOENT');
});

test.concurrent('--json reports counts, files and losses for programs', async () => {
  const cwd = await folderWith({ 'orders.wsdl': orders('<xs:include schemaLocation="gone.xsd"/>') });
  const { stdout } = await signalbox(['import', 'orders.wsdl', '--json', '--dry-run'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject([
    {
      name: 'orders',
      as: 'consumer',
      operations: 1,
      files: ['definitions/gateway.yaml', 'definitions/orders/service.yaml', 'definitions/orders/setup.yaml'],
      losses: [{ at: expect.stringMatching(/^orders\.wsdl:\d+:\d+$/), what: 'the part "gone.xsd" does not exist' }],
    },
  ]);
});

test.concurrent.for([
  ['a.wsdl', '<a/>', 'a.wsdl:1:4: the root element <a> is not that of a contract'],
  ['a.yaml', 'a: [', 'a.yaml:1:'],
  ['gone.wsdl', undefined, 'gone.wsdl does not exist'],
] as const)('%s with %s is refused with its place, and without a stack', async ([path, text, words]) => {
  const cwd = await folderWith(text === undefined ? {} : { [path]: text });
  const { code, stdout, stderr } = await signalbox(['import', path], { cwd });
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toContain(words);
  expect(stderr).not.toMatch(/^\s+at /m);
});

/** A web server with these files. @returns its address */
async function serve(files: Readonly<Record<string, string>>): Promise<string> {
  const server: Server = createServer((request, response) => {
    const text = files[request.url ?? ''];
    if (text === undefined) response.writeHead(404);
    response.end(text);
  });
  return addressOf(server);
}

async function addressOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an address is read; references to addresses need --fetch, and those to private ones --allow-private', async () => {
  const schema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">${wrapper('more', 'a')}</xs:schema>`;
  const address = await serve({
    '/orders?wsdl': orders('<xs:include schemaLocation="more.xsd"/>'),
    '/more.xsd': schema,
  });
  const cwd = await temporaryFolder();
  const args = ['import', `${address}/orders?wsdl`, '--dry-run'];
  const plain = await signalbox(args, { cwd });
  expect(plain.stdout).toContain('the part "more.xsd" is on the network (--fetch reads it)');
  const fetched = await signalbox([...args, '--fetch'], { cwd });
  expect(fetched.stdout).toContain('its address is private (--allow-private permits it)');
  const allowed = await signalbox([...args, '--fetch', '--allow-private'], { cwd });
  expect(allowed.code).toBe(0);
  expect(allowed.stdout).toContain('document: more\n');
  expect(allowed.stdout).not.toContain('private');
});

test('credentials of an address and --header are sent to its server alone, and stay out of what is written', async () => {
  const seen: (string | undefined)[] = [];
  const servers = [0, 1].map(() =>
    createServer(({ headers, url }, response) => {
      seen.push(headers.authorization ?? headers['x-key']?.toString());
      if (url === '/moved') response.writeHead(302, { Location: `${addresses[1]}/orders` });
      const isAllowed = url !== '/orders?wsdl' || headers.authorization === 'Basic bWU6bWluZQ==';
      if (!isAllowed) response.writeHead(401);
      if (isAllowed && url !== '/moved') response.writeHead(200, { 'Content-Encoding': 'gzip' });
      response.end(isAllowed ? gzipSync(orders()) : '');
    }),
  );
  const addresses = await Promise.all(servers.map(addressOf));
  const address = addresses[0] as string;
  const cwd = await temporaryFolder();
  const refused = await signalbox(['import', `${address}/orders?wsdl`], { cwd });
  expect(refused.stderr).toContain('the answer has status 401 (--header gives credentials)');
  const { code } = await signalbox(['import', `${address.replace('//', '//me:mine@')}/orders?wsdl`], { cwd });
  expect(code).toBe(0);
  expect(await readFile(join(cwd, 'definitions/orders/imported.json'), 'utf8')).not.toContain('mine');
  seen.length = 0;
  const header = ['--header', 'X-Key: k1', '--name', 'moved'];
  await signalbox(['import', `${address}/moved`, ...header, '--allow-private', '--dry-run'], { cwd });
  expect(seen).toEqual(['k1', undefined]);
  seen.length = 0;
  // A password that happens to have a percent sign.
  await signalbox(['import', `${address.replace('//', '//me:100%zz@')}/orders?wsdl`, '--dry-run'], { cwd });
  expect(seen).toEqual([`Basic ${Buffer.from('me:100%zz').toString('base64')}`]);
  const wrong = await signalbox(['import', `${address}/moved`, '--header', 'k1'], { cwd });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('a header is not valid') });
});

test('a contract is read from standard input', async () => {
  const cwd = await temporaryFolder();
  const child = spawn(process.execPath, [bin, 'import', '-', '--name', 'shop'], { cwd, env: cleanEnvironment() });
  child.stdin.end(orders());
  const { code, stdout } = await finish(child);
  expect(code).toBe(0);
  expect(stdout).toContain('shop: 1 operation, 2 documents, 3 fields, as calls.\n');
  expect(await readFile(join(cwd, 'definitions/shop/setup.yaml'), 'utf8')).toContain('node: SHOP\n');
});

test.concurrent('a folder is its contracts of one kind, which belong together', async () => {
  const cwd = await folderWith({ 'partner/orders.wsdl': orders(), 'partner/notes.xsd': '<a/>' });
  const { code, stdout } = await signalbox(['import', 'partner', '--name', 'partner'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain('partner: 1 operation');
});

test.concurrent('a folder is all of its contracts, without the parts that they refer to', async () => {
  const wadl = '<application xmlns="http://wadl.dev.java.net/2009/02"><resources base="http://h/"/></application>';
  const files = {
    'all/orders.wsdl': orders(),
    'all/shop.json': openApi('one'),
    'all/pay.yaml': 'openapi: 3.0.3\ninfo: { title: two, version: "1" }\npaths: {}\n',
  };
  const parts = { 'all/part.json': '{"type":"object"}', 'all/part.xsd': '<a/>', 'all/old.wadl': wadl };
  const cwd = await folderWith({ ...files, ...parts });
  const { stdout } = await signalbox(['import', 'all', '--dry-run'], { cwd });
  expect(stdout.match(/^\w+(?=: \d+ operations?,)/gm)?.sort()).toEqual(['old', 'orders', 'pay', 'shop']);
});

const openApi = (path: string): string =>
  JSON.stringify({
    info: { title: path, version: '1' },
    openapi: '3.0.3',
    paths: { [`/${path}`]: { get: { operationId: `${path}_get`, responses: { 200: { description: 'ok' } } } } },
  });

test.concurrent('what was imported is the same as its contract, whatever namespace the gateway has', async () => {
  const cwd = await folderWith({
    'definitions/gateway.yaml': 'gateway: LOCAL\nnamespace: urn:mine\n',
    'shop.json': openApi('one'),
  });
  await signalbox(['import', 'shop.json'], { cwd });
  expect((await signalbox(['diff', 'shop.json'], { cwd })).stdout).toBe('No changes.\n');
});

test.concurrent('two contracts of one name are refused, since each has a record by its name', async () => {
  const cwd = await folderWith({ 'a/api.json': openApi('one'), 'b/api.json': openApi('two') });
  const { code, stderr } = await signalbox(['import', 'a/api.json', 'b/api.json'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('two contracts would have the name api');
  await expect(readFile(join(cwd, 'definitions/api/service.yaml'))).rejects.toThrow('ENOENT');
});

test.concurrent.for([
  ['definitions/orders/imported.json', '{', 'definitions/orders/imported.json is not JSON'],
  [
    'definitions/orders/service.yaml',
    'a: [',
    'definitions/orders/service.yaml:1:5: this definition file is not valid YAML',
  ],
] as const)('a second import beside a damaged %s names it, and writes nothing', async ([path, text, words]) => {
  const cwd = await folderWith({ 'orders.wsdl': orders() });
  await signalbox(['import', 'orders.wsdl'], { cwd });
  await writeFile(join(cwd, path), text);
  const { code, stderr } = await signalbox(['import', 'orders.wsdl'], { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain(words);
  expect(await readFile(join(cwd, path), 'utf8')).toBe(text);
});

test.concurrent('a folder with definitions that people wrote is refused, and left as it is', async () => {
  const cwd = await folderWith({ 'orders.wsdl': orders(), 'definitions/orders/lists.yaml': 'permission-list: MINE\n' });
  const { code, stdout, stderr } = await signalbox(['import', 'orders.wsdl'], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('definitions/orders/lists.yaml was not written by an import');
  expect(stderr).toContain('Choose another name with --name');
  await expect(readFile(join(cwd, 'definitions/orders/service.yaml'))).rejects.toThrow('ENOENT');
  expect(await signalbox(['import', 'orders.wsdl', '--name', 'shop'], { cwd })).toMatchObject({ code: 0 });
});

test.concurrent('a service whose name is taken says which file has it, and how to update that one', async () => {
  const cwd = await folderWith({ 'orders.wsdl': orders(), 'orders-2026.wsdl': orders() });
  await signalbox(['import', 'orders.wsdl'], { cwd });
  const { code, stdout } = await signalbox(['import', 'orders-2026.wsdl'], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain(
    'the service "Orders" is declared as Orders_2.v1: definitions/orders/service.yaml has Orders (import with --name orders to update that one)',
  );
});

test.concurrent('errors in other definitions are reported behind what was written', async () => {
  const cwd = await folderWith({
    'orders.wsdl': orders(),
    'definitions/gateway.yaml': 'gateway: LOCAL\n---\ndocument: D\nfields: { A: none-such }\n',
  });
  const { code, stdout, stderr } = await signalbox(['import', 'orders.wsdl'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain('wrote definitions/orders/service.yaml\n');
  expect(stderr).toContain('The import is written. The errors are in other definitions.');
});

test.concurrent('an import that can not write all of its files writes none', async () => {
  const cwd = await folderWith({ 'orders.wsdl': orders() });
  await mkdir(join(cwd, 'definitions'));
  await writeFile(join(cwd, 'definitions/orders'), '');
  const { code, stderr } = await signalbox(['import', 'orders.wsdl'], { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain("the definitions can't be written, and are as they were: ");
  expect(await readdir(join(cwd, 'definitions'))).toEqual(['orders']);
});

test.concurrent('what is not carried is listed by how bad it is, what is alike once, with what to do', async () => {
  const odd = Array.from({ length: 418 }, (_, n) => `  /a${n}: { get: ${REPLY(`X-Rate-${n % 5}`)} }`);
  const text = `openapi: 3.0.3\ninfo: { title: Odd, version: '1' }\nservers: [{ url: 'http://odd.example.org' }]\npaths:
  /live: { get: ${REPLY('Location')}, trace: ${REPLY('Location')} }\n${odd.join('\n')}\n`;
  const cwd = await folderWith({ 'odd.yaml': text });
  const { code, stdout } = await signalbox(['import', 'odd.yaml'], { cwd });
  expect(code).toBe(0);
  expect(stdout.slice(stdout.indexOf('\n\n') + 2)).toBe(`1 operation that can't be called or served:
- the operation TRACE "/live": left out
    odd.yaml:5:117

6 things that the definitions do not say:
The next import keeps what you write in the definitions about them.
- the header "Location", "X-Rate-0", "X-Rate-1" and 3 more of replies: not read (6 places)
    odd.yaml:5:69, 6:67, 7:67 and 3 more
`);
  const verbose = await signalbox(['import', 'odd.yaml', '--verbose'], { cwd });
  expect(verbose.stdout).toContain('- the header "X-Rate-3" of replies: not read\n    odd.yaml:9:67\n');
  const { stdout: json } = await signalbox(['import', 'odd.yaml', '--json'], { cwd });
  const [{ losses }] = JSON.parse(json) as [{ losses: { kind: string }[] }];
  expect(losses.map(({ kind }) => kind)).toEqual(['operation', ...Array<string>(6).fill('value')]);
});

const REPLY = (header: string): string =>
  `{ responses: { '200': { description: ok, headers: { ${header}: { schema: { type: string } } } } } }`;

test.concurrent.for([
  ['an operation that can not be called', 'paths: { /a: { trace: { responses: { "200": { description: ok } } } } }', 1],
  ['nothing at all', 'paths: {}', 1],
  [
    'documents alone',
    'paths: {}\ncomponents: { schemas: { A: { type: object, properties: { a: { type: string } } } } }',
    0,
  ],
] as const)('a contract with %s', async ([, paths, expected]) => {
  const cwd = await folderWith({ 'odd.yaml': `openapi: 3.0.3\ninfo: { title: Odd, version: '1' }\n${paths}\n` });
  const { code, stderr } = await signalbox(['import', 'odd.yaml'], { cwd });
  expect(code).toBe(expected);
  expect(stderr).toBe(expected === 0 ? '' : 'No operation of odd can be called: the list has the reasons.\n');
});

test.concurrent('--tolerant takes what is valid, which is refused without it, with all that is not', async () => {
  const text = `openapi: 3.0.3\ninfo: { title: Odd, version: '1' }\nservers: [{ url: 'http://odd.example.org' }]\npaths:
  /a: { get: { operationId: a, responses: { '200': {} } } }
  /b: { get: { operationId: b, tags: x, responses: { '200': {} } } }\n`;
  const cwd = await folderWith({ 'odd.yaml': text });
  const refused = await signalbox(['import', 'odd.yaml'], { cwd });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toBe(`signalbox: odd.yaml:5:45: not valid in 3 places:
  odd.yaml:5:45, 6:54: not valid OpenAPI 3.0: "200" lacks "description"
  odd.yaml:6:32: not valid OpenAPI 3.0: "tags" must be array
  Correct the contract, or take what is valid with \`signalbox import --tolerant\`, which lists the rest.
`);
  const taken = await signalbox(['import', 'odd.yaml', '--tolerant'], { cwd });
  expect(taken.code).toBe(0);
  expect(taken.stdout).toContain(`3 things not valid in the contract, with what is taken instead:
Have the contract corrected; until then, test what depends on them.
- not valid OpenAPI 3.0: "200" lacks "description": taken without it (2 places)
    odd.yaml:5:45, 6:54
- not valid OpenAPI 3.0: "tags" must be array: ignored
    odd.yaml:6:32
`);
  const { stdout } = await signalbox(['invoke', 'b', '--dry-run'], { cwd });
  expect(stdout).toContain('GET http://odd.example.org/b');
});

test.concurrent('a contract may have as many files as --max-files says', async () => {
  const paths = Array.from({ length: 4 }, (_, n) => `  /p${n}: { $ref: 'p${n}.yaml' }\n`).join('');
  const files = Array.from({ length: 4 }, (_, n) => [
    `p${n}.yaml`,
    "get: { responses: { '200': { description: ok } } }\n",
  ]);
  const many = `openapi: 3.0.3\ninfo: { title: Many, version: '1' }\npaths:\n${paths}`;
  const cwd = await folderWith({ 'many.yaml': many, ...Object.fromEntries(files) });
  const few = await signalbox(['import', 'many.yaml', '--max-files', '4'], { cwd });
  expect(few).toMatchObject({ code: 1, stderr: expect.stringContaining('consists of more than 4 files') });
  expect(few.stderr).toContain('Permit more with --max-files.');
  expect(await signalbox(['import', 'many.yaml', '--max-files', '5'], { cwd })).toMatchObject({ code: 0 });
  const wrong = await signalbox(['import', 'many.yaml', '--max-files', 'all'], { cwd });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('whole number from 1 to 999999') });
});
