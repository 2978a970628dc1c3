import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Registry } from '../../src/model/registry.ts';
import { createCatalogue } from '../../src/serve/page/catalogue.ts';
import { createContracts } from '../../src/serve/page/contracts.ts';
import type { PageParts } from '../../src/serve/page/html.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { document, field, type OperationOptions, registry, type ServiceOptions } from '../support/registry.ts';

const BASE = 'http://127.0.0.1:8080/gateway';

function catalogueOf(built: Registry, more: Partial<PageParts> = {}) {
  const contracts = createContracts(built, () => BASE);
  const catalogue = createCatalogue({ registry: built, contracts, base: BASE, sampleUsers: false, ...more });
  return { ...catalogue, html: (query?: string) => catalogue.find(query).html };
}

/** Services with ten operations each, over REST and SOAP. */
function many(count: number): Record<string, ServiceOptions> {
  const item = document('ITEM', [field('REGION', 'string', { required: true, example: 'EMEA' }), field('NAME')]);
  return Object.fromEntries(
    Array.from({ length: count }, (_, index): [string, ServiceOptions] => {
      const id = `Many${String(index).padStart(4, '0')}`;
      const operations = Array.from({ length: 10 }, (_, at): [string, OperationOptions] => [
        `${id.toUpperCase()}_${at}_GET`,
        {
          templates: [`kind${at}/{REGION}`],
          soap: true,
          request: item,
          response: item,
          description: `Reads kind ${at}.`,
        },
      ]);
      return [
        `${id}.v1`,
        { description: `Service ${index}. ${'About it. '.repeat(60)}`, operations: Object.fromEntries(operations) },
      ];
    }),
  );
}

/** The text of a page, and what its links lead to. */
const textOf = (html: string): string => html.replace(/<(style|title)>[\s\S]*?<\/\1>|<[^>]*>/g, '');
const linksOf = (html: string): string[] =>
  [...html.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => (href as string).replaceAll('&amp;', '&'));
const namesOf = (html: string): string[] =>
  [...html.matchAll(/<h3><a href="\.\/\?service=([^"]*)"/g)].map(([, id]) => id as string);

/** Asserts what people with a screen reader or a keyboard rely on. */
function expectAccessible(html: string): void {
  const levels = [...html.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
  expect(levels.filter((level) => level === 1)).toEqual([1]);
  for (const [at, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[at - 1] ?? 0) + 1);
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const landmark of ['header', 'main', 'footer']) expect(html.split(`<${landmark}`)).toHaveLength(2);
  for (const [nav] of html.matchAll(/<nav[^>]*>/g)) expect(nav).toContain('aria-label="');
  for (const [, id] of html.matchAll(/<input[^>]* id="([^"]*)"/g)) expect(html).toContain(`<label for="${id}"`);
}

