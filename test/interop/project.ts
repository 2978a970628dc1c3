import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository, signalbox } from '../cli/support.ts';
import { copySample, type SampleCopy } from '../support/sample.ts';

const locations = readFileSync(join(repository, 'definitions/locations/service.yaml'), 'utf8');

/** One document with every type, in the places that XML has for it. */
const kinds = `document: KIND
description: One field of each type.
fields:
  ID: { type: integer, attribute: true, required: true, example: 7 }
  NAME: { type: string(40), required: true, minimum: 1, example: "Ada & <Bob>" }
  PRICE: { type: decimal(12.2), minimum: 0, example: 12.50 }
  ACTIVE: boolean
  MARK: flag
  DAY: date
  AT: time
  MOMENT: datetime
  KEY: uuid
  LINK: { type: uri, maximum: 100 }
  BYTES: binary
  NOTE: { type: text, xml: Note }
  STATE: { type: string, enum: [NEW, DONE], default: NEW }
  CODE: { type: string, pattern: "[A-Z]{2}[0-9]+" }
  TAGS: list of TAG
  ROWS: { type: list of TAG, flat: true }
  PLACE: { fields: { CITY: string, LATITUDE: decimal(9.6) } }
  EMPTY: list of TAG
  BLANK: { type: list of TAG, absent: blank }
---
document: TAG
xml: tag
fields:
  KEY: { type: string, attribute: true }
  VALUE: integer
---
document: KIND_FAULT
fields:
  STATUS: { type: integer, default: "{fault.status}" }
  TEXT: { type: text, default: "{fault.message}" }
---
service: Kinds.v2
description: One field of each type, as XML and as JSON.
public: true
fault: KIND_FAULT
operations:
  KIND_GET:
    get: Kinds/{ID}
    request: { fields: { ID: { type: integer, required: true, example: 7 } } }
    response: { application/xml: KIND, application/json: KIND }
  KIND_POST:
    post: Kinds/{ID}
    request: KIND
    response: { application/json: KIND, application/xml: KIND }
  KIND_DELETE:
    delete: Kinds/{ID}
    request: { fields: { ID: { type: integer, required: true, example: 7 } } }
`;

const kindGet = `import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler('KIND_GET', {
  onRequest: ({ ID }) => ({
    ID,
    NAME: 'Ada & <Bob> ]]> "Cy"',
    PRICE: '12345678.90',
    ACTIVE: true,
    MARK: 'Y',
    DAY: '2026-02-28',
    AT: '23:59:58',
    MOMENT: '2026-02-28T23:59:58+01:00',
    KEY: '0F8FAD5B-D9CB-469F-A165-70867728950E',
    LINK: 'https://example.com/a%20b?c=d&e#f',
    BYTES: {
      contentType: 'application/octet-stream',
      async *stream() {
        yield new Uint8Array([0, 1]);
        yield new Uint8Array([254, 255]);
      },
    },
    NOTE: 'two\\nlines, a tab\\tand \\u00e9\\u{1f682}',
    STATE: 'DONE',
    CODE: 'AB12',
    TAGS: [{ KEY: 'a"<', VALUE: 1 }, { KEY: 'b', VALUE: -2 }],
    ROWS: [{ KEY: 'c', VALUE: 3 }, { VALUE: 4 }],
    PLACE: { CITY: 'Köln', LATITUDE: '50.937500' },
    EMPTY: [],
  }),
});
`;

const kindPost = `import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler('KIND_POST', { onRequest: (kind) => kind });
`;

const kindDelete = `import { defineHandler } from '../../generated/handlers.ts';

export default defineHandler('KIND_DELETE', { onRequest() {} });
`;

/** What stands for no code: rows of queries, as a reply of their own and in a document, in JSON and in XML. */
const queries = `  EMPLOYEES_GET:
    description: Employees of a department.
    get: Employees/{DEPTNAME}{?maxrows}
    query: EMPLOYEES_BY_DEPT
  OFFICES_GET:
    description: Locations of a region, without the wrapper.
    get: Offices/{REGION}
    request: { fields: { REGION: { type: string(1), required: true, example: N } } }
    response: { application/xml: LOC_RESPONSE, application/json: LOC_RESPONSE }
    query: { LOC_DATA: LOCATIONS_BY_REGION }
  REQUESTS_GET:
    description: Requests of the process scheduler.
    get: Requests{?OPRID,PRCSTYPE,RUNSTATUS,maxrows}
    permission: QUERY_USER
    query: PROCESS_MONITOR
`;

/** The sample with more operations: queries without code, and every type in XML; generated as a user would. */
export async function richSample(): Promise<SampleCopy> {
  const copy = copySample({
    'definitions/locations/service.yaml': locations + queries,
    'definitions/kinds/service.yaml': kinds,
    'src/handlers/kind-get.ts': kindGet,
    'src/handlers/kind-post.ts': kindPost,
    'src/handlers/kind-delete.ts': kindDelete,
  });
  const { code, stderr } = await signalbox(['generate'], { cwd: copy.root });
  if (code === 0) return copy;
  copy.remove();
  throw new Error(`The project does not load.\n${stderr}`);
}
