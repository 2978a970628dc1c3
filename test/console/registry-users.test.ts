import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';
import { FILES } from './users-project.ts';

const HELLO = 'definitions/hello.yaml';
/** Users of the definitions that the pages of another one must not name. */
const NAMED = /\b(?:demo|guest)\b/;

describe('the registry for one who does not manage users', () => {
  let gateway: ConsoleGateway;
  let operator: Visitor;
  let reader: Visitor;
  beforeAll(async () => {
    gateway = await startConsole({
      files: { ...FILES, [HELLO]: (FILES[HELLO] as string).replace('GREETINGS', 'EVERYTHING') },
    });
    operator = await gateway.signIn();
    const fields = { id: 'looks', password: 'correct horse', role: 'READER', sure: 'read' };
    expect((await operator.post('/users/new', fields)).status).toBe(303);
    reader = await gateway.signIn('looks', 'correct horse');
  });
  afterAll(() => gateway?.stop());

  /** All pages of the registry that links lead to, by path. */
  async function crawled(visitor: Visitor): Promise<ReadonlyMap<string, string>> {
    const pages = new Map<string, string>();
    const open = ['/registry', '/registry/files'];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (pages.has(path)) continue;
      const { text } = await visitor.get(path);
      pages.set(path, text);
      for (const [, to = ''] of text.matchAll(/href="\/console(\/registry\/[^"#?]+)/g)) open.push(to);
    }
    return pages;
  }

  it('names no user on any page, and shows roles, permission lists and their lines', async () => {
    const pages = await crawled(reader);
    for (const path of [
      '/registry/operations/HELLO',
      '/registry/roles/ALL',
      '/registry/files/definitions%2Fusers.yaml',
    ])
      expect([...pages.keys()]).toContain(path);
    expect([...pages].filter(([, text]) => NAMED.test(text)).map(([path]) => path)).toEqual([]);
    const operation = pages.get('/registry/operations/HELLO') as string;
    expect(operation).toContain('role ALL');
    expect(operation).toMatch(/href="[^"]*users\.yaml#L\d+"/);
    const file = pages.get('/registry/files/definitions%2Fusers.yaml') as string;
    expect(file).toContain('permission-list: SEEING');
    expect(file).toContain('# A user. The grant `users` shows it.');
    expect(file).not.toContain('password:');
  });

  it('names them to those who do, on lines of the same numbers', async () => {
    const pages = await crawled(operator);
    expect(pages.get('/registry/operations/HELLO')).toContain('demo has the role');
    expect(pages.get('/registry/roles/ALL')).toContain('Users of the definitions');
    const path = '/registry/files/definitions%2Fusers.yaml';
    const lineOf = (text = ''): string | undefined => /id="(L\d+)"[^\n]*permission-list: SEEING/.exec(text)?.[1];
    expect(lineOf(pages.get(path))).toMatch(/^L\d+$/);
    expect(lineOf((await reader.get(path)).text)).toBe(lineOf(pages.get(path)));
  });
});
