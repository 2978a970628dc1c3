import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type EngineKind, type MessageGateway, startMessages } from '../message/project.ts';
import { eventually, USERS } from '../support/project.ts';

// A gateway that calls a partner in every role in which it can, so that a rule about calls is tried in all of them.

/** Pauses of work that is attempted again. */
const QUICK = 'retry: { attempts: 2, first: 1 ms, longest: 1 ms }';

const FILES = {
  'definitions/users.yaml': USERS,
  'definitions/data/0001.sql': 'create table note (name varchar(60) primary key);\n',
  'definitions/roles.yaml': `{ queue: NEWS }
---
node: PARTNER
base: \${env:PARTNER_URL}
circuit: { failures: 0 }
---
node: ONCE
base: \${env:PARTNER_URL}
circuit: { failures: 0 }
retry: 1
---
node: GUARDED
base: \${env:PARTNER_URL}
circuit: { failures: 0 }
credential: { client-credentials: { token-url: "\${env:PARTNER_URL}/token", client-id: box, client-secret: "\${secret:CLIENT_SECRET}" } }
---
service: Partner.v1
permission: EVERYTHING
target: PARTNER
request: { fields: { NAME: { type: string, required: true } } }
response: none
operations:
  NOTE: { post: note }
  KEEP: { put: "keep/{NAME}", body: none }
  SAY: { soap: true }
  READ: { post: read, response: { fields: { NAME: string } } }
  ASK: { soap: true, response: { fields: { NAME: string } } }
  FETCH: { post: fetch, response: text }
flows:
  NOTE_FLOW: [{ call: NOTE }]
  READ_FLOW: [{ call: READ }]
---
service: Once.v1
permission: EVERYTHING
target: ONCE
request: { fields: { NAME: { type: string, required: true } } }
response: none
operations:
  NOTE_ONCE: { post: note }
  KEEP_ONCE: { put: "keep/{NAME}", body: none }
  SAY_ONCE: { soap: true }
flows:
  NOTE_FLOW_ONCE: [{ call: NOTE_ONCE }]
---
service: Guarded.v1
permission: EVERYTHING
target: GUARDED
request: { fields: { NAME: { type: string, required: true } } }
response: none
operations:
  NOTE_GUARDED: { post: note }
---
process: SEND
type: Extract
permission: EVERYTHING
parameters: { NAME: { type: string, required: true } }
${QUICK}
---
document: NOTE_ROW
fields: { NAME: { type: string(60), required: true } }
---
component: NOTES
table: note
shape: NOTE_ROW
keys: [NAME]
permission: EVERYTHING
events:
  - { event: SavePostChange, service: NOTE_SAVED, sequence: 1, processing: Post Process, ${QUICK} }
---
related-content: NOTE_SAVED
class: note-saved
permission: EVERYTHING
---
{ subscription: BY_REST, operation: TO_REST, call: NOTE_ONCE, ${QUICK} }
---
{ subscription: BY_SOAP, operation: TO_SOAP, call: SAY_ONCE, ${QUICK} }
---
{ subscription: BY_FLOW, operation: TO_FLOW, call: Once.NOTE_FLOW_ONCE, ${QUICK} }
---
{ subscription: BY_CODE, operation: TO_CODE, handler: by-code, ${QUICK} }
---
{ subscription: ANSWERS, operation: TO_REPLY, handler: answers, gives-reply: true, retry: { attempts: 1 } }
---
service: Roles.v1
permission: EVERYTHING
request: { fields: { NAME: { type: string, required: true } } }
operations:
  HANDLER: { post: handler, response: text }
  RELAY: { post: relay, call: NOTE }
  RELAY_SOAP: { post: relay-soap, call: SAY }
  FLOW: { post: flow, call: Partner.NOTE_FLOW }
  READ_RELAY: { post: read, response: { fields: { NAME: string } }, call: READ }
  ASK_RELAY: { post: ask, response: { fields: { NAME: string } }, call: ASK }
  FETCH_RELAY: { post: fetch, response: text, call: FETCH }
  READ_BY_FLOW: { post: read-by-flow, response: { fields: { NAME: string } }, call: Partner.READ_FLOW }
  GUARDED_RELAY: { post: guarded, call: NOTE_GUARDED }
  TO_REST: { post: delivery, queue: NEWS }
  TO_SOAP: { post: soap-delivery, queue: NEWS }
  TO_FLOW: { post: flow-delivery, queue: NEWS }
  TO_CODE: { post: code-delivery, queue: NEWS }
  TO_REPLY:
    post: posted-reply
    request: { fields: { NAME: { type: string, required: true }, BACK: string } }
    response: { fields: { NAME: string } }
    queue: NEWS
    reply-to: { nodes: ONCE, field: BACK, ${QUICK} }
  START: { post: process, response: text }
  SAVE: { post: class, save: NOTES }
`,
  'src/handlers/handler.ts': `export default {
  async onRequest({ NAME }, context) {
    await context.call('NOTE', { NAME });
    return 'sent';
  },
};
`,
  'src/handlers/start.ts': `export default {
  async onRequest({ NAME }, context) {
    await context.transaction((tx) => tx.schedule('SEND', { NAME }));
    return 'scheduled';
  },
};
`,
  'src/called.ts': `/** The name says which call is made. */
export function called({ call }, NAME) {
  if (NAME.startsWith('keep')) return call('KEEP_ONCE', { NAME });
  return call('NOTE_ONCE', { NAME }, NAME.startsWith('named') ? { messageId: NAME } : {});
}
`,
  'src/handlers/send.ts': `import { called } from '../called.ts';
export default {
  async run({ NAME }, context) {
    await called(context, NAME);
    await context.complete(async () => {});
  },
};
`,
  'src/handlers/note-saved.ts': `import { ServiceInterface } from 'signalbox';
import { called } from '../called.ts';
export default class NoteSaved extends ServiceInterface {
  async execute(event) {
    await called(event, event.after.NAME);
  }
}
`,
  'src/handlers/by-code.ts': `import { called } from '../called.ts';
export default {
  async onMessage({ NAME }, context) {
    await called(context, NAME);
  },
};
`,
  'src/handlers/answers.ts': 'export default { onMessage: ({ NAME }) => ({ NAME }) };\n',
};

