import { gatewayText, USERS } from '../support/project.ts';

const SALT = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg';

/** Has the grants of a reader of the console and may call everything. */
const READER = `---
permission-list: LOOK
console: [read]
---
permission-list: LOOK_INTO
console: [payload]
---
permission-list: DO
console: [act]
---
role: WATCH
permission-lists: [LOOK, EVERYTHING]
---
role: OPERATE
permission-lists: [LOOK_INTO, DO]
---
`;

/** The password of each is `demo`'s hash or `guest`'s: a hash does not depend on the name. */
const withRoles = (users: string): string =>
  users
    .replace('roles: [ALL]', 'roles: [ALL, OPERATE]')
    .replace('sample: true\n---\nuser: guest', `sample: true\n${READER}user: guest`)
    .concat(
      `---\nuser: watcher\npassword: ${SALT}$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ\nroles: [WATCH]\nsample: true\n`,
      `---\nuser: operator\npassword: ${SALT}$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ\nroles: [OPERATE]\nsample: true\n`,
    );

const ORDERS = `document: LINE
fields:
  SKU: { type: string(10), required: true, example: A1 }
  COUNT: { type: integer, minimum: 1, maximum: 99, example: 2 }
---
document: ADDRESS
fields:
  CITY: { type: string(30), required: true, example: Bern }
  COUNTRY: { type: string(2), enum: [CH, DE, AT], example: CH }
---
document: ORDER
fields:
  ID: { type: integer, required: true, example: 7 }
  STATE: { type: string(8), enum: [open, shipped, closed], required: true, example: open }
  DUE: { type: date, example: "2026-01-31" }
  AT: { type: time, example: "08:30:00" }
  SINCE: { type: datetime, example: "2026-01-31T12:00:00Z" }
  PRICE: { type: decimal(12.2), example: 12.50 }
  EXPRESS: { type: boolean, example: true }
  NOTE: { type: string(200) }
  SHIP_TO: { type: ADDRESS }
  LINES: { type: list of LINE, minimum: 1 }
  TAGS: { type: list of string(10) }
  EXTRA: { type: map of string(20) }
---
document: ECHO
fields:
  TEXT: { type: string(4000) }
---
document: FILED
fields:
  NAME: { type: string(40), required: true, example: a.txt }
  CONTENT: { type: binary, required: true }
---
document: SIZE
fields:
  BYTES: { type: integer }
  TYPE: { type: string(40) }
---
service: Orders.v1
permission: EVERYTHING
operations:
  ORDER_PUT:
    put: orders
    soap: true
    request: ORDER
    response: ORDER
  ECHO_GET:
    get: echo/{TEXT}
    soap: true
    request: ECHO
    response: ECHO
  OPEN_GET:
    get: open/{TEXT}
    public: true
    request: ECHO
    response: ECHO
  HOSTILE_GET:
    get: hostile
    response: { application/json: json }
  WRONG_GET:
    get: wrong
    response: { application/json: ECHO }
  LONG_GET:
    get: long
    response: { text/plain: text }
  ENDLESS_GET:
    get: endless
    response: binary
  FILE_POST:
    post: files
    soap: true
    request: FILED
    response: SIZE
`;

const SECURED = `scheme: WSS
username-token: { passwords: [text] }
---
service: Secured.v1
permission: EVERYTHING
operations:
  SECURED_GET:
    soap: true
    requires: [WSS]
    request: ECHO
    response: ECHO
`;

/** What a page must show as text. */
export const HOSTILE =
  '{"name":"<script>alert(1)</script><img src=x onerror=alert(2)>","esc":"\u202egnp.exe \u009b31mred"}';

const echo = 'export default { onRequest: async (input) => input };\n';

export const TRY_PROJECT: Readonly<Record<string, string>> = {
  'definitions/gateway.yaml': gatewayText(),
  'definitions/users.yaml': withRoles(USERS),
  'definitions/orders.yaml': ORDERS,
  'definitions/secured.yaml': SECURED,
  'src/handlers/order-put.ts': echo,
  'src/handlers/echo-get.ts': echo,
  'src/handlers/open-get.ts': echo,
  'src/handlers/secured-get.ts': echo,
  'src/handlers/hostile-get.ts': `export default { onRequest: async (_, context) => {
  const bytes = Buffer.from(${JSON.stringify(HOSTILE)});
  return context.bytes({ contentType: 'application/json', length: bytes.length, body: bytes });
} };\n`,
  'src/handlers/wrong-get.ts': `export default { onRequest: async (_, context) => {
  const bytes = Buffer.from('{"TEXT": 5}');
  return context.bytes({ contentType: 'application/json', length: bytes.length, body: bytes });
} };\n`,
  'src/handlers/long-get.ts': `export default { onRequest: async (_, context) => context.reply('x'.repeat(300 * 1024) + 'END') };\n`,
  'src/handlers/endless-get.ts': `export default { onRequest: async (_, context) => context.bytes({
  contentType: 'text/csv',
  length: 2 ** 40,
  body: async function* () { for (;;) yield Buffer.alloc(65536, 'x'); },
}) };\n`,
  'src/handlers/file-post.ts': `export default { onRequest: async (input) => {
  let size = 0;
  for await (const chunk of input.CONTENT.stream()) size += chunk.length;
  return { BYTES: size, TYPE: input.CONTENT.contentType };
} };\n`,
};