describe('a gateway with many operations', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    const operation = (name: string): string =>
      `  ${name}: { get: ${name.toLowerCase()}, response: text, handler: one }\n`;
    const wide = Array.from({ length: 45 }, (_, at) => operation(`WIDE_${String(at).padStart(2, '0')}`));
    const others = Array.from({ length: 55 }, (_, at) => {
      const name = `Other${String(at).padStart(2, '0')}`;
      return `---\nservice: ${name}.v1\npublic: true\noperations:\n${operation(`${name.toUpperCase()}_GET`)}`;
    });
    const files = {
      'definitions/all.yaml': `service: Wide.v1\ndescription: Many ways.\npublic: true\noperations:\n${wide.join('')}${others.join('')}`,
      'src/handlers/one.ts': "export default { onRequest: () => 'one' };\n",
    };
    gateway = await startTestGateway({ files });
  });
  afterAll(() => gateway.stop());

  it('shows its services in pages, and each service with its commands on pages of its own', async () => {
    const first = await gateway.call('/');
    const second = await gateway.call('/?page=2');
    expect([...namesOf(first.text), ...namesOf(second.text)]).toEqual([
      ...Array.from({ length: 55 }, (_, at) => `Other${String(at).padStart(2, '0')}.v1`),
      'Wide.v1',
    ]);
    expect(namesOf(first.text)).toHaveLength(50);
    expect(textOf(second.text)).toContain('Services 51 to 56 of 56');
    expect(textOf(second.text)).toMatch(/Wide v1[\s\S]*Many ways\.\s*45 operations/);
    expect(first.text).not.toContain('curl');
    expect(linksOf(first.text)).toContain('./?page=2');
    expect(linksOf(second.text)).toContain('./');
    const commands: string[] = [];
    for (const page of [1, 2, 3]) {
      const { text } = await gateway.call(`/?service=Wide.v1&page=${page}`);
      commands.push(...[...text.matchAll(/<pre>(.*)<\/pre>/g)].map(([, command]) => textOf(command as string)));
    }
    expect(commands).toEqual(
      Array.from(
        { length: 45 },
        (_, at) =>
          `curl http://127.0.0.1:${gateway.port}/gateway/RESTListeningConnector/Wide.v1/wide_${String(at).padStart(2, '0')}`,
      ),
    );
  });

  it('leads from what a search finds to the operation', async () => {
    const { text } = await gateway.call('/?q=WIDE_44');
    expect(textOf(text)).toContain('Services 1 to 1 of 1 for WIDE_44');
    const [link] = linksOf(text).filter((href) => href.endsWith('#WIDE_44'));
    expect(link).toBe('./?service=Wide.v1&page=3#WIDE_44');
    expect((await gateway.call(link!.slice(1).replace(/#.*/, ''))).text).toContain('<h3 id="WIDE_44">');
  });

  it('answers 404 for a service that does not exist, as for any path', async () => {
    for (const id of ['Nope.v1', '', 'wide.v1', '__proto__', '%00', '../Wide.v1', '%E2%80%AE%3Cscript%3E']) {
      const reply = await gateway.call(`/?service=${id}`);
      expect([id, reply.status, reply.headers['content-type']]).toEqual([id, 404, 'application/problem+json']);
      expect(JSON.parse(reply.text)).toMatchObject({
        code: 'NOT_FOUND',
        detail: expect.stringContaining('listed at /'),
      });
      expect(reply.text).not.toMatch(/[\0\u202e]/);
    }
  });

  it.each([
    '/',
    '/?page=2',
    '/?q=other',
    '/?service=Wide.v1',
  ])('%s is not sent again to a caller that has it', async (path) => {
    for (const coding of ['identity', 'gzip']) {
      const headers = { 'accept-encoding': coding };
      const { etag = '', ...rest } = (await gateway.call(path, { headers })).headers;
      expect(rest).toMatchObject({ 'cache-control': 'no-cache', vary: 'Accept-Encoding' });
      expect([coding, rest['content-encoding']]).toEqual([coding, coding === 'gzip' ? 'gzip' : undefined]);
      const again = await gateway.call(path, { headers: { ...headers, 'if-none-match': etag } });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
      const other = await gateway.call(path, { headers: { ...headers, 'if-none-match': '"other"' } });
      expect([other.status, other.headers.etag]).toEqual([200, etag]);
    }
  });

  it('permits the page its own style and nothing else', async () => {
    for (const path of ['/', '/?q=other', '/?service=Wide.v1']) {
      const { text, headers } = await gateway.call(path);
      const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      expect(String(headers['content-security-policy']).split('; ')).toEqual([
        "default-src 'none'",
        `style-src 'sha256-${hash}'`,
        'img-src data:',
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(text).not.toMatch(/<script| style=| on[a-z]+=/);
    }
  });

  it('shows text as text, whatever is asked for', async () => {
    const nasty = fc.constantFrom(
      '<script>',
      '"><img src=x onerror=a()>',
      "' x='",
      '&lt;',
      '\0',
      '\u202e',
      '\u2066',
      '\ud800',
      '\x1b[31m',
      'wide',
      ' ',
      '%',
      '-1',
      '1e9',
      '𝒳',
      'é',
    );
    const text = fc
      .array(fc.oneof(nasty, fc.string({ unit: 'binary' })), { maxLength: 12 })
      .map((pieces) => pieces.join(''));
    const raw = fc.stringMatching(/^[a-zA-Z0-9%+&=;.<>-]{0,40}$/).filter((query) => !query.includes('service='));
    const encoded = fc.record({
      q: text,
      page: fc.oneof(text, fc.integer().map(String), fc.constant('9'.repeat(400))),
    });
    const query = fc.oneof(
      raw,
      encoded.map((each) => new URLSearchParams(each).toString()),
    );
    const elements = new Set<string>();
    const elementsOf = (html: string): string[] => html.match(/<[^\s>]*/g) ?? [];
    for (const path of ['/', '/?q=other', '/?q=nothing', '/?q=wide_0'])
      for (const element of elementsOf((await gateway.call(path)).text)) elements.add(element);
    await fc.assert(
      fc.asyncProperty(query, async (each) => {
        const reply = await gateway.call(`/?${each}`);
        expect(reply.status).toBe(200);
        expect(reply.text).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u);
        expect(reply.text.length).toBeLessThan(100_000);
        // Only elements of the page itself.
        expect(elementsOf(reply.text).filter((element) => !elements.has(element))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('makes visible what would hide in a search, and keeps the search in the links to its pages', async () => {
    const reply = await gateway.call(`/?q=${encodeURIComponent('\u202eother <i>"\u0007')}`);
    expect(reply.text).toContain('value="\\u202eother &lt;i&gt;&quot;\\u0007"');
    expect(reply.text).toContain('<bdi>\\u202eother &lt;i&gt;&quot;\\u0007</bdi>');
    const found = await gateway.call('/?q=%20OTHER%20%20get+');
    expect(linksOf(found.text)).toContain('./?q=OTHER++get&page=2');
    expect(namesOf((await gateway.call('/?q=OTHER++get&page=2')).text)).toHaveLength(5);
    const long = await gateway.call(`/?q=${'x'.repeat(5000)}`);
    expect(textOf(long.text)).toContain(`No services for ${'x'.repeat(100)}\n`);
  });

  it('shows the first page for what is no number of a page, and the last for one that is too large', async () => {
    for (const [given, from] of [
      ['-1', 1],
      ['0', 1],
      ['', 1],
      ['1.5', 1],
      ['2x', 1],
      ['%00', 1],
      ['0x2', 1],
      ['2', 51],
      ['3', 51],
      ['9'.repeat(400), 51],
    ] as const)
      expect([given, textOf((await gateway.call(`/?page=${given}`)).text)]).toEqual([
        given,
        expect.stringContaining(`Services ${from} to`),
      ]);
  });
});

describe('the catalogue', () => {
  const large = catalogueOf(registry(many(1000)));

  it('has no page above 100 KB with 1,000 services of ten operations', () => {
    const ids = [0, 500, 999].map((at) => `service=Many${String(at).padStart(4, '0')}.v1`);
    const pages = Array.from({ length: 20 }, (_, at) => `page=${at + 1}`);
    for (const query of [
      undefined,
      ...pages,
      ...ids,
      'q=kind',
      'q=many&page=20',
      'q=kind3+reads+service',
      'q=nothing',
    ]) {
      const html = large.html(query);
      expect([query, Buffer.byteLength(html) <= 100_000]).toEqual([query, true]);
      expectAccessible(html);
    }
    const listed = pages.flatMap((query) => namesOf(large.html(query)));
    expect([listed.length, new Set(listed).size]).toEqual([1000, 1000]);
  });

  it('cuts long descriptions in lists only', () => {
    expect(large.html()).toMatch(/<p>Service 0\. (?:About it\. )+About it…<\/p>|<p>Service 0\. [^<]{180,200}…<\/p>/);
    expect(large.html('service=Many0000.v1')).toContain('About it. '.repeat(60));
  });

  it('keeps a number of pages, however many are asked for, and none of a search', () => {
    const first = large.find('service=Many0000.v1');
    expect(large.find('service=Many0000.v1&other=1&page=x')).toBe(first);
    for (let at = 1; at < 49; at += 1) large.find(`service=Many${String(at).padStart(4, '0')}.v1`);
    expect(large.find('service=Many0000.v1')).toBe(first);
    for (let at = 100; at < 150; at += 1) large.find(`service=Many0${at}.v1`);
    expect(large.find('service=Many0000.v1')).not.toBe(first);
    const found = large.find('q=many0001');
    expect(large.find('q=many0001')).not.toBe(found);
    expect(large.find('q=many0001')).toEqual(found);
  });

  it('finds services by each of their words, those first that have them in their names', () => {
    const order = document('ORDER_LINES', [field('ID')]);
    const padding = many(10);
    const { html } = catalogueOf(
      registry({
        ...padding,
        'Archive.v1': {
          description: 'Old orders of Zürich.',
          operations: { KEEP: { templates: ['boxes/{ID}'], request: order } },
        },
        'Orders.v2': { operations: { ORDERS_GET: { templates: ['open'] }, PLACE: { soap: true } } },
      }),
    );
    const finds = (q: string): string[] => namesOf(html(new URLSearchParams({ q }).toString()));
    expect(finds('ORDER')).toEqual(['Orders.v2', 'Archive.v1']);
    expect(finds('zu\u0308RICH old')).toEqual(['Archive.v1']);
    for (const word of ['keep', 'boxes/', 'order_lines', 'archive.v1/BOXES'])
      expect([word, finds(word)]).toEqual([word, ['Archive.v1']]);
    expect(finds('place.v2')).toEqual(['Orders.v2']);
    expect(finds('orders boxes')).toEqual(['Archive.v1']);
    expect(finds('orders nothing')).toEqual([]);
    expect(finds('keep\norders')).toEqual(['Archive.v1']);
    expect(linksOf(html('q=orders+open'))).toContain('./?service=Orders.v2#ORDERS_GET');
  });

  it('has everything on one page as long as that is short, which a search does not change', () => {
    const { html } = catalogueOf(registry(many(6)));
    expect(html().match(/<article>/g)).toHaveLength(60);
    expect(html()).not.toContain('<form');
    expect(linksOf(html())).toContain('#Many0005.v1');
    expect(html('q=+&page=7')).toBe(html());
    expect(namesOf(html('q=many0003'))).toEqual(['Many0003.v1']);
    expectAccessible(html());
    expect(Buffer.byteLength(html())).toBeLessThanOrEqual(100_000);
    expect(namesOf(catalogueOf(registry(many(7))).html())).toHaveLength(7);
    const long = {
      ...many(1),
      'Long.v1': { description: 'x'.repeat(100_000), operations: { ONE: { templates: ['one'] } } },
    };
    expect(namesOf(catalogueOf(registry(long)).html())).toHaveLength(2);
    expect(textOf(catalogueOf(registry({})).html())).toContain('No service is active.');
  });

  it('shows what would hide in a definition', () => {
    const hidden = {
      templates: ['a'],
      description: 'Pays \u202eevil\u202c\u0000. \u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    };
    const { html } = catalogueOf(registry({ 'One.v1': { description: '\u2067x', operations: { ONE: hidden } } }));
    for (const page of [html(), html('q=one'), html('service=One.v1')]) {
      expect(page).toContain('<p>\\u2067x</p>');
      expect(page).not.toMatch(/[\0\u202e\u202c\u2067]/);
    }
    expect(html()).toContain(
      '<p>Pays \\u202eevil\\u202c\\u0000. \u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645</p>',
    );
  });

  it('links to the console of a gateway that has one', () => {
    const built = registry(many(10));
    const { html } = catalogueOf(built, { console: '/console?a=1&b="' });
    for (const query of [undefined, 'q=many', 'service=Many0001.v1'])
      expect(html(query)).toContain('<a href="/console?a=1&amp;b=&quot;">Console</a>');
    expect(catalogueOf(built).html()).not.toContain('Console');
  });

  it('marks a deprecated service', () => {
    const gone = {
      ...many(7),
      'Gone.v1': { deprecated: { sunset: '2027-01-31' }, operations: { GONE: { templates: ['gone'] } } },
    };
    const { html } = catalogueOf(registry(gone));
    for (const query of [undefined, 'service=Gone.v1'])
      expect(textOf(html(query))).toMatch(/Gone v1\s*deprecated until 2027-01-31/);
  });
});
