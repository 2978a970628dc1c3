import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, sampleCalls } from '../readme/readme-text.ts';
import { has, run, type Served, serve, shell } from './support.ts';

const locations = '/gateway/RESTListeningConnector/Locations.v1/Locations/?region=N';

/** What curl got: status and headers of the last reply, its body, and curl's own exit code. */
interface Got {
  readonly code: number | null;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Connections that curl opened, an entry a transfer. */
  readonly connects: readonly number[];
}

describe.skipIf(!has('curl'))('curl (needs curl)', () => {
  let gateway: Served;
  beforeAll(async () => {
    gateway = await serve();
  });
  afterAll(() => gateway?.stop());

  async function curl(...args: string[]): Promise<Got> {
    const written = '\n%{stderr}%{num_connects}\n';
    const { code, stdout, stderr } = await run('curl', ['-sS', '-m', '20', '-i', '-w', written, ...args]);
    let rest = stdout;
    let head = '';
    // Interim replies, and those that curl itself follows up, come before the last one.
    while (/^HTTP\/[\d.]+ \d{3}/.test(rest)) {
      const end = rest.indexOf('\r\n\r\n');
      head = rest.slice(0, end);
      rest = rest.slice(end + 4);
    }
    const [first = '', ...lines] = head.split('\r\n');
    return {
      code,
      status: Number(first.split(' ')[1]),
      headers: new Headers(lines.map((line): [string, string] => [line.split(':', 1)[0] as string, headerValue(line)])),
      body: rest.replace(/\n$/, ''),
      connects: (stderr.match(/^\d+$/gm) ?? []).map(Number),
    };
  }
  const headerValue = (line: string): string => line.slice(line.indexOf(':') + 1).trim();
  const url = (path: string): string => `${gateway.address}${path}`;
  const demo = ['-u', 'demo:demo'];

  test.each(sampleCalls)('the README: %s', async (command) => {
    const { code, stdout } = await shell(`${at(gateway.address, command)} --fail-with-body -sS`);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[<{]/) });
  });

  test("the README's two calls answer what the specification documents", async () => {
    const [lookup, query] = sampleCalls.map((command) => at(gateway.address, command));
    const wrapped = (await shell(lookup as string)).stdout;
    expect(wrapped).toMatch(/^<data psnonxml='Yes'><!\[CDATA\[\{"LOC_RESPONSE":\{"LOC_DATA":\[.*\]\]><\/data>$/s);
    const result = JSON.parse((await shell(query as string)).stdout) as {
      status: string;
      data: { query: { numrows: number; rows: Record<string, unknown>[] } & Record<string, unknown> };
    };
    expect(result).toMatchObject({ status: 'success', data: { query: { 'queryname=': 'PROCESS_MONITOR' } } });
    expect(result.data.query.numrows).toBe(100);
    expect(result.data.query.rows).toHaveLength(100);
    expect(result.data.query.rows[0]).toMatchObject({ 'attr:rownumber': 1, OPRID: 'VP1' });
  });

  test('without credentials 401; --anyauth finds the way by itself', async () => {
    const refused = await curl(url(locations));
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+", charset="UTF-8"$/);
    expect(refused.body).toContain('Credentials');
    expect((await curl('--anyauth', ...demo, url(locations))).status).toBe(200);
    expect((await curl('-u', 'demo:wrong', url(locations))).status).toBe(401);
    expect((await curl('-u', 'guest:guest', url(locations))).status).toBe(403);
  });

  test('dot segments that arrive are refused; those that curl folds away are not there', async () => {
    const dotted = '/gateway/RESTListeningConnector/LOCAL/../Locations.v1/Locations/?region=N';
    const refused = await curl(...demo, '--path-as-is', url(dotted));
    expect(refused).toMatchObject({ status: 400, body: expect.stringContaining('dot segment') });
    expect((await curl(...demo, url(dotted))).status).toBe(200);
  });

  test('-I: the headers of the reply to GET, and no body', async () => {
    const got = await curl(...demo, url(locations));
    const head = await curl(...demo, '-I', url(locations));
    expect(head).toMatchObject({ code: 0, status: 200, body: '' });
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(got.body)));
    expect(head.headers.get('content-type')).toBe(got.headers.get('content-type'));
  });

  test('-X OPTIONS: what is allowed, without credentials', async () => {
    const options = await curl('-X', 'OPTIONS', url(locations));
    expect(options).toMatchObject({ status: 204, body: '' });
    expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  test('HTTP/1.0: a whole reply, then the connection closes', async () => {
    const got = await curl(...demo, '--http1.0', url(locations));
    expect(got).toMatchObject({ code: 0, status: 200, body: expect.stringMatching(/<\/data>$/) });
    expect(got.headers.get('connection')).toBe('close');
    expect(got.headers.has('transfer-encoding')).toBe(false);
  });

  test('HTTP/2: the offer to upgrade is passed over; prior knowledge fails and leaves the gateway standing', async () => {
    expect((await curl(...demo, '--http2', url(locations))).status).toBe(200);
    expect((await curl(...demo, '--http2-prior-knowledge', url(locations))).code).not.toBe(0);
    expect((await curl(url('/health/live'))).status).toBe(200);
  });

  test('--compressed: the same reply, as long as its length says', async () => {
    const plain = await curl(...demo, url(locations));
    const got = await curl(...demo, '--compressed', url(locations));
    expect(got).toMatchObject({ code: 0, status: 200, body: plain.body });
  });

  test('a body where none is taken: POST is 405 with Allow, GET is 400 that says so', async () => {
    const post = await curl(...demo, '-d', '{"a":1}', '-H', 'Content-Type: application/json', url(locations));
    expect(post.status).toBe(405);
    expect(post.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    const get = await curl(...demo, '-X', 'GET', '-d', '{"a":1}', url(locations));
    expect(get).toMatchObject({ status: 400, body: expect.stringContaining('body') });
  });

  test('a large body that nobody takes: an answer, not a broken connection', async () => {
    const file = join(tmpdir(), `signalbox-large-${process.pid}`);
    writeFileSync(file, Buffer.alloc(20 * 1024 * 1024));
    try {
      for (const how of [
        ['--data-binary', `@${file}`],
        ['-T', file],
      ])
        expect(await curl(...demo, ...how, url(locations))).toMatchObject({ code: 0, status: 405 });
    } finally {
      rmSync(file);
    }
  });

  test('-G --data-urlencode builds the query; a value too long is named', async () => {
    const path = url('/gateway/RESTListeningConnector/Locations.v1/Locations/');
    expect((await curl(...demo, '-G', '--data-urlencode', 'region=N', path)).status).toBe(200);
    const refused = await curl(...demo, '-G', '--data-urlencode', 'region=é€', path);
    expect(refused).toMatchObject({ status: 400, body: expect.stringContaining('REGION') });
    expect((await curl(...demo, path)).status).toBe(400);
  });

  test('Accept decides on the wrapper', async () => {
    const json = await curl(...demo, '-H', 'Accept: application/json', url(locations));
    expect(json.headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(json.body)).toHaveProperty('LOC_RESPONSE.LOC_DATA');
    expect((await curl(...demo, '-H', 'Accept: text/html', url(locations))).status).toBe(406);
  });

  test('a second transfer goes over the same connection', async () => {
    const got = await curl(...demo, url(locations), url(locations));
    expect(got.connects).toEqual([1, 0]);
  });
});
