import { expect, it } from 'vitest';
import { document, field } from '../support/registry.ts';
import { answered, inPartner, multipart } from './reply-support.ts';
import { remote } from './rest-support.ts';
import { client, envelope, SUM_REPLY, target, thrown } from './support.ts';

// Content-Type of replies, as deployed servers send it: read as that of requests is.

const OUT = document('OUT', [field('NAME')]);
const SUM = { name: 'a.pdf', length: 3 };

const rest = async (type: string | string[], response: 'binary' | typeof OUT = OUT) => {
  const { url } = await target({ headers: { 'Content-Type': type as string }, body: '{"NAME":"a"}' });
  return client(remote(url, { method: 'GET', templates: ['x'], response })).call('SOME_CALL', {});
};

it.each<[string | string[]]>([
  ["application/json; charset='utf-8'"],
  ["application/json; charset=''"],
  ['application/json; profile=urn:x/y'],
  ['application/json, application/json'],
  [['application/json', 'application/json']],
])('a reply over REST as %j is read', async (type) => {
  expect((await rest(type)).value).toEqual({ NAME: 'a' });
});

it('one with two types, or with a parameter that can not be read, says so', async () => {
  expect(await thrown(rest(['application/pdf', 'text/csv']))).toMatchObject({
    code: 'BAD_REPLY',
    message: expect.stringContaining('(it has two different values, "application/pdf" and "text/csv")'),
  });
});

it('content that is passed on has a type that can be sent', async () => {
  const { value } = await rest('image/png; name=a/b', 'binary');
  expect(value).toMatchObject({ content: { contentType: 'image/png; name="a/b"' } });
});

it.each([
  "text/xml; charset='utf-8'",
  "text/xml; charset=''",
  'text/xml, text/xml',
  'text/xml; charset=utf-8, text/xml',
  'text/xml; action=urn:x/y',
])('a reply over SOAP as %s is read', async (type) => {
  expect((await answered({ ...SUM_REPLY, headers: { 'Content-Type': type } })).value).toEqual(SUM);
});

it("a package that says type='application/xop+xml' is read", async () => {
  const xml = inPartner('<p:name>a.pdf</p:name><p:length>3</p:length>');
  const lines = [
    '--b',
    "Content-Type: application/xop+xml; charset='utf-8'; type='text/xml'",
    '',
    envelope(xml),
    '--b--',
    '',
  ];
  const type = "multipart/related; type='application/xop+xml'; start-info='text/xml'; boundary=b";
  expect((await answered(multipart(type, lines))).value).toEqual(SUM);
});

it('a reply over SOAP that can not be read says which parameter is wrong', async () => {
  const error = await thrown(answered({ ...SUM_REPLY, headers: { 'Content-Type': 'text/xml; charset="utf-8' } }));
  expect(error).toMatchObject({
    code: 'BAD_REPLY',
    message: expect.stringContaining('(its parameter "charset" has no closing quote)'),
  });
});
