/** A project whose processes do what the tests of the scheduler need; by path, as `startTestGateway` takes it. */
export const PROCESS_PROJECT: Readonly<Record<string, string>> = {
  'definitions/gateway.yaml': `gateway: LOCAL
namespace: urn:test
database: \${env:DATABASE_URL:-sqlite:test.db}
timezone: Europe/Berlin
delivered: [PROCESSREQUEST.v1, QAS_QRY_SERVICE.v1]
`,
  'definitions/users.yaml': `permission-list: EVERYTHING
operations: [PROCESSREQUEST.*, QAS_QRY_SERVICE.*]
---
permission-list: OPERATORS
operations: [PROCESSREQUEST.*]
---
permission-list: ADMINISTRATORS
process-requests: all
---
role: ADMINISTRATORS
permission-lists: [OPERATORS, ADMINISTRATORS]
---
role: EVERYONE
permission-lists: [EVERYTHING, ADMINISTRATORS]
---
role: ALL
permission-lists: [EVERYTHING]
---
role: FEW
permission-lists: [OPERATORS]
---
user: demo
password: $scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [ALL]
sample: true
---
user: guest
password: $scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$omzwekRZhK7H14WBx2uNfQdcBMmSmpudUeBNrb/md2A
roles: [FEW]
sample: true
---
user: colleague
password: $scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [ALL]
sample: true
---
user: clerk
password: $scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [ADMINISTRATORS]
sample: true
---
user: admin
password: $scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [EVERYONE]
sample: true
`,
  'definitions/processes.yaml': `process: EXTRACT
type: Application Engine
permission: EVERYTHING
parameters:
  REGION: { type: string(1), required: true }
  COPIES: { type: integer, default: 1, minimum: 1 }
---
process: OPEN
type: SQR Report
public: true
parameters: { WORDS: text }
---
process: SLOW
type: Application Engine
permission: EVERYTHING
---
process: FLAKY
type: Application Engine
permission: EVERYTHING
parameters: { MODE: { type: string, enum: [once, always, refuse, undeclared, warn, hang] } }
retry: { attempts: 2, first: 10 ms, longest: 10 ms }
timeout: 200 ms
---
process: NUMBERS_LIST
type: Crystal
permission: EVERYTHING
query: NUMBERS
---
recurrence: EVERY_MINUTE
cron: "* * * * *"
---
query: NUMBERS
permission: EVERYTHING
prompts: { LAST: { type: integer, required: true } }
columns: { N: integer }
sql: |
  with recursive n(x) as (select 1 union all select x + 1 from n where x < :LAST) select x as n from n order by x
---
query: PROCESS_MONITOR
permission: EVERYTHING
prompts: { RUNSTATUS: string(2) }
columns: { PRCSINSTANCE: integer, PRCSNAME: string, OPRID: string, RUNSTATUS: string, DISTSTATUS: string, RUNDTTM: datetime }
sql: |
  select prcsinstance, prcsname, oprid, runstatus, diststatus, rundttm from psprcsrqst
  where (:RUNSTATUS is null or runstatus = :RUNSTATUS) order by prcsinstance
`,
  'src/handlers/extract.ts': `export default {
  async run({ REGION, COPIES }, context) {
    context.progress(40, 'half way');
    context.message('info', 'Region ' + REGION + ', copies ' + COPIES + '.');
    const text = ('region ' + REGION + '\\n').repeat(COPIES);
    await context.report({ contentType: 'text/plain; charset=utf-8', name: 'extract.txt', async *stream() { yield Buffer.from(text); } });
    context.progress(100);
  },
};
`,
  'src/handlers/open.ts': `export default {
  run({ WORDS }, context) {
    if (WORDS !== undefined) context.message('warning', WORDS);
  },
};
`,
  'src/handlers/slow.ts': `export default {
  run(_, context) {
    context.message('info', 'begun');
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, 60_000);
      context.signal.addEventListener('abort', () => { clearTimeout(timer); reject(context.signal.reason); });
    });
  },
};
`,
  'src/handlers/flaky.ts': `export default {
  async run({ MODE }, context) {
    if (MODE === 'refuse') {
      await context.query('NUMBERS', {});
    }
    if (MODE === 'undeclared') await context.query('NO_SUCH_QUERY');
    if (MODE === 'hang') await new Promise((_, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)));
    if (MODE === 'always' || (MODE === 'once' && context.attempt === 1)) throw new Error('The line is engaged.');
    return MODE === 'warn' ? 'warning' : 'success';
  },
};
`,
};

/** Of the scheduler's operations over REST. */
export const REST = '/gateway/RESTListeningConnector/ProcessRequest.v1';
