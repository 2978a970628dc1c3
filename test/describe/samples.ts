import type { Document } from '../../src/model/document.ts';
import type { Registry } from '../../src/model/registry.ts';
import { compound, decimal, document, FAILURE, field, listOf, registry, string } from '../support/registry.ts';

/** Registries that the tests of contracts share. */

const text = (...names: string[]) => names.map((name) => field(name));

const location = document('LOC_DTL_VW', [
  ...text('ADDRESS1', 'CITY', 'DESCR', 'DESCRSHORT'),
  field('EFFDT', 'date'),
  ...text('EFF_STATUS', 'EXTENSION', 'FAX', 'LOCATION', 'MESSAGE_TEXT2', 'PHONE', 'POSTAL', 'STATE'),
]);
const employee = document('EE_LIST_VW', text('DEPTNAME', 'EMAIL_ADDR', 'NAME', 'PHONE', 'TITLE'));
const locationRequest = document('LOC_REQUEST', [
  field('REGION', string(1), { example: 'N', description: 'Region of the locations.' }),
  field('LOCATION', string(10), { example: 'NYC01' }),
]);
const locationResponse = document(
  'LOC_RESPONSE',
  [field('LOC_DATA', listOf(location)), field('EMP_DATA', listOf(employee), { absent: 'blank' })],
  { root: true },
);
const locationFault = document('LOC_FAULT', [field('MESSAGE', 'text', { default: '{fault.message}' })]);

const list = listOf('string');
const executeRequest = document('QAS_EXEQRY_REQ', [
  field('OwnerType', 'string', { enum: ['PUBLIC', 'PRIVATE'], anyCase: true, example: 'PUBLIC' }),
  field('QueryName', string(30), { example: 'PROCESS_MONITOR' }),
  field('OutResultType', 'string', { enum: ['JSON', 'XMLP', 'WEBROWSET', 'CSV'], example: 'JSON' }),
  field('OutResultFormat', 'string', { enum: ['NONFILE'], example: 'NONFILE' }),
  field('isconnectedquery', 'flag', { default: 'N' }),
  field('maxrows', 'integer', { minimum: 0, example: 100 }),
  field('prompt_psqueryname', list),
  field('prompt_uniquepromptname', list),
  field('prompt_fieldvalue', list),
  field('filterfields', list),
  field('json_resp', 'boolean', { example: true }),
]);

const row = (rownumber: Parameters<typeof field>[2]): Document =>
  document('ROW', [field('rownumber', 'integer', rownumber)], { open: true, inPlace: true });
const queryJson = document(
  'QAS_QUERY_JSON',
  [
    field('status'),
    field(
      'data',
      compound(
        document(
          'QAS_QUERY_JSON_DATA',
          [
            field(
              'query',
              compound(
                document(
                  'QAS_QUERY_JSON_QUERY',
                  [
                    field('numrows', 'integer'),
                    field('queryname', 'string', { jsonName: 'queryname=', xmlName: 'queryname' }),
                    field('rows', listOf(row({ jsonName: 'attr:rownumber' }))),
                  ],
                  { inPlace: true },
                ),
              ),
            ),
          ],
          { inPlace: true },
        ),
      ),
    ),
  ],
  { namespace: '' },
);
const queryXml = document(
  'QAS_GETQUERYRESULTS_RESP_MSG',
  [
    field(
      'query',
      compound(
        document(
          'QAS_RESULT_QUERY',
          [
            field('numrows', 'integer', { attribute: true }),
            field('queryname', 'string', { attribute: true }),
            field('row', listOf(row({ attribute: true }), true)),
          ],
          { inPlace: true },
        ),
      ),
    ),
    field('webRowSet', 'xml'),
  ],
  { namespace: '' },
);

const tools = registry({
  'Locations.v1': {
    description: 'Locations of a region, and the people who work at one.',
    operations: {
      LOCATIONS_GET: {
        templates: ['Locations/?region={REGION}', 'Locations/{REGION}/?location={LOCATION}'],
        request: locationRequest,
        response: { 'application/json': locationResponse },
        wrapper: 'psnonxml',
        fault: locationFault,
      },
    },
  },
  'QAS_QRY_SERVICE.v1': {
    description: 'Runs stored queries.',
    delivered: true,
    operations: {
      QAS_EXECUTEQRY_REST_GET: {
        templates: [
          '{OwnerType}/{QueryName}/{OutResultType}/{OutResultFormat}{?isconnectedquery,maxrows,prompt_psqueryname*,prompt_uniquepromptname*,prompt_fieldvalue*,filterfields*,json_resp}',
        ],
        pathName: 'ExecuteQuery',
        request: executeRequest,
        response: { 'application/json': queryJson, 'application/xml': queryXml, 'text/csv': 'text' },
        fault: FAILURE,
      },
      QAS_LISTQUERY_REST_GET: {
        templates: ['{OwnerType}{?search}'],
        pathName: 'ListQuery',
        request: document('QAS_LISTQUERY_REQ', [field('OwnerType'), field('search', string(30))]),
        response: document('QAS_LISTQUERY_RESP', [field('queries', listOf('string'))], { namespace: '' }),
        fault: FAILURE,
      },
    },
  },
});