/** Roles in which the caller waits for the call, which itself is repeated. */
export const CALLS = ['handler', 'relay', 'relay-soap', 'flow'] as const;

/** Roles in which work of a queue is attempted again; its call is not. */
export const JOBS = [
  'delivery',
  'soap-delivery',
  'flow-delivery',
  'code-delivery',
  'posted-reply',
  'process',
  'class',
] as const;

/** Roles in which the caller gets what the partner replies. */
export const READS = ['read', 'ask', 'fetch', 'read-by-flow'] as const;

export type Role = (typeof CALLS)[number] | (typeof JOBS)[number] | (typeof READS)[number] | 'guarded';

/** A request of the gateway, as the partner got it. */
export interface Got {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly path: string;
  readonly text: string;
  readonly header: (name: string) => string | undefined;
}

/** A partner with a gateway that calls it. */
export interface Roles extends MessageGateway {
  /**
   * The bytes of the reply to a request, after which the connection is closed, or what writes them; `undefined` closes it without a
   * reply.
   */
  answer: (got: Got) => string | ((socket: Socket) => void) | undefined;
  /** Has the gateway call the partner in a role. @param name in the request to the partner, which is unique */
  begin(role: Role, name: string): Promise<{ readonly status: number; readonly text: string }>;
  /** The requests with a name. */
  got(name: string): readonly Got[];
  /** Requests to the token endpoint. */
  tokens(): readonly Got[];
  /** Until no work is left that is due. */
  settled(): Promise<void>;
  /** Jobs that wait for their time. */
  delayed(): Promise<number>;
  /** Why work was given up. */
  reasons(): Promise<string[]>;
  /** Why attempts at deliveries failed. */
  deliveryReasons(): Promise<string[]>;
}

/** A reply without a body, or with one. */
export const reply = (status: string, headers: Record<string, string> = {}, body = ''): string =>
  `HTTP/1.1 ${status}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;

function filesWith(operations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const name = 'definitions/roles.yaml';
  const text = FILES[name].replace(/^ {2}(\w+): \{ .+ \}$/gm, (line, operation: string) =>
    Object.hasOwn(operations, operation) ? `  ${operation}: { ${operations[operation]} }` : line,
  );
  return { ...FILES, [name]: text };
}

/** @param operations keys of operations of the partner, in place of its own */
export async function startRoles(kind: EngineKind, operations: Readonly<Record<string, string>> = {}): Promise<Roles> {
  const all: Got[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    let request = '';
    socket.on('data', (chunk) => {
      request += chunk.toString('latin1');
      const head = request.indexOf('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(request)?.[1] ?? 0);
      if (head === -1 || request.length < head + 4 + length) return;
      const text = request;
      request = '';
      const path = text.split(' ', 2)[1] ?? '';
      const header = (name: string) => new RegExp(`^${name}: (.*?)\\r?$`, 'im').exec(text.slice(0, head))?.[1];
      const got = { at: Date.now(), path, text, header };
      all.push(got);
      const answered = roles.answer(got);
      if (answered === undefined) socket.destroy();
      else if (typeof answered === 'string') socket.end(answered);
      else answered(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const box = await startMessages(kind, filesWith(operations), { PARTNER_URL: url, CLIENT_SECRET: 'client secret' });
  const { background } = box.gateway;
  const depths = async () => {
    await background.hurry();
    return background.depths();
  };
  const roles: Roles = {
    ...box,
    answer: () => reply('204 No Content'),
    begin: (role, NAME) =>
      box.call(`/gateway/RESTListeningConnector/Roles.v1/${role}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(role === 'posted-reply' ? { NAME, BACK: `${url}/back/${NAME}` } : { NAME }),
      }),
    got: (name) => all.filter(({ text }) => text.includes(name)),
    tokens: () => all.filter(({ path }) => path === '/token'),
    async settled() {
      const isIdle = async () => (await depths()).every(({ waiting, running }) => waiting + running === 0) || undefined;
      await eventually('the end of all work that is due', isIdle);
    },
    delayed: async () => (await depths()).reduce((sum, each) => sum + each.delayed, 0),
    async reasons() {
      const rows = await box.rows('select error from signalbox_dead_letter');
      return rows.map(({ error }) => String(error));
    },
    async deliveryReasons() {
      const rows = await box.rows('select reason from signalbox_delivery_attempt where reason is not null');
      return rows.map(({ reason }) => String(reason));
    },
    async stop() {
      await box.stop();
      server.close();
    },
  };
  return roles;
}
