import { expect, it } from 'vitest';
import { faultOf } from '../../src/invoke/find.ts';
import { FlowError, InvokeError, ReplyFault, SoapFault } from '../../src/invoke/index.ts';

const called = { operation: 'FILE_PUT', requestId: 'r' };
const document = { MESSAGE: 'No' };
const overRest = new ReplyFault(called, { fault: document, reason: 'No', detail: '' });
const overSoap = new SoapFault(called, { code: 'Server', subcodes: [], reason: 'No', detail: document, detailXml: '' });

it.each([
  ['a fault over REST', overRest],
  ['a fault over SOAP', overSoap],
  [
    'a flow of which it is a step',
    new FlowError('Files.v1.put', { index: 2, of: 2, operation: 'FILE_PUT' }, overRest, { steps: [] }),
  ],
])('the fault document comes out of %s', (_, error) => {
  expect(faultOf('FILE_PUT', error)).toBe(document);
  expect(faultOf('FILE_GET', error)).toBeUndefined();
});

it.each([
  ['a fault that the document does not fit', new ReplyFault(called, { fault: undefined, reason: 'No', detail: '' })],
  ['another failure of the call', new InvokeError('TIMEOUT', called, 'took long')],
  ['an error of the code around it', new TypeError('no')],
  ['what is no error', 'text'],
])('there is none in %s', (_, error) => {
  expect(faultOf('FILE_PUT', error)).toBeUndefined();
});
