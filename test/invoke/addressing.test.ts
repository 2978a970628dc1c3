import { describe, expect, it } from 'vitest';
import type { SoapForm } from '../../src/model/service.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { childrenOf, textOf, type XmlElement } from '../../src/wire/xml/tree.ts';
import { document, field } from '../support/registry.ts';
import { type Answer, client, node, partner, SERVICE_NAMESPACE, type Seen, target, thrown } from './support.ts';

const WSA = 'http://www.w3.org/2005/08/addressing';
const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const SAID = document('SAID', [field('S')]);

/** A client of an operation with `addressing: true`. */
function caller(url: string, env: Readonly<Record<string, string>> = {}, more: Partial<SoapForm> = {}) {
  const registry = partner(node('PARTNER', [url]), { request: SAID, response: SAID });
  const operation = registry.consumers.get('FILE_SEND')!;
  if (operation.kind === 'soap') Object.assign(operation.soap, { addressing: true, ...more });
  return client(registry, { env });
}

/** The header blocks of a request by their names. */
function blocksOf({ body }: Pick<Seen, 'body'>): Record<string, string> {
  const [header] = childrenOf(readXml(body.toString()));
  const text = (block: XmlElement): string => (childrenOf(block)[0] ? textOf(childrenOf(block)[0]!) : textOf(block));
  return Object.fromEntries(childrenOf(header!).map((block) => [block.local, text(block).trim()]));
}

/** A reply that relates to a message. */
function related(id: string, body = `<r:SAID xmlns:r="${SERVICE_NAMESPACE}"><r:S>ok</r:S></r:SAID>`): Answer {
  const blocks = `<a:RelatesTo s:mustUnderstand="1">${id}</a:RelatesTo><a:Action s:mustUnderstand="1">urn:done</a:Action><a:To s:mustUnderstand="1">${WSA}/anonymous</a:To>`;
  const envelope = `<s:Envelope xmlns:s="${SOAP}" xmlns:a="${WSA}"><s:Header>${blocks}</s:Header><s:Body>${body}</s:Body></s:Envelope>`;
  return { headers: { 'Content-Type': 'text/xml' }, body: envelope };
}

describe('a call with `addressing: true`', () => {
  it('states the address that it calls, its action, its id, and that the reply is expected there', async () => {
    const { url, seen } = await target((request) => related(blocksOf(request).MessageID!));
    const { value } = await caller(`${url}/orders/7`).call('FILE_SEND', { S: 'x' });
    expect(value).toEqual({ S: 'ok' });
    expect(blocksOf(seen[0]!)).toEqual({
      To: `${url}/orders/7`,
      Action: 'FILE_SEND.v1',
      MessageID: expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/),
      ReplyTo: `${WSA}/anonymous`,
    });
  });

  it('states the address without its user, and shows it without the values of its query', async () => {
    const { url, seen } = await target((request) => related(blocksOf(request).MessageID!));
    const secret = 'geheim&wert';
    const base = `${url.replace('://', '://me:word@')}/in?code=${encodeURIComponent(secret)}`;
    const calling = caller('${secret:BASE}', { BASE: base });
    await calling.call('FILE_SEND', { S: 'x' });
    expect(blocksOf(seen[0]!).To).toBe(`${url}/in?code=${encodeURIComponent(secret)}`);
    const shown = calling.preview('FILE_SEND', { S: 'x' });
    expect(shown.body).toContain(`>${url}/in?code=***</wsa:To>`);
    expect(shown.body).not.toContain('geheim');
  });

  it('refuses a reply that relates to another message', async () => {
    const { url } = await target(related('urn:uuid:another'));
    const failed = await thrown(caller(url).call('FILE_SEND', { S: 'x' }));
    expect(failed).toMatchObject({ code: 'BAD_REPLY' });
    expect((failed as Error).message).toMatch(/relates to the message urn:uuid:another, not to urn:uuid:/);
  });

  it('accepts a reply without header blocks', async () => {
    const body = `<s:Envelope xmlns:s="${SOAP}"><s:Body><r:SAID xmlns:r="${SERVICE_NAMESPACE}"><r:S>ok</r:S></r:SAID></s:Body></s:Envelope>`;
    const { url } = await target({ headers: { 'Content-Type': 'text/xml' }, body });
    expect((await caller(url).call('FILE_SEND', { S: 'x' })).value).toEqual({ S: 'ok' });
  });
});
