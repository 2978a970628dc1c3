import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '../support/gateway.ts';
import { type ComponentsGateway, startComponents } from './components-project.ts';

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const NAMESPACE = 'urn:test:Places.v1';

let box: ComponentsGateway;
beforeAll(async () => {
  box = await startComponents('sqlite');
});
afterAll(() => box.stop());

const call = (operation: string, fields: string): Promise<Reply> =>
  box.call('/gateway/PeopleSoftServiceListeningConnector', {
    method: 'POST',
    headers: { 'content-type': 'text/xml', SOAPAction: `${operation}.v1` },
    body: `<e:Envelope xmlns:e="${SOAP}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><e:Body><${operation} xmlns="${NAMESPACE}">${fields}</${operation}></e:Body></e:Envelope>`,
  });
const KEYS = '<REGION>S</REGION><ID>1</ID>';

it('saves, reads and removes a record over SOAP', async () => {
  const made = await call('PLACE_POST', `${KEYS}<NAME>one</NAME><PRICE>1.50</PRICE>`);
  expect(made.status).toBe(200);
  expect(made.text).toContain('<REGION>S</REGION><ID>1</ID><NAME>one</NAME><STATUS>A</STATUS><PRICE>1.50</PRICE>');
  expect(made.text).toMatch(/PLACE_POSTResponse[ >]/);
  expect((await call('PLACE_PUT', `${KEYS}<NAME>two</NAME><REVISION>1</REVISION>`)).text).toContain(
    '<REVISION>2</REVISION>',
  );
  expect((await call('PLACE_SAVE', `${KEYS}<NAME>three</NAME>`)).text).toContain('<REVISION>3</REVISION>');
  expect((await call('PLACE_GET', KEYS)).text).toContain('<NAME>three</NAME>');
  const gone = await call('PLACE_DELETE', `${KEYS}<REVISION>3</REVISION>`);
  expect(gone.status).toBe(200);
  expect(gone.text).toMatch(/PLACE_DELETEResponse[^>]*><REGION>S<\/REGION><ID>1<\/ID><\//);
});

describe('a change over SOAP', () => {
  const KEPT = '<NAME>n2</NAME><STATUS>A</STATUS><PRICE>2.00</PRICE><CHECKED>Y</CHECKED>';
  const ID = '<REGION>S</REGION><ID>2</ID>';
  beforeEach(async () => {
    await call('PLACE_DELETE', ID);
    await call('PLACE_POST', `${ID}<NAME>n2</NAME><PRICE>2.00</PRICE><CHECKED>Y</CHECKED>`);
  });

  it('changes what is given and nothing else', async () => {
    const changed = await call('PLACE_PATCH', `${ID}<BIG>5</BIG>`);
    expect(changed.text).toContain(
      '<NAME>n2</NAME><STATUS>A</STATUS><PRICE>2.00</PRICE><BIG>5</BIG><CHECKED>Y</CHECKED>',
    );
  });

  it('empties what it names in clear, once or more', async () => {
    const changed = await call('PLACE_PATCH', `${ID}<BIG>5</BIG><clear>PRICE</clear><clear>CHECKED</clear>`);
    expect(changed.text).toContain('<NAME>n2</NAME><STATUS>A</STATUS><BIG>5</BIG>');
    expect(changed.text).not.toMatch(/PRICE|CHECKED/);
  });

  it.each([
    [
      'nil',
      '<PRICE xsi:nil="true"/>',
      'PRICE is nil, and a change takes no nil: leave the element out to keep what there is; to empty it write &lt;clear&gt;PRICE&lt;/clear&gt;.',
    ],
    [
      'nil in a required field',
      '<NAME xsi:nil="1"/>',
      'NAME is nil, and a change takes no nil: leave the element out to keep what there is.',
    ],
    [
      'a field both given and cleared',
      '<PRICE>3</PRICE><clear>PRICE</clear>',
      'PRICE has a value, and &lt;clear&gt; empties it: a change says one of the two.',
    ],
    ['a required field cleared', '<clear>NAME</clear>', 'clear[0] is &quot;NAME&quot;, not one of '],
    ['a key cleared', '<clear>ID</clear>', 'clear[0] is &quot;ID&quot;, not one of '],
    ['the lock cleared', '<clear>REVISION</clear>', 'clear[0] is &quot;REVISION&quot;, not one of '],
    ['a field that does not exist cleared', '<clear>PRISE</clear>', '(did you mean PRICE?)'],
  ])('refuses %s with a Client fault, and changes nothing', async (_, fields, words) => {
    const refused = await call('PLACE_PATCH', ID + fields);
    expect(refused.status).toBe(500);
    expect(refused.text).toContain('<faultcode>soap:Client</faultcode>');
    expect(refused.text.replaceAll('"', '&quot;')).toContain(words);
    expect((await call('PLACE_GET', ID)).text).toContain(KEPT);
  });

  it('takes an element that says it is not nil', async () => {
    const changed = await call('PLACE_PATCH', `${ID}<PRICE xsi:nil="false">3.00</PRICE>`);
    expect(changed.text).toContain('<PRICE>3.00</PRICE>');
  });

  it('is described without nillable fields', async () => {
    const wsdl = await box.call('/gateway/PeopleSoftServiceListeningConnector/Places.v1?wsdl');
    const [, type = ''] =
      /<xs:complexType name="PLACE_PATCH_SOAP_REQUEST">(.*?)<\/xs:complexType>/s.exec(wsdl.text) ?? [];
    expect(type).not.toContain('nillable');
    const [, values = ''] = /name="clear" minOccurs="0" maxOccurs="unbounded">(.*)/s.exec(type) ?? [];
    const named = [...values.matchAll(/enumeration value="(\w+)"/g)].map(([, name]) => name);
    expect(named).toContain('PRICE');
    expect(named).not.toContain('NAME');
    expect(named).not.toContain('REVISION');
  });
});

it('answers faults as SOAP faults, with the fault document in their detail', async () => {
  for (const [operation, fields, code] of [
    ['PLACE_GET', '<REGION>S</REGION><ID>99</ID>', 'NOT_FOUND'],
    ['PLACE_PUT', '<REGION>S</REGION><ID>99</ID><NAME>x</NAME><REVISION>4</REVISION>', 'CONFLICT'],
    ['PLACE_DELETE', '<REGION>S</REGION><ID>99</ID>', 'NOT_FOUND'],
    ['PLACE_PUT', '<REGION>S</REGION><ID>99</ID><NAME>!fault</NAME>', 'NOT_TODAY'],
    ['PLACE_PUT', '<REGION>S</REGION><ID>99</ID>', 'BAD_PARAMETER'],
  ] as const) {
    const reply = await call(operation, fields);
    expect(reply.status).toBe(500);
    expect(reply.text).toContain(`${code}</`);
    expect(reply.text).toContain('Fault>');
  }
});
