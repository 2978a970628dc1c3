import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entered } from './form.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';

/** Operations and flows of the sample that can be tried, with the ways of calling each. */
async function everything(visitor: Visitor): Promise<readonly { readonly id: string; readonly way: string }[]> {
  const ids: string[] = [];
  let next: string | undefined = '/try';
  while (next !== undefined) {
    const { text } = await visitor.get(next);
    ids.push(
      ...[...text.matchAll(/href="\/console\/try\/([^"?]+)"/g)].map(([, id]) => decodeURIComponent(id as string)),
    );
    next = /<nav class="pager"[^>]*><a href="\/console([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  const all: { id: string; way: string }[] = [];
  for (const id of new Set(ids)) {
    const { text } = await visitor.get(`/try/${encodeURIComponent(id)}`);
    const ways = new Set([...text.matchAll(/\?way=([\w.-]+)/g)].map(([, way]) => way as string));
    all.push(...[...ways].map((way) => ({ id, way })));
  }
  return all;
}

/** Configuration of the sample's partners; nothing is sent to them. */
const CONFIGURED = {
  ...{
    WSDL_NODE_URL: 'http://127.0.0.1:9/',
    DOCLIB_AUTH_URL: 'http://127.0.0.1:9',
    DOCLIB_HOST: 'documents.invalid',
  },
  ...{ DOCLIB_CLIENT_ID: 'client', DOCLIB_CLIENT_SECRET: 'canary-Secret-1', DOCLIB_APPLICATION_ID: 'app' },
  ...{ THIRD_PARTY_URL: 'http://127.0.0.1:9', THIRD_PARTY_PASSWORD: 'canary-Secret-2' },
};

describe('every operation of the sample', () => {
  let gateway: ConsoleGateway;
  let visitor: Visitor;
  beforeAll(async () => {
    gateway = await startConsole({ env: CONFIGURED });
    visitor = await gateway.signIn();
  });
  afterAll(() => gateway.stop());

  it('has a form whose example is a request that the gateway can read', { timeout: 120_000 }, async () => {
    const all = await everything(visitor);
    expect(all.length).toBeGreaterThan(60);
    const wrong: string[] = [];
    let sentAll = 0;
    for (const { id, way } of all) {
      const path = `/try/${encodeURIComponent(id)}`;
      const opened = await visitor.get(`${path}?way=${way}`);
      expect(opened.status, id).toBe(200);
      const fields = entered(opened.text);
      const shown = await visitor.post(`${path}?way=${way}`, { ...fields, do: 'show' });
      if (shown.status !== 200)
        wrong.push(`${id} ${way}: ${/class="(?:bad|notice bad)"[^>]*>(.*?)<\/p>/s.exec(shown.text)?.[1]}`);
      expect(shown.text).not.toContain('canary-Secret');
      // Calls of other systems are not made here.
      if (opened.text.includes('>Dry run</button>')) continue;
      sentAll += 1;
      const before = gateway.log().length;
      const sent = await visitor.post(`${path}/send?way=${way}`, { ...fields, confirmed: 'yes' });
      const line = gateway
        .log()
        .slice(before)
        .find(({ via }) => via === 'console');
      if (line === undefined) wrong.push(`${id} ${way}: was not sent: ${sent.status}`);
      else if (/^BAD_|^MISSING_|UNSUPPORTED|NOT_ACCEPT/.test(String(line.fault)))
        wrong.push(
          `${id} ${way}: ${line.fault} ${/class="differences".*|"message.{0,200}/s.exec(sent.text)?.[0].slice(0, 300)}`,
        );
      else expect(line).toMatchObject({ operation: id, scheme: line.user === undefined ? undefined : 'session' });
    }
    expect(wrong).toEqual([]);
    expect(sentAll).toBeGreaterThan(50);
  });
});
