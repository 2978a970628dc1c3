/**
 * The lookup, and a POST that returns its lines, on Fastify, with the duties of the gateway: credentials with
 * `@fastify/basic-auth` and a grant, schemas for the request and for the reply (which Fastify compiles to a serialiser), a
 * request id, and a line per request of its own logger, to a buffered /dev/null as ours.
 * `fastify-server.ts <folder of the peers>` prints its port.
 *
 * A password is compared as SHA-256 in constant time: the cost of a login with scrypt, which the gateway also pays once only,
 * does not belong to a request.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { DestinationStream } from 'pino';
import { employees, LINES_PATH, LOOKUP_PATH } from '../lookup-data.ts';
import { announce, discarded } from '../serving.ts';
import { peer } from './install.ts';

interface Request {
  readonly id: string;
  readonly ip: string;
  readonly method: string;
  readonly url: string;
  readonly params: { readonly region: string };
  readonly query: { readonly location: string };
  readonly body: unknown;
  readonly log: { info(members: object, message: string): void };
  user?: string;
}

interface Reply {
  readonly statusCode: number;
  readonly elapsedTime: number;
  code(status: number): Reply;
  header(name: string, value: string): Reply;
  send(value: unknown): Reply;
}

type Done = (error?: Error) => void;

/** The part of Fastify's interface that is used here: its own types are not installed when this is compiled. */
interface App {
  readonly server: Server;
  readonly basicAuth: (request: Request, reply: Reply, done: Done) => void;
  register(plugin: unknown, options: object): App;
  after(): PromiseLike<void>;
  ready(): PromiseLike<void>;
  decorateRequest(name: string, value: unknown): App;
  addHook(name: string, hook: (request: Request, reply: Reply, done: Done) => void): App;
  route(route: {
    readonly method: string;
    readonly url: string;
    readonly schema: object;
    readonly config: { readonly operation: string };
    readonly onRequest: readonly ((request: Request, reply: Reply, done: Done) => void)[];
    readonly handler: (request: Request, reply: Reply) => unknown;
  }): App;
}

interface Options {
  readonly logger: { readonly level: string; readonly stream: DestinationStream };
  readonly logController: object;
  genReqId(request: IncomingMessage): string;
}

interface Fastify {
  fastify(options: Options): App;
  readonly LogController: new (options: { readonly disableRequestLogging: boolean }) => object;
}

const [, , folder = ''] = process.argv;
const { fastify, LogController } = peer<Fastify>(folder, 'fastify');
const basicAuth = peer<object>(folder, '@fastify/basic-auth');

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const users = new Map([['demo', { password: sha256('demo'), grants: new Set(['LOOKUP_GET', 'LINES_POST']) }]]);

const app = fastify({
  logger: { level: 'info', stream: discarded() },
  // One line per request, as the gateway writes it, not one at its begin and one at its end.
  logController: new LogController({ disableRequestLogging: true }),
  genReqId: ({ headers }) => (headers['x-request-id'] as string | undefined) ?? randomUUID(),
});
app.decorateRequest('user', '');
app.register(basicAuth, {
  validate(name: string, password: string, request: Request, _: Reply, done: Done): void {
    const user = users.get(name);
    if (user === undefined || !timingSafeEqual(user.password, sha256(password))) {
      done(new Error('Unauthorized'));
    } else {
      request.user = name;
      done();
    }
  },
});
app.addHook('onResponse', (request, reply, done) => {
  const { method, url, user, ip } = request;
  request.log.info({ method, url, user, remote: ip, status: reply.statusCode, ms: reply.elapsedTime }, 'request');
  done();
});
await app.after();

const granted =
  (operation: string) =>
  ({ user = '' }: Request, reply: Reply, done: Done): void => {
    if (users.get(user)?.grants.has(operation) === true) done();
    else reply.code(403).send({ message: 'Forbidden' });
  };

const text = { type: 'string' };
app.route({
  method: 'GET',
  url: `${LOOKUP_PATH}/:region/`,
  config: { operation: 'LOOKUP_GET' },
  schema: {
    params: { type: 'object', properties: { region: { ...text, maxLength: 1 } }, required: ['region'] },
    querystring: { type: 'object', properties: { location: { ...text, maxLength: 10 } }, required: ['location'] },
    response: {
      200: {
        type: 'object',
        properties: {
          EMP_DATA: {
            type: 'array',
            items: {
              type: 'object',
              properties: { DEPTNAME: text, EMAIL_ADDR: text, NAME: text, PHONE: text, TITLE: text },
            },
          },
        },
      },
    },
  },
  onRequest: [app.basicAuth, granted('LOOKUP_GET')],
  handler: ({ id, params, query }, reply) => {
    reply.header('X-Request-Id', id);
    return reply.send({ EMP_DATA: employees(params.region, query.location) });
  },
});

const lines = {
  type: 'object',
  properties: {
    reference: { ...text, maxLength: 40 },
    line: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          number: { type: 'integer' },
          article: { ...text, maxLength: 40 },
          description: text,
          quantity: { type: 'integer' },
          price: { type: 'number' },
          due: { ...text, format: 'date' },
        },
      },
    },
  },
};
app.route({
  method: 'POST',
  url: LINES_PATH,
  config: { operation: 'LINES_POST' },
  schema: { body: lines, response: { 200: lines } },
  onRequest: [app.basicAuth, granted('LINES_POST')],
  handler: ({ id, body }, reply) => {
    reply.header('X-Request-Id', id);
    return reply.send(body);
  },
});

await app.ready();
announce(app.server);
