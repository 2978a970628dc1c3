import { publishAt, Target } from '../message/project.ts';
import { eventually, USERS } from '../support/project.ts';
import { type ConsoleGateway, startConsole } from './support.ts';

/** The hash of the password `demo`. */
const HASH = /user: demo\npassword: (\S+)/.exec(USERS)?.[1] ?? '';

/** An operator of each set of grants; passwords are `demo`. */
const OPERATORS = `permission-list: EVERYTHING
console: [read, payload, act, users]
---
{ permission-list: READERS, console: [read] }
---
{ permission-list: ACTORS, console: [read, act] }
---
{ role: ALL, permission-lists: [EVERYTHING] }
---
{ role: READER, permission-lists: [READERS] }
---
{ role: ACTOR, permission-lists: [ACTORS] }
---
{ user: demo, password: "${HASH}", roles: [ALL], sample: true }
---
{ user: reader, password: "${HASH}", roles: [READER], sample: true }
---
{ user: actor, password: "${HASH}", roles: [ACTOR], sample: true }
`;

const PLACES = `queue: PLACE_EVENTS
order: [PLACE]
search: [PLACE]
---
queue: LOOSE_EVENTS
---
document: PLACE_CHANGE
fields: { PLACE: { type: string(10), required: true }, N: integer, SECRET: { type: string, sensitive: true }, NOTE: text }
---
service: Places.v1
permission: EVERYTHING
operations:
  PLACE_CHANGED: { post: changed, request: PLACE_CHANGE, queue: PLACE_EVENTS }
  LOOSE: { post: loose, request: PLACE_CHANGE, queue: LOOSE_EVENTS }
---
{ node: ERP, base: "\${env:ERP_URL}", circuit: { failures: 0 } }
---
service: Erp.v1
target: ERP
permission: EVERYTHING
operations:
  ERP_PUT: { post: "erp/{PLACE}", request: { fields: { PLACE: { type: string, required: true }, N: integer, NOTE: text } } }
  ERP_LOOSE: { post: "loose", request: { fields: { N: integer, NOTE: text } } }
---
{ subscription: TO_ERP, operation: PLACE_CHANGED, call: ERP_PUT, retry: { attempts: 1 }, map: { NOTE: "from {PLACE}" } }
---
{ subscription: LOOSE_TO_ERP, operation: LOOSE, call: ERP_LOOSE, retry: { attempts: 1 } }
`;

/** A gateway whose messages go to a system that refuses those with the number 1 until it is repaired. */
export interface MessageConsole extends ConsoleGateway {
  readonly erp: Target;
  /** @returns the id of the message */
  publish(path: 'changed' | 'loose', message: object): Promise<string>;
  /** Waits until the page of a message contains a text. */
  shows(id: string, text: string): Promise<string>;
}

export async function startMessageConsole(env: Readonly<Record<string, string>> = {}): Promise<MessageConsole> {
  const erp = await Target.start();
  erp.status = ({ body }) => (body.N === 1 ? 500 : 200);
  const gateway = await startConsole({
    files: { 'definitions/places.yaml': PLACES, 'definitions/users.yaml': OPERATORS },
    env: { ERP_URL: erp.url, ...env },
  });
  const reader = await gateway.signIn('demo');
  return {
    ...gateway,
    erp,
    publish: (path, message) => publishAt(gateway, `Places.v1/${path}`, message),
    shows: (id, wanted) =>
      eventually(`message ${id} to show ${wanted}`, async () => {
        const { text } = await reader.get(`/messages/${id}`);
        return text.includes(wanted) ? text : undefined;
      }),
    async stop() {
      await gateway.stop();
      await erp.stop();
    },
  };
}
