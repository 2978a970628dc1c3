import { gatewayText, USERS } from '../support/project.ts';

/**
 * Users with some grants of the console each: `demo` has all, `reader` and `actor` have a part; `guest` has none. Their
 * passwords are their names.
 */
export const FILES: Readonly<Record<string, string>> = {
  'definitions/gateway.yaml': gatewayText('console: {}'),
  'definitions/users.yaml': `${USERS.replace('permission-list: EVERYTHING', 'permission-list: EVERYTHING\nconsole: [payload, act, users]')}---
permission-list: SEEING
console: [read]
---
role: READER
description: Sees everything but payloads
permission-lists: [SEEING]
---
permission-list: GREETINGS
---
role: GREETER
permission-lists: [GREETINGS]
---
scheme: KEYS
api-key: { header: X-Api-Key }
`,
  'definitions/hello.yaml': `service: Hello.v1
requires: [KEYS, basic]
operations:
  HELLO: { get: hello, permission: GREETINGS, handler: hello, request: none, response: { fields: { TEXT: string } } }
`,
  'src/handlers/hello.ts': 'export default { onRequest: () => ({ TEXT: "hello" }) };',
};
