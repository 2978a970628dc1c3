import { describe, expect, it } from 'vitest';
import type { MadeCall } from '../../src/invoke/calls.ts';
import { load } from '../load/linked.ts';
import { remote } from './rest-support.ts';
import {
  type Answer,
  client,
  FILE,
  node,
  partner,
  reply,
  SERVICE_NAMESPACE,
  SUM,
  TROUBLE,
  target,
  thrown,
} from './support.ts';

const ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';
const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';

async function called(answer: Answer, lenient: boolean) {
  const { url } = await target(answer);
  const made: MadeCall[] = [];
  const registry = partner(node('PARTNER', [url]), { request: FILE, response: SUM, fault: TROUBLE, lenient });
  const call = client(registry, { onCall: (each) => void made.push(each) }).call('FILE_SEND', { name: 'a' });
  return { call, made };
}

const inReply = (fields: string, attributes = ''): Answer =>
  reply(`<p:FILE_SENDResponse xmlns:p="${SERVICE_NAMESPACE}" ${attributes}>${fields}</p:FILE_SENDResponse>`);

const MORE = inReply('<p:name hue="1">a.pdf</p:name><p:pages>2</p:pages><p:length>3</p:length><q/>', 'colour="red"');

describe('elements and attributes of a reply over SOAP that its document does not have', () => {
  it('are an error', async () => {
    const { call } = await called(inReply('<p:pages>2</p:pages>'), false);
    expect(await thrown(call)).toMatchObject({
      code: 'BAD_REPLY',
      message: expect.stringMatching(/pages is not a field of SUM/),
    });
  });

  it('are ignored and counted where the call is lenient', async () => {
    const { call, made } = await called(MORE, true);
    const note = 'ignored 4 parts of the reply that its document does not declare';
    expect(await call).toMatchObject({ value: { name: 'a.pdf', length: 3 }, note });
    expect(made).toMatchObject([{ note }]);
  });

  it('leave no note where there are none', async () => {
    const { call } = await called(inReply('<p:name>a.pdf</p:name>'), true);
    expect((await call).note).toBeUndefined();
  });

  it('are ignored in the detail of a fault too', async () => {
    const detail = `<t:TROUBLE xmlns:t="${SERVICE_NAMESPACE}" hue="1"><t:message>no room</t:message><t:shelf>9</t:shelf></t:TROUBLE>`;
    const fault = reply(
      `<e:Fault xmlns:e="${ENVELOPE}"><faultcode>e:Server</faultcode><faultstring>No</faultstring><detail>${detail}</detail></e:Fault>`,
      500,
    );
    expect(await thrown((await called(fault, false)).call)).toMatchObject({ detail: undefined });
    expect(await thrown((await called(fault, true)).call)).toMatchObject({ detail: { message: 'no room' } });
  });
});

it('attributes of other namespaces in a reply are for others, and are not counted', async () => {
  const answer = inReply(
    '<p:name u:Id="n">a.pdf</p:name><p:length e:encodingStyle="">3</p:length>',
    `xmlns:u="${WSU}" xmlns:e="${ENVELOPE}" u:Id="all" e:encodingStyle=""`,
  );
  for (const lenient of [false, true]) {
    const { call } = await called(answer, lenient);
    const { value, note } = await call;
    expect([value, note]).toEqual([{ name: 'a.pdf', length: 3 }, undefined]);
  }
});

it('`lenient` of an operation overrides that of its service, and that the node', () => {
  const call = (name: string, more = ''): string =>
    `  ${name}: { target: PARTNER, soap: true, request: text, response: text${more} }`;
  const text = (node: string, service: string): string =>
    `permission-list: EVERYTHING\n---\nnode: PARTNER\nbase: https://example.org\n${node}\n---\nservice: Calls.v1\npermission: EVERYTHING\n${service}\noperations:\n${call('A')}\n${call('B', ', lenient: false')}\n${call('C', ', lenient: true')}\n`;
  const lenient = (node: string, service: string): unknown[] =>
    [...load(text(node, service)).consumers.values()].map((each) => each.lenient === true);
  expect(lenient('', '')).toEqual([false, false, true]);
  expect(lenient('lenient: true', '')).toEqual([true, false, true]);
  expect(lenient('lenient: true', 'lenient: false')).toEqual([false, false, true]);
  expect(lenient('', 'lenient: true')).toEqual([true, false, true]);
});

describe('members of a reply over REST that its document does not have', () => {
  it.each([
    ['JSON', 'application/json', '{"name":"a.pdf","pages":2,"length":3,"more":{"name":"b"}}'],
    [
      'XML',
      'application/xml',
      '<SUM xmlns="urn:theirs" hue="1"><name>a.pdf</name><pages>2</pages><length>3</length></SUM>',
    ],
  ])('are ignored in %s, and counted where the call is lenient', async (_, type, body) => {
    const { url } = await target({ headers: { 'Content-Type': type }, body });
    for (const lenient of [false, true]) {
      const registry = remote(url, { method: 'GET', templates: ['x'], response: SUM });
      const consumers = new Map([...registry.consumers].map(([id, each]) => [id, { ...each, lenient }] as const));
      const { value, note } = await client({ ...registry, consumers }).call('SOME_CALL', {});
      expect(value).toEqual({ name: 'a.pdf', length: 3 });
      expect(note).toBe(lenient ? 'ignored 2 parts of the reply that its document does not declare' : undefined);
    }
  });
});
