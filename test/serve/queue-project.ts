import { gatewayText } from '../support/project.ts';

/** A password hash of `demo`. */
const PASSWORD = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ';

/** A sensitive value, which no operator may see. */
export const PIN = 'c4n4ry-pin/7 "<é';

/** Lets the work of the project succeed, or fail again. */
export function mend(mended = true): void {
  Object.assign(globalThis, { mended });
}

/** Of the operations of the queues over REST. */
export const QUEUES = '/gateway/RESTListeningConnector/Queues.v1';

/**
 * A project whose processes and class fail until {@link mend} is called, and whose operators have different grants: `demo` has
 * all, `reader` sees jobs, `keeper` acts on them.
 */
export const QUEUE_PROJECT: Readonly<Record<string, string>> = {
  'definitions/gateway.yaml': gatewayText(
    'sample-data: sample/*.sql\ndelivered: [QUEUES.v1, PROCESSREQUEST.v1, QAS_QRY_SERVICE.v1]',
  ),
  'definitions/users.yaml': `permission-list: EVERYTHING
operations: [QUEUES.*, PROCESSREQUEST.*, QAS_QRY_SERVICE.*]
---
permission-list: READING
operations: [QUE_FINDQUEUES, QUE_FINDJOBS, QUE_GETJOB, QUE_FINDACTIONS]
---
permission-list: KEEPING
operations: [QUE_RESUBMITJOB, QUE_RESUBMITJOBS, QUE_CANCELJOB, QUE_PAUSE, QUE_RESUME]
---
role: ALL
permission-lists: [EVERYTHING]
---
role: READERS
permission-lists: [READING]
---
role: KEEPERS
permission-lists: [KEEPING]
---
user: demo
password: ${PASSWORD}
roles: [ALL]
sample: true
---
user: reader
password: ${PASSWORD}
roles: [READERS]
sample: true
---
user: keeper
password: ${PASSWORD}
roles: [KEEPERS]
sample: true
`,
  'definitions/work.yaml': `process: BILLING
type: Application Engine
permission: EVERYTHING
parameters: { PIN: { type: text, sensitive: true }, REGION: string }
retry: { attempts: 2, first: 10 ms, longest: 10 ms }
---
process: LATER
type: Application Engine
permission: EVERYTHING
retry: { attempts: 2, first: 1 d, longest: 1 d }
---
query: LONG
permission: EVERYTHING
prompts: { LAST: { type: integer, required: true }, PIN: { type: string, sensitive: true } }
columns: { N: integer }
sql: "select :LAST as n where :PIN is not null"
---
document: PLACE
fields: { ID: { type: string(5), required: true }, NAME: string(20), PIN: { type: text, sensitive: true } }
---
{ component: PLACES, table: place, shape: PLACE, keys: [ID], events: [{ event: SavePostChange, service: AFTER }] }
---
{ related-content: AFTER, class: after, public: true }
---
service: Places.v1
public: true
operations: { PLACE_PUT: { put: "places/{ID}", save: PLACES } }
`,
  'definitions/sample/place.sql': 'create table place (id varchar(5) primary key, name varchar(20), pin text);\n',
  'src/handlers/billing.ts': `export default {
  async run({ PIN, REGION }, context) {
    if (globalThis.mended !== true) throw new Error('The line to ' + REGION + ' is engaged: ' + PIN);
    context.message('info', 'done');
  },
};
`,
  'src/handlers/later.ts': `export default {
  async run() {
    if (globalThis.mended !== true) throw new Error('not now');
  },
};
`,
  'src/handlers/after.ts': `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute({ after }) {
    if (globalThis.mended !== true) throw new Error('not for ' + after.PIN);
  }
}
`,
};
