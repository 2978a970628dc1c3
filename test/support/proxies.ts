import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { eventually } from './project.ts';

/** A reverse proxy in front of gateways. */
export interface Proxy {
  readonly address: string;
  stop(): Promise<void>;
}

interface Placed {
  readonly folder: string;
  /** Seconds that a gateway has for its answer. */
  readonly answer: number;
}

interface Program {
  readonly path: string;
  readonly args: (folder: string) => readonly string[];
  /** Its configuration, for a port of its own and those of the gateways. */
  readonly configuration: (port: number, gateways: readonly number[], at: Placed) => string;
}

/** Each keeps connections to the gateways open, and repeats what it does by default: no POST that may have been received. */
const PROGRAMS = {
  nginx: {
    path: '/usr/sbin/nginx',
    args: (folder) => ['-p', folder, '-c', 'proxy.conf', '-e', 'error.log'],
    configuration: (port, gateways, { folder, answer }) => `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 512; }
http {
  access_log off;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  upstream gateways {
${gateways.map((each) => `    server 127.0.0.1:${each} max_fails=1 fail_timeout=1s;`).join('\n')}
    keepalive 16;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_connect_timeout 2s;
      proxy_read_timeout ${answer}s;
    }
  }
}
`,
  },
  haproxy: {
    path: '/usr/sbin/haproxy',
    args: (folder) => ['-f', join(folder, 'proxy.conf')],
    configuration: (port, gateways, { answer }) => `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server ${answer}s
frontend callers
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  balance roundrobin
  http-reuse always
  option httpchk GET /health/ready
  timeout check 10s
  default-server check inter 200ms fall 1 rise 1
${gateways.map((each) => `  server gateway${each} 127.0.0.1:${each}`).join('\n')}
`,
  },
} satisfies Readonly<Record<string, Program>>;

export type ProxyName = keyof typeof PROGRAMS;

/** Whether its tests run: where it is installed, and in CI in any case. */
export function hasProxy(name: ProxyName): boolean {
  return process.env.CI !== undefined || existsSync(PROGRAMS[name].path);
}

/** Starts a proxy on a free port of 127.0.0.1. */
export async function startProxy(name: ProxyName, gateways: readonly number[], answer = 60): Promise<Proxy> {
  const { path, args, configuration } = PROGRAMS[name];
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-proxy-'));
  const port = await freePort();
  await writeFile(join(folder, 'proxy.conf'), configuration(port, gateways, { folder, answer }));
  const child = spawn(path, args(folder), { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await eventually(`${name} to listen`, () => isOpen(port));
  return {
    address: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isOpen(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(undefined));
  });
}
