import { signalbox } from '../cli/support.ts';
import { copySample, type SampleCopy } from '../support/sample.ts';

/** What the sample's services over SOAP do not show: every type, messages without a document, one way, a stored query. */
const exchange = `service: Exchange.v1
description: Gives back what it is given.
permission: LOCATIONS
fault: EXCHANGE_FAULT
operations:
  SHIPMENT_ECHO: { soap: true, request: SHIPMENT, response: SHIPMENT }
  BYTES_ECHO: { soap: true, request: binary, response: binary }
  TEXT_ECHO: { soap: true, request: text, response: text }
  XML_ECHO: { soap: true, request: xml, response: xml }
  NOTE_SEND: { soap: true, request: { fields: { TEXT: { type: text, required: true } } } }
  NOTE_GET: { soap: true, response: { fields: { TEXT: text } } }
  DEPARTMENT_GET: { soap: true, query: EMPLOYEES_BY_DEPT }
  TROUBLE: { soap: true, request: { fields: { STATUS: integer } }, response: text }
---
document: SHIPMENT
description: A field of each type.
fields:
  ID: { type: integer, attribute: true, required: true }
  PRICE: { type: decimal(12.2) }
  ACTIVE: boolean
  MARK: flag
  DAY: date
  AT: time
  MOMENT: datetime
  KEY: uuid
  LINK: uri
  BYTES: binary
  NOTE: { type: text, xml: Note }
  STATE: { type: string, enum: [NEW, DONE], default: NEW }
  PLACE: { fields: { CITY: string, LATITUDE: decimal(9.6) } }
  TAGS: list of TAG
  ROWS: { type: list of TAG, flat: true }
  NUMBERS: list of integer
---
document: TAG
xml: tag
fields:
  KEY: { type: string, attribute: true }
  VALUE: integer
---
document: EXCHANGE_FAULT
fields:
  STATUS: { type: integer, default: "{fault.status}" }
  TEXT: { type: text, default: "{fault.message}" }
`;

const handler = (operation: string, code: string): string =>
  `import { Fault } from 'signalbox';
import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler('${operation}', {
  ${code}
});
`;

const noteSend = `async onRequest({ TEXT }, { blobs }) {
    const length = Buffer.byteLength(TEXT);
    await blobs.put('note', { contentType: 'text/plain', length, async *stream() { yield Buffer.from(TEXT); } });
  },`;

const noteGet = `async onRequest(_, { blobs }) {
    const note = await blobs.get('note');
    if (note === undefined) return {};
    let TEXT = '';
    for await (const chunk of note.stream()) TEXT += Buffer.from(chunk).toString();
    return { TEXT };
  },`;

const trouble = `onRequest({ STATUS = 400 }) {
    if (STATUS === 500) throw new Error('of the inside');
    throw Fault.custom('TROUBLE', Number(STATUS), 'Ärger & <mehr> ]]> "so"');
  },`;

const bytesEcho = `async onRequest({ content }, context) {
    const body = Buffer.concat(await Array.fromAsync(content.stream()));
    return context.bytes({ contentType: content.contentType, length: body.length, body });
  },`;

const handlers = {
  'shipment-echo': handler('SHIPMENT_ECHO', 'onRequest: (shipment) => shipment,'),
  'bytes-echo': handler('BYTES_ECHO', bytesEcho),
  'text-echo': handler('TEXT_ECHO', 'onRequest: ({ content }) => content,'),
  'xml-echo': handler('XML_ECHO', 'onRequest: ({ content }) => content,'),
  'note-send': handler('NOTE_SEND', noteSend),
  'note-get': handler('NOTE_GET', noteGet),
  trouble: handler('TROUBLE', trouble),
};

/** The sample with more services over SOAP; generated as a user would. */
export async function soapSample(): Promise<SampleCopy> {
  const copy = copySample({
    'definitions/exchange/service.yaml': exchange,
    ...Object.fromEntries(Object.entries(handlers).map(([file, text]) => [`src/handlers/${file}.ts`, text])),
  });
  const { code, stderr } = await signalbox(['generate'], { cwd: copy.root });
  if (code === 0) return copy;
  copy.remove();
  throw new Error(`The project does not load.\n${stderr}`);
}
