import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT } from './process-project.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';

describe('queries in the console', () => {
  let gateway: ConsoleGateway;
  let demo: Visitor;
  let reader: Visitor;
  beforeAll(async () => {
    gateway = await startConsole({ files: PROJECT });
    demo = await gateway.signIn();
    reader = await gateway.signIn('reader', 'demo');
  });
  afterAll(() => gateway.stop());

  const numbersOf = (text: string): number[] =>
    [...text.matchAll(/<td class="number"[^>]*>(\d+)<\/td><td/g)].map(([, number]) => Number(number));

  it('are listed, those that the user may run', async () => {
    const { text } = await demo.get('/queries');
    for (const name of ['NUMBERS', 'PLAIN', 'WITH_PIN']) expect(text).toContain(`>${name}</a>`);
    expect(text).not.toContain('FORBIDDEN');
    expect(text).toContain('Counts &lt;b&gt;up&lt;/b&gt;.');
    const found = (await demo.get('/queries?q=count')).text;
    expect(found).toContain('NUMBERS');
    expect(found).not.toContain('PLAIN');
    for (const path of ['/queries/FORBIDDEN', '/queries/NONE', '/queries/FORBIDDEN/download?format=csv'])
      expect((await demo.get(path)).status, path).toBe(404);
  });

  it('show their SQL, and their prompts with fields of their types', async () => {
    const { text } = await demo.get('/queries/NUMBERS');
    expect(text).toContain('with recursive t');
    expect(text).toMatch(/<input id="p.COUNT"[^>]* required/);
    expect(text).toMatch(/<select id="p.MOOD".*good \(default\).*<option value="bad">/s);
    expect(text).toMatch(/<input id="p.SINCE" name="p.SINCE" type="date"/);
  });

  it('run, and their rows are text', async () => {
    const { status, text } = await demo.get('/queries/NUMBERS?show=rows&p.COUNT=8&p.MOOD=bad&p.SINCE=');
    expect(status).toBe(200);
    expect(numbersOf(text)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(text).toContain('&lt;script&gt;alert(7)');
    expect(text).not.toContain('<script>alert');
    expect(text).toContain('word 8 bad');
  });

  it('are sorted and paged on the server, over the first thousand rows', async () => {
    const path = '/queries/NUMBERS?show=rows&p.COUNT=2000&sort=-N';
    const first = (await demo.get(path)).text;
    expect(first).toContain('The first 1,000 rows');
    expect(numbersOf(first)).toEqual(Array.from({ length: 100 }, (_, index) => 1000 - index));
    expect(first).toContain('aria-sort="descending"');
    const last = (await demo.get(`${path}&page=10`)).text;
    expect(numbersOf(last).at(-1)).toBe(1);
    expect(last).not.toContain('Next →');
    const next = /<a href="\/console([^"]*)#result">Next/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(numbersOf((await demo.get(next)).text)[0]).toBe(900);
    const few = (await demo.get('/queries/NUMBERS?show=rows&p.COUNT=1000')).text;
    expect(few).toContain('1,000 rows.');
  });

  it.each([
    ['p.COUNT=', 'p.COUNT', 'COUNT is missing.'],
    ['p.COUNT=x', 'p.COUNT', 'COUNT is not an integer'],
    ['p.COUNT=1&p.SINCE=2026-13-01', 'p.SINCE', 'SINCE'],
  ])('do not run with %s: the prompt says why', async (given, id, why) => {
    const { status, text } = await demo.get(`/queries/NUMBERS?show=rows&${given}`);
    expect(status).toBe(422);
    expect(new RegExp(`id="${id}-problem">.*?</p>`).exec(text)?.[0]).toContain(why);
    expect(text).not.toContain('id="result"');
    expect((await demo.get(`/queries/NUMBERS/download?format=csv&${given}`)).status).toBe(422);
  });

  it.each([
    ['csv', /^text\/csv/, 'NUMBERS.csv', /^N,WORD\r\n1,word 1 good/],
    ['json', /^application\/json/, 'NUMBERS.json', /"word 2 good"/],
    ['xmlp', /^application\/xml/, 'NUMBERS.xml', /word 2 good/],
    ['webrowset', /^application\/xml/, 'NUMBERS.webrowset.xml', /word 2 good/],
    ['html', /^text\/html/, 'NUMBERS.html', /word 2 good/],
    ['xlsx', /spreadsheetml/, 'NUMBERS.xlsx', /^PK/],
  ])('are downloaded as %s', async (format, type, name, content) => {
    const { status, headers, text } = await demo.get(`/queries/NUMBERS/download?format=${format}&p.COUNT=2`);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(type);
    expect(headers['content-disposition']).toBe(`attachment; filename*=UTF-8''${name}`);
    expect(headers['content-security-policy']).toContain('sandbox');
    expect(text).toMatch(content);
  });

  it('are downloaded whole, whatever the table shows', async () => {
    const { text } = await demo.get('/queries/NUMBERS/download?format=csv&p.COUNT=5000');
    expect(text.trim().split('\r\n')).toHaveLength(5001);
    expect((await demo.get('/queries/NUMBERS/download?format=pdf&p.COUNT=1')).status).toBe(400);
  });

  it('have a plan, which the database makes without running them', async () => {
    const { text } = await demo.get('/queries/NUMBERS?show=plan&p.COUNT=5000');
    expect(text).toMatch(/SCAN t/);
    expect(text).not.toContain('word 1');
  });

  it('are downloaded as CSV in which no cell is a formula', async () => {
    const { text, headers } = await demo.get('/queries/CELLS/download?format=csv');
    expect(headers['content-disposition'], 'by `csv: { file }`').toContain("''cells.of-today.csv");
    const other = await demo.get('/queries/CELLS/download?format=json');
    expect(other.headers['content-disposition']).toContain("''CELLS.json");
    expect(text).toBe("TEXT,NUMBER\r\n'=1+1,-1\r\n'+a,-2\r\n'-a,-3\r\n'@a,-4\r\nplain,-5\r\n");
  });

  it('with a sensitive prompt are posted, and refuse it in an address', async () => {
    expect((await demo.get('/queries/WITH_PIN')).text).toMatch(
      /method="post" action="\/console\/queries\/WITH_PIN\/run"/,
    );
    for (const path of ['/queries/WITH_PIN?show=rows&p.PIN=4711', '/queries/WITH_PIN/download?format=csv&p.PIN=4711'])
      expect((await demo.get(path)).status, path).toBe(400);
    const { status, text } = await demo.post('/queries/WITH_PIN/run', { show: 'rows', 'p.PIN': 'pin-4711' });
    expect(status).toBe(200);
    expect(text).toContain('>8</td>');
    expect(text).toMatch(/formaction="[^"]*page=2#result"/);
    expect(text).not.toMatch(/(?:href|action)="[^"]*pin-4711/);
    const second = await demo.post('/queries/WITH_PIN/run?sort=-ID&page=2', { show: 'rows', 'p.PIN': 'x' });
    expect(numbersOf(second.text)[0]).toBe(20);
    const file = await demo.post('/queries/WITH_PIN/download', { format: 'csv', 'p.PIN': '123' });
    expect(file.text).toMatch(/^ID,KNOWN\r\n1,3/);
    expect(gateway.log()).toContainEqual(
      expect.objectContaining({ action: 'query.run', target: 'WITH_PIN', user: 'demo' }),
    );
    expect(JSON.stringify(gateway.log())).not.toContain('pin-4711');
  });

  it('can only be looked at without the grant payload', async () => {
    const { text } = await reader.get('/queries/NUMBERS');
    expect(text).toContain('with recursive t');
    expect(text).not.toContain('>Run<');
    for (const path of ['/queries/NUMBERS?show=rows&p.COUNT=1', '/queries/NUMBERS/download?format=csv&p.COUNT=1'])
      expect((await reader.get(path)).status, path).toBe(403);
    for (const path of ['/queries/WITH_PIN/run', '/queries/WITH_PIN/download'])
      expect((await reader.post(path, { show: 'rows', 'p.PIN': 'x' })).status, path).toBe(403);
  });
});
