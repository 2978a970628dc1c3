import { gatewayText, USERS } from '../support/project.ts';

const DEMO = /password: (\S+)/.exec(USERS)?.[1];

/** `demo` may do everything, `reader` only look and see nothing of others, `guest` nothing; `reader` has demo's password. */
const users = `${USERS.replace('roles: [ALL]', 'roles: [ALL, OPERATOR]')}---
permission-list: OPERATING
console: [read, payload, act, users]
process-requests: all
---
permission-list: LOOKING
console: [read]
---
role: OPERATOR
permission-lists: [OPERATING]
---
role: READER
permission-lists: [LOOKING, EVERYTHING]
---
user: reader
password: ${DEMO}
roles: [READER]
sample: true
`;

/** Processes and queries that need no code. */
export const PROJECT: Readonly<Record<string, string>> = {
  'definitions/gateway.yaml': gatewayText('timezone: Europe/Berlin'),
  'definitions/users.yaml': users,
  'definitions/work.yaml': `query: NUMBERS
description: Counts <b>up</b>.
permission: EVERYTHING
prompts:
  COUNT: { type: integer, required: true, maximum: 5000, description: How far. }
  MOOD: { type: string(5), enum: [good, bad], default: good }
  SINCE: date
columns: { N: integer, WORD: string }
sql: |
  with recursive t (n) as (select 1 union all select n + 1 from t where n < :COUNT)
  select n, case n when 7 then '<script>alert(7)</script>' else 'word ' || n || ' ' || coalesce(:MOOD, '') || coalesce(:SINCE, '') end as word from t
---
query: CELLS
csv: { file: cells.of-today.csv }
permission: EVERYTHING
columns: { TEXT: string, NUMBER: integer }
sql: select '=1+1' as text, -1 as number union all select '+a', -2 union all select '-a', -3 union all select '@a', -4 union all select 'plain', -5 order by 2 desc
---
query: WITH_PIN
permission: EVERYTHING
prompts: { PIN: { type: string(20), sensitive: true, required: true } }
columns: { ID: integer, KNOWN: integer }
sql: |
  with recursive t (n) as (select 1 union all select n + 1 from t where n < 120)
  select n as id, length(:PIN) as known from t
---
permission-list: NOBODY
---
query: FORBIDDEN
permission: NOBODY
columns: { N: integer }
sql: select 1 as n
---
process: COUNTING
type: SQR Report
description: Counts.
permission: EVERYTHING
query: NUMBERS
---
process: FORBIDDEN_PROCESS
type: SQR Report
permission: NOBODY
query: FORBIDDEN
---
process: NIGHTLY
type: SQR Report
permission: EVERYTHING
query: PLAIN
recurs: AT_SIX
run-as: demo
---
query: PLAIN
permission: EVERYTHING
columns: { N: integer }
sql: select 1 as n
---
recurrence: AT_SIX
description: Every morning.
cron: 0 6 * * *
zone: Europe/Berlin
`,
};
