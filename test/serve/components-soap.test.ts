import { afterAll, beforeAll, expect, it } from 'vitest';
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

it('changes what is given, and takes away what is nil', async () => {
  await call('PLACE_POST', '<REGION>S</REGION><ID>2</ID><NAME>n2</NAME><PRICE>2.00</PRICE><CHECKED>Y</CHECKED>');
  const changed = await call('PLACE_PATCH', '<REGION>S</REGION><ID>2</ID><PRICE xsi:nil="true"/><BIG>5</BIG>');
  expect(changed.text).toContain('<NAME>n2</NAME><STATUS>A</STATUS><BIG>5</BIG><CHECKED>Y</CHECKED>');
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