/** Bodies, statuses, headers and every kind of template that a contract has to put into words. */
const shapes = registry({
  'Shapes.v2': {
    description: 'Every form. <&> "quoted" ]]> \u{1F682} and \u0001',
    deprecated: { since: '2026-01-01', sunset: '2027-01-01' },
    operations: {
      ORDER_PUT: {
        description: 'Stores an order.',
        method: 'PUT',
        templates: ['Orders/{ID}{;version}{?dry_run}', 'Clients/{CLIENT}/Orders{/ID}'],
        request: document('ORDER', [
          field('ID', 'integer', { required: true, minimum: 1 }),
          field('CLIENT', string(8)),
          field('version', 'integer'),
          field('dry_run', 'boolean', { default: false }),
          field('If-Match', string(40), { description: 'Revision that is replaced.' }),
          field('TOTAL', decimal(10, 2), { required: true, minimum: 0, example: 12.5 }),
          field('STATUS', string(1), { enum: ['A', 'I'], default: 'A' }),
          field('CODE', 'string', { patterns: ['[A-Z]{3}-\\d+'], minimum: 5, maximum: 12 }),
          field('DUE', 'datetime', { absent: 'blank' }),
          field('FILE', 'binary'),
          field('META', 'json'),
        ]),
        response: document('ORDER_REPLY', [
          field('ID', 'integer', { required: true }),
          field('DONE', 'boolean'),
          field('TRACE', 'uuid', { absent: 'blank' }),
          field('LINK', 'uri', { minimum: 12 }),
        ]),
        status: 201,
      },
      ORDER_GET: {
        templates: ['Orders/{ID}?view=full&fields={FIELDS}'],
        request: document('ORDER_REQUEST', [field('ID', 'integer'), field('FIELDS', listOf('string'))]),
        response: { 'application/json': document('ORDER_VIEW', [field('NOTE', 'text')], { open: true }) },
        fault: FAILURE,
      },
      ORDER_DELETE: { method: 'DELETE', templates: ['Orders/{NUMBER}'], status: 204, public: true },
      FILE_GET: { templates: ['Files/{+PATH}{.EXT}', 'Parts/{A,B:3}'], response: 'binary' },
      FILE_POST: { method: 'POST', templates: ['Files'], request: 'binary', response: 'text' },
    },
  },
});

const exchangeFault = document(
  'EXCHANGE_FAULT',
  [field('CODE', 'string', { default: '{fault.code}' }), field('MESSAGE', 'text', { default: '{fault.message}' })],
  { description: 'Why a call failed.' },
);
const part = document('PART', [field('KEY', 'string', { attribute: true }), field('VALUE', 'integer')], {
  xmlName: 'part',
});

/** Over SOAP alone and over both, every kind of message, documents in three namespaces and in none. */
const soap = registry({
  'Exchange.v2': {
    description: 'Exchanges <files> & notes.',
    deprecated: { sunset: '2030-01-01' },
    operations: {
      FILE_PUT: {
        description: 'Keeps a file.',
        soap: true,
        request: document('FILE_PUT_REQUEST', [
          field('name', string(80), { required: true, example: 'report.pdf', description: 'Name of the file.' }),
          field('contentType', 'string', { required: true, example: 'application/pdf' }),
          field('content', 'binary', { required: true }),
        ]),
        response: document('FILE_PUT_REPLY', [
          field('name', string(80), { required: true }),
          field('length', 'integer', { required: true, minimum: 0 }),
          field('sha256', string(64), { required: true }),
        ]),
        fault: exchangeFault,
      },
      ORDER_PUT: {
        description: 'Over REST and over SOAP.',
        method: 'PUT',
        templates: ['Orders/{ID}'],
        soap: true,
        request: document('ORDER', [
          field('ID', 'integer', { required: true, example: 7 }),
          field('KIND', 'string', { attribute: true, enum: ['NEW', 'OLD'] }),
          field('PARTS', listOf(part)),
          field('TAG', listOf('string', true)),
          field('PRICE', decimal(10, 2), { namespace: 'urn:prices' }),
          field('BUYER', compound(document('ORDER.BUYER', [field('NAME', 'text')], { inPlace: true }))),
        ]),
        response: {
          'application/xml': document('ORDER_REPLY', [field('DONE', 'boolean'), field('PARTS', listOf(part))], {
            namespace: 'urn:replies',
          }),
        },
        fault: document('ORDER_FAULT', [field('MESSAGE', 'text', { default: '{fault.message}' })], {
          namespace: 'urn:faults',
          xmlName: 'orderFault',
        }),
      },
      BARE_GET: {
        soap: true,
        templates: ['Bare'],
        request: document('BARE_REQUEST', [field('A', 'string', { required: true }), field('B')], { namespace: '' }),
        response: {
          'application/xml': document('BARE_REPLY', [field('ROWS', listOf('integer'))], { namespace: '', open: true }),
        },
        fault: document('BARE_FAULT', [field('MESSAGE', 'text')], { namespace: '' }),
      },
      NOTE_SEND: {
        description: 'Nobody waits.',
        soap: true,
        public: true,
        request: document('NOTE', [field('TEXT', 'text', { required: true })]),
      },
      PING: { soap: true, response: document('PONG', [field('AT', 'datetime')]), fault: exchangeFault },
      XML_ECHO: { soap: true, request: 'xml', response: 'xml' },
      TEXT_ECHO: { soap: true, request: 'text', response: 'json' },
      BYTES_ECHO: { soap: true, request: 'binary', response: 'binary' },
      LIST_GET: { templates: ['List'], response: { 'application/xml': document('LIST', [field('N', 'integer')]) } },
    },
  },
});

export const samples: Readonly<Record<'tools' | 'shapes' | 'soap', Registry>> = { tools, shapes, soap };
export const base = 'http://127.0.0.1:8080/gateway';
