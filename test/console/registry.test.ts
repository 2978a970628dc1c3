import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayText, USERS } from '../support/project.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';

/** Names in links and their kinds, as the search of all pages shows them. */
const found = (text: string): string[] =>
  [...text.matchAll(/<a href="[^"]*">([^<]*) <span>([^<]*)<\/span><\/a>/g)].map(([, name, kind]) => `${kind} ${name}`);

describe('the registry in the console', () => {
  let gateway: ConsoleGateway;
  let visitor: Visitor;
  beforeAll(async () => {
    gateway = await startConsole();
    visitor = await gateway.signIn();
  });
  afterAll(() => gateway.stop());

  it('lists definitions of every kind, with the place that declares each', async () => {
    const { status, text } = await visitor.get('/registry');
    expect(status).toBe(200);
    for (const kind of [
      'Services',
      'Operations',
      'Called operations',
      'Flows',
      'Documents',
      'Nodes',
      'Permission lists',
    ])
      expect(text).toContain(`>${kind} `);
    expect(text).toContain('/console/registry/files/definitions%2Flocations%2Fservice.yaml#L1"');
  });

  it('narrows the list by kind and by words in ids, descriptions, paths and fields', async () => {
    const byField = (await visitor.get('/registry?q=email_addr&kind=document')).text;
    expect(byField).toContain('>EE_LIST_VW</a>');
    expect(byField).not.toContain('>LOC_DTL_VW</a>');
    expect((await visitor.get('/registry?q=Locations/%3Fregion')).text).toContain('>LOCATIONS_GET</a>');
    expect((await visitor.get('/registry?q=people+region&kind=service')).text).toContain('>Locations.v1</a>');
    const none = (await visitor.get('/registry?q=%3Cb%3Enothing')).text;
    expect(none).toContain('No definition has “&lt;b&gt;nothing” in its id');
  });

  it('finds the best matches first: the whole name, its beginning, a word, a part, then other texts', async () => {
    expect(found((await visitor.get('/find?q=location')).text).slice(0, 2)).toEqual([
      'document LOCATION',
      'service LocationSetup.v1',
    ]);
    const byWord = found((await visitor.get('/find?q=upload')).text);
    expect(byWord[0]).toBe('flow N_DOCLIB.v1.upload');
    expect((await visitor.get('/find?q=location')).text.match(/<li>/g)?.length).toBe(12);
    expect((await visitor.get('/find?q=+')).text).toBe('');
    expect((await visitor.get('/find?q=nosuchthing')).text).toBe('<p>Nothing found.</p>');
  });

  it('shows how an operation is called, what it takes and replies, who may call it and by which line', async () => {
    const { text } = await visitor.get('/registry/operations/LOCATIONS_GET');
    const { address } = gateway.gateway;
    expect(text).toContain(`${address}/gateway/RESTListeningConnector/Locations.v1/Locations/?region={REGION}`);
    expect(text).toContain('action <code>LOCATIONS_GET.v1</code>');
    expect(text).toContain('code <code>src/handlers/locations-get.ts</code>');
    expect(text).toContain('<span class="depth-1"><code>EMAIL_ADDR</code></span>');
    expect(text).toContain('demo has the role SAMPLE_ALL');
    expect(text).toMatch(
      /LOCATIONS grants operation LOCATIONS_GET<\/td><td class="mono"[^>]*><a href="[^"]*service.yaml#L\d+"/,
    );
    for (const link of [...text.matchAll(/<a href="(http[^"]+)">(?:WADL|WSDL|OpenAPI|XSD)<\/a>/g)]) {
      const contract = await fetch(link[1] as string);
      expect(contract.status, link[1]).toBe(200);
      await contract.body?.cancel();
    }
    expect(text.match(/>(?:WADL|WSDL|OpenAPI|XSD)<\/a>/g)?.length).toBe(4);
  });

  it('shows the lines of a definition alone, under their numbers in the file', async () => {
    const { text } = await visitor.get('/registry/operations/LOCATION_PATCH');
    const lines = [...text.matchAll(/id="L(\d+)">.*?<code>([^\n]*)/g)].map(([, number, line]) => [
      Number(number),
      line,
    ]);
    expect(lines[0]?.[1]).toContain('LOCATION_PATCH:');
    expect(lines.every(([, line], index) => index === 0 || String(line).startsWith('    '))).toBe(true);
    const file = (await visitor.get('/registry/files/definitions%2Flocations%2Fsetup.yaml')).text;
    expect(file).toContain(`id="L${lines[0]?.[0]}"><span class="at">${lines[0]?.[0]}<`);
    expect(file).toContain('LOCATION_DELETE:');
  });

  it('shows calls of an operation that were recorded: those that failed, by default', async () => {
    expect((await visitor.get('/registry/operations/LOCATIONS_GET')).text).toContain('No call is recorded.');
    const path = '/gateway/RESTListeningConnector/Locations.v1/Locations/?region=TOOLONG';
    expect((await gateway.call(path)).status).toBe(400);
    await expect
      .poll(async () => (await visitor.get('/registry/operations/LOCATIONS_GET')).text)
      .toMatch(/<a href="\/console\/messages\/[0-9a-f-]{36}"><time/);
  });

  it('leads from a document and a node to what uses them', async () => {
    expect((await visitor.get('/registry/documents/LOC_RESPONSE')).text).toContain('>LOCATIONS_GET</a>');
    expect((await visitor.get('/registry/documents/EE_LIST_VW')).text).toContain('field EMP_DATA');
    const node = (await visitor.get('/registry/nodes/DOCLIB_LOGIN')).text;
    expect(node).toContain('${env:DOCLIB_AUTH_URL}');
    expect(node).toContain('Called operations');
  });

  it('never shows credentials of nodes, nor hashes of passwords in files', async () => {
    const node = (await visitor.get('/registry/nodes/THIRD_PARTY')).text;
    expect(node).toContain('HTTP Basic');
    expect(node).not.toContain('user: &quot;');
    const file = (await visitor.get('/registry/files/definitions%2Fsecurity.yaml')).text;
    expect(file).toContain('password: ***');
    expect(file).not.toContain('$scrypt');
  });

  it('has a page for every definition that it lists', async () => {
    const pages = new Set<string>();
    for (let next: string | undefined = '/registry'; next !== undefined; ) {
      const { text } = await visitor.get(next);
      for (const [, to] of text.matchAll(/<a href="\/console(\/registry\/[^"#?]+)">/g)) pages.add(to as string);
      next = /<a href="\/console([^"]*)">More/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(pages.size).toBeGreaterThan(60);
    for (const to of pages) expect((await visitor.get(to)).status, to).toBe(200);
  });

  it('answers unknown ids and files with 404', async () => {
    for (const to of ['operations/NONE', 'nodes/__proto__', 'files/..%2F..%2Fetc%2Fpasswd', 'nothing/LOCATION'])
      expect((await visitor.get(`/registry/${to}`)).status, to).toBe(404);
  });

  it('asks to sign in whoever has not', async () => {
    for (const to of ['/registry', '/registry/operations/LOCATIONS_GET', '/registry/files'])
      expect(await gateway.ask(to), to).toMatchObject({
        status: 303,
        headers: { location: expect.stringContaining('/sign-in') },
      });
    const { status, text } = await gateway.ask('/find?q=location', { headers: { 'HX-Request': 'true' } });
    expect(status).toBe(401);
    expect(text).not.toContain('LOCATION');
  });
});

const MANY = Array.from({ length: 130 }, (_, n) => `document: D${String(n).padStart(3, '0')}\nfields: { X: string }`);

describe('a registry of hostile and many definitions', () => {
  let gateway: ConsoleGateway;
  let visitor: Visitor;
  beforeAll(async () => {
    gateway = await startConsole({
      files: {
        'definitions/gateway.yaml': gatewayText('console: { sign-in: [password] }'),
        'definitions/users.yaml': USERS.replace('EVERYTHING\n', 'EVERYTHING\nconsole: [read]\n'),
        'definitions/many.yaml': MANY.join('\n---\n'),
        'definitions/tree.yaml': `document: TREE
description: "</script><script>alert(1)</script> \\u202Eevil"
fields:
  NAME: { type: string, default: "<img src=x>", enum: ["<img src=x>", b] }
  SECRET: { type: string, sensitive: true, example: hunter2 }
  CHILDREN: { type: list of TREE }
---
query: TREES
public: true
prompts: { NAME: { type: string, required: true } }
columns: { NAME: string }
sql: select :NAME as name
---
service: Forest.v1
public: true
operations:
  TREES_GET:
    get: trees/{NAME}
    query: TREES
  TREES_PUT: { put: "trees/{NAME}", request: TREE, queue: GROWTH }
  # The last one.
---
queue: GROWTH
description: |
  A key that someone pasted:
  -----BEGIN PRIVATE KEY-----
  MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC7
  geheim99
  -----END PRIVATE KEY-----
search: [NAME]
`,
      },
    });
    visitor = await gateway.signIn();
  });
  afterAll(() => gateway.stop());

  it('is listed in parts of a hundred, without a gap', async () => {
    const first = (await visitor.get('/registry?kind=document')).text;
    expect(first).toContain('>D099</a>');
    expect(first).not.toContain('>D100</a>');
    const next = /<a href="\/console([^"]*)">More/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const second = (await visitor.get(next)).text;
    expect(second).toContain('>D100</a>');
    expect(second).toContain('>TREE</a>');
    expect(second).not.toContain('>More');
  });

  it('shows markup, marks of direction and endless documents as text', async () => {
    for (const to of ['/registry?q=tree', '/registry/documents/TREE', '/registry/files/definitions%2Ftree.yaml']) {
      const { status, text } = await visitor.get(to);
      expect(status).toBe(200);
      expect(text).not.toContain('<script>alert');
      expect(text).not.toContain('<img');
      expect(text).not.toContain('\u202E');
    }
    const { text } = await visitor.get('/registry/documents/TREE');
    expect(text).toContain('see there');
    // Its lines of YAML have the example as it was written.
    expect(text.split('id="definition"')[0]).not.toContain('hunter2');
  });

  it('masks a private key, and keeps the numbers of the lines behind it', async () => {
    const { text } = await visitor.get('/registry/files/definitions%2Ftree.yaml');
    expect(text).not.toContain('geheim99');
    expect(text).toMatch(/id="L30"><span[^>]*>30<\/span><code>search: \[NAME\]/);
  });

  it('leads from a query to the operation that it answers, which everyone may call', async () => {
    expect((await visitor.get('/registry/queries/TREES')).text).toContain('>TREES_GET</a>');
    const { text } = await visitor.get('/registry/operations/TREES_GET');
    expect(text).toContain('query <a href="/console/registry/queries/TREES">TREES</a>');
    expect(text).toContain('Everyone, without credentials.');
    expect(text).not.toContain('TREES_PUT');
  });

  it('shows an operation on one line as that line', async () => {
    const { text } = await visitor.get('/registry/operations/TREES_PUT');
    expect([...text.matchAll(/id="L\d+"/g)].length).toBe(1);
  });
});
