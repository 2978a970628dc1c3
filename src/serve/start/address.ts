import cluster from 'node:cluster';
import type { Gateway } from '../../model/gateway.ts';
import type { Registry } from '../../model/registry.ts';
import { GatewayError } from '../gateway-error.ts';
import { isLoopback } from '../listen/remote.ts';
import { type Environment, resolveSetting } from './settings.ts';

/** The address at which a server listens or is to listen. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A port that the service manager has opened, and keeps open while the gateway restarts. */
export interface PassedPort {
  /** Its file descriptor. */
  readonly fd: number;
}

/** SD_LISTEN_FDS_START of sd_listen_fds(3). */
const FIRST_PASSED = 3;

/**
 * The port that a service manager passes to this process, or to the primary of this worker, which listens for its workers:
 * `LISTEN_PID` and `LISTEN_FDS` (sd_listen_fds(3)).
 * @throws GatewayError when it passes several
 */
export function passedPort(env: Environment): PassedPort | undefined {
  const holder = cluster.isWorker ? process.ppid : process.pid;
  const count = Number(env.LISTEN_FDS);
  if (env.LISTEN_PID !== String(holder) || !(count > 0)) return undefined;
  if (count === 1) return { fd: FIRST_PASSED };
  throw new GatewayError(`The service manager passes ${count} sockets (LISTEN_FDS), and a gateway has one port`, {
    hint: 'Keep one ListenStream= in the socket unit.',
  });
}

/** `listen:` of gateway.yaml; `HOST` and `PORT` override it. @throws GatewayError for an invalid host or port */
export function readAddress({ gateway }: Registry, env: Environment): Address {
  return addressOf(resolveSetting(gateway.listen, env), 'listen', env);
}

/** @param env what overrides the text @throws GatewayError for an invalid host or port */
function addressOf(text: string, key: string, env: Environment = {}): Address {
  const [, itsHost = '', itsPort = ''] = /^(.*):(.*)$/.exec(text) ?? [];
  const host = env.HOST || itsHost.replace(/^\[|\]$/g, '');
  const port = env.PORT || itsPort;
  if (host === '' || port === '') {
    const hint = key === 'listen' ? { hint: 'The environment variables HOST and PORT override it.' } : {};
    throw new GatewayError(`${key}: ${JSON.stringify(text)} is not host:port, as in 127.0.0.1:8080`, hint);
  }
  if (/[/\s]/.test(host)) {
    throw new GatewayError(`the host ${JSON.stringify(host)} is not a name or an address`, {
      hint: 'Write it without a scheme, a port or a path: HOST=127.0.0.1, or 0.0.0.0 for all addresses of this machine.',
    });
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) {
    throw new GatewayError(`the port ${JSON.stringify(port)} is not a number from 0 to 65535`, {
      hint: 'PORT overrides listen: of gateway.yaml.',
    });
  }
  return { host, port: Number(port) };
}

/** Where the console listens, if it has an address of its own. @throws GatewayError */
export function readConsoleAddress({ gateway }: Registry, env: Environment): Address | undefined {
  const listen = gateway.console?.listen;
  return listen && addressOf(resolveSetting(listen, env), 'console.listen');
}

/** `http://127.0.0.1:8080`; https when the gateway itself uses TLS. */
export function addressUrl({ host, port }: Address, { tls }: Pick<Gateway, 'tls'>): string {
  return `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * The address in contracts, with the context: `publicUrl:` if set, else the address at which the gateway listens.
 * @param bound the actual address; without it, the configured one
 */
export function contractBase(registry: Registry, env: Environment, bound?: Address): string {
  const { publicUrl, context } = registry.gateway;
  const url =
    publicUrl === undefined
      ? addressUrl(bound ?? readAddress(registry, env), registry.gateway)
      : resolveSetting(publicUrl, env);
  return `${url.replace(/\/+$/, '')}/${context}`;
}

/**
 * Whether sample users are active. Their passwords are well known, so they only work at addresses that only this machine
 * can reach. Whom a port that was passed can be reached by is not known yet.
 * @throws GatewayError when others can reach the address
 */
export function readSampleUsers({ users, gateway }: Registry, at: Address | PassedPort, env: Environment): boolean {
  const off = env.SIGNALBOX_SAMPLE_USERS === 'off';
  const sample = [...users.values()].filter((user) => user.sample).map((user) => user.id);
  if (off || sample.length === 0) return !off;
  const isFronted = gateway.proxies.length > 0;
  if ('host' in at && isLoopback(at.host) && !isFronted) return true;
  const where = 'host' in at ? `${at.host} can` : 'The port of the service manager may';
  const how = isFronted ? ' through its proxies' : '';
  throw new GatewayError(
    `${where} be reached by others${how}, and the users ${sample.join(', ')} have well-known passwords`,
    { hint: 'Set SIGNALBOX_SAMPLE_USERS=off, or remove them, or listen on 127.0.0.1 without proxies.' },
  );
}
