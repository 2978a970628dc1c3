import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor } from '../codec/redact/redactor.ts';
import type { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { SecurityScheme, TransportScheme, User } from '../model/security.ts';
import type { Operation } from '../model/service.ts';
import { undeclaredUser } from '../security/authorise.ts';
import type { Authenticator, MessageCaller } from '../security/security-port.ts';
import { createApp } from '../serve/app.ts';
import { GRACE, IDLE_TIMEOUT } from '../serve/exchange/body.ts';
import { createHttpServer, listenAt } from '../serve/listen/listen.ts';
import { createLog, type LogOptions } from '../serve/log/log.ts';
import { createMetrics, type Metrics } from '../serve/log/metrics.ts';
import type { Replacement } from '../serve/operations.ts';
import { createSpool } from '../store/index.ts';
import { currentTrace } from '../trace/trace.ts';

export interface MockOptions {
  readonly registry: Registry;
  readonly replaced: (operation: Operation) => Replacement;
  /** Whom the port answers: by default only callers on this machine. */
  readonly host?: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
  readonly log?: LogOptions | undefined;
  /** Sees each request before the gateway does, and may change its target. */
  readonly before?: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  /** Learns each fault that is replied, with the id of its request. */
  readonly refused?: (fault: Fault, requestId: string) => void;
}

export interface RunningMock {
  /** `http://127.0.0.1:8090`. */
  readonly address: string;
  readonly server: Server;
  close(): Promise<void>;
}

/**
 * Serves a registry in which everything is answered by replacements: the gateway's own spine, with its routes, checks, limits
 * and formats, without a database, handlers, or credentials that mean something.
 * @throws GatewayError when it can't listen
 */
export async function startMock({
  registry,
  replaced,
  host = '127.0.0.1',
  port,
  log: logOptions,
  before,
  refused,
}: MockOptions): Promise<RunningMock> {
  const { gateway } = registry;
  const redactor = createRedactor();
  const log = createLog({ ...logOptions, redactor });
  const metrics: Metrics = {
    ...createMetrics(),
    refused: (fault) => refused?.(fault, currentTrace()?.requestId ?? ''),
  };
  let address = '';
  const app = createApp(registry, {
    handlers: new Map(),
    queries: absent('queries'),
    blobs: absent('blobs'),
    services: absent('services'),
    outbound: absent('calls of other systems'),
    spool: createSpool({ folder: join(tmpdir(), `signalbox-mock-${process.pid}`) }),
    ...{ log, audit: log, redactor, metrics, replaced },
    authenticator: anyone(registry),
    throttle: undefined,
    answers: undefined,
    settings: {},
    sampleUsers: true,
    ready: async () => {},
    pace: { idle: IDLE_TIMEOUT, slowest: gateway.limits.slowest, grace: GRACE },
    base: () => `${address}/${gateway.context}`,
  });
  const options = { log, metrics, idleTimeout: IDLE_TIMEOUT };
  const http = createHttpServer(app, gateway.limits, { audit: log, auditFile: undefined }, options);
  if (before !== undefined) http.server.prependListener('request', before);
  const bound = await listenAt(http.server, { host, port });
  address = `http://${bound.host.includes(':') ? `[${bound.host}]` : bound.host}:${bound.port}`;
  return { address, server: http.server, close: () => http.close(1000) };
}

/** A port that answers of the project would use, at any depth: there are none, so that no call is expected. */
function absent<T extends object>(what: string): T {
  const called = (): never => {
    throw new Error(`a mock has no ${what}`);
  };
  return new Proxy(called as unknown as T, {
    get: (_, name) => (typeof name === 'symbol' || name === 'then' ? undefined : absent(`${what}.${name}`)),
  });
}

/** Takes every caller, with or without credentials, for one with every permission. */
function anyone({ permissionLists }: Registry): Authenticator {
  const user: User = { ...undeclaredUser('mock', 'token', []), permissionLists: new Set(permissionLists.values()) };
  const caller = ([scheme]: readonly SecurityScheme[]) => ({ user, scheme: scheme as TransportScheme });
  return {
    authenticate: (_, schemes) => caller(schemes),
    authenticateByAny: async (_, schemes) => caller(schemes),
    shows: () => true,
    authenticateMessage: async (_message, _shown, schemes) => caller(schemes) as unknown as MessageCaller,
  };
}
