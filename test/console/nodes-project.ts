import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gatewayText, USERS } from '../support/project.ts';

/** Users with each of the grants: `demo` acts, `guest` reads. */
const GRANTED = USERS.replace(
  'permission-list: EVERYTHING\n',
  'permission-list: EVERYTHING\nconsole: [act]\n---\npermission-list: READERS\nconsole: [read]\n---\nrole: READER\npermission-lists: [READERS]\n',
).replace(/(user: guest\n)/, '$1roles: [READER]\n');

const DEFINITIONS = `node: ERP
description: The house's books.
base: ["\${env:ERP_URL}", "\${env:ERP_SPARE_URL:-http://127.0.0.1:1/spare}"]
credential: { basic: { user: signalbox, password: "\${secret:ERP_PASSWORD}" } }
retry: { attempts: 1 }
circuit: { failures: 2, reset: "\${RESET}" }
rate: 10 per 1 s
concurrency: 3
timeouts: { connect: 2 s, head: 5 s }
---
node: SAFE
base: "https://\${secret:SAFE_HOST}/hook/secret-path"
ca-file: ca.pem
certificate: { file: old.pem, key-file: old.key }
credential: { bearer: "\${secret:SAFE_TOKEN}" }
---
node: OTHERS
base: https://
circuit: { failures: 0 }
---
service: Erp.v1
target: ERP
permission: EVERYTHING
operations:
  ERP_PUT: { post: "erp/{Id}", request: { fields: { Id: { type: string, required: true } } }, response: json }
---
queue: EVENTS
---
service: Front.v1
permission: EVERYTHING
operations:
  FRONT_PUT: { post: put, request: { fields: { Id: { type: string, required: true } } }, response: json, call: ERP_PUT }
  CHANGED: { post: changed, request: { fields: { Id: { type: string, required: true } } }, queue: EVENTS }
---
subscription: TO_ERP
operation: CHANGED
call: ERP_PUT
map: { Id: "{Id}" }
`;

/** A project with nodes of several kinds. @param reset how long the circuit of ERP stays open */
export const nodesProject = (reset = '1 h'): Readonly<Record<string, string>> => ({
  'definitions/gateway.yaml': gatewayText(),
  'definitions/users.yaml': GRANTED,
  'definitions/all.yaml': DEFINITIONS.replace('"${RESET}"', reset),
});

export const PUT = '/gateway/RESTListeningConnector/Front.v1/put';

/** Another system, which can go away and come back at its address. */
export class System {
  /** Its reply. */
  status = 200;
  body = '{}';
  readonly port: number;
  #server: Server | undefined;

  private constructor(port: number, server: Server) {
    this.port = port;
    this.#server = server;
  }

  static async start(): Promise<System> {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(system.status, { 'Content-Type': 'application/json' }).end(system.body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const system = new System((server.address() as AddressInfo).port, server);
    return system;
  }

  get url(): string {
    return `http://user:wordpass@127.0.0.1:${this.port}/books/hidden-path`;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  async comeBack(): Promise<void> {
    this.#server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
    await once(this.#server.listen(this.port, '127.0.0.1'), 'listening');
  }
}
