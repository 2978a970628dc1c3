import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUTHORITY, SERVER_CERTIFICATE, SERVER_KEY } from '../../invoke/authority.ts';
import { CERTIFICATE, KEY } from '../../invoke/certificate.ts';
import { freePort } from '../../support/free-port.ts';
import { startDaemon } from './start.ts';

/** nginx, with files of its own and a configuration of its own. */
export interface Nginx {
  /** Over TLS as `library.example`, and as 127.0.0.1 with a certificate that nobody vouches for: `127.0.0.1:40123`. */
  readonly library: string;
  /** The same host, and 127.0.0.1 too, where it asks for a client certificate. */
  readonly guarded: string;
  /** Without TLS. */
  readonly plain: string;
  /** Where `files/` is kept. */
  readonly files: string;
  /** Requests for a path, with the status of their answers: `GET /busy 503`. Noted some time after the answer. */
  requests(path: string): string[];
  stop(): Promise<void>;
}

/** What {@link Nginx} has at `list.json`: larger than what is sent in one piece. */
export const LIST = Array.from({ length: 20_000 }, (_, i) => ({ number: i, name: `Größe ${i}` }));

/** @param upstream what never answers: `127.0.0.1:40124` */
export async function startNginx(upstream: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-nginx-'));
  const [library, guarded, plain] = [await address(), await address(), await address()] as const;
  const files = {
    'nginx.conf': configuration({ library, guarded, plain, upstream }),
    'authority.pem': AUTHORITY,
    'server.pem': SERVER_CERTIFICATE,
    'server.key': SERVER_KEY,
    'unknown.pem': CERTIFICATE,
    'unknown.key': KEY,
    passwords: 'partner:{PLAIN}hu+sh é%\n',
    'list.json': JSON.stringify(LIST),
    'words.txt': 'words\n'.repeat(50_000),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  mkdirSync(join(folder, 'kept/files'), { recursive: true });
  const command = ['nginx', '-e', 'stderr', '-p', folder, '-c', 'nginx.conf'] as const;
  const { stop } = await startDaemon(command, /start worker process \d/);
  return {
    library,
    guarded,
    plain,
    files: join(folder, 'kept/files'),
    requests: (path) =>
      readFileSync(join(folder, 'access.log'), 'utf8')
        .split('\n')
        .filter((line) => line.split(' ')[1] === path),
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const address = async (): Promise<string> => `127.0.0.1:${await freePort()}`;

type Addresses = Readonly<Record<'library' | 'guarded' | 'plain' | 'upstream', string>>;

/** Paths are relative to the folder; where nginx runs as nobody else, its workers may read it. */
const configuration = ({ library, guarded, plain, upstream }: Addresses): string => `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr notice;
events { worker_connections 64; }
http {
  client_body_temp_path body; proxy_temp_path proxied; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
  log_format seen '$request_method $request_uri $status';
  access_log access.log seen;
  limit_req_zone $server_name zone=slow:1m rate=40r/m;
  limit_req_zone $server_name zone=full:1m rate=1r/m;
  types { application/json json; text/plain txt; }
  default_type application/json;
  charset utf-8;
  ssl_certificate server.pem;
  ssl_certificate_key server.key;
  server {
    listen ${library} ssl default_server;
    ssl_certificate unknown.pem;
    ssl_certificate_key unknown.key;
    return 200 '{}';
  }
  server {
    listen ${library} ssl;
    server_name library.example;
    root .;
    location = /who { ${WHO} }
    location = /list.json { gzip on; gzip_types application/json; }
    location = /words.txt { sub_filter_types text/plain; sub_filter words Wörter; sub_filter_once off; }
    location = /old { return 301 /who; }
    location = /moved { return 308 /files/moved; }
    location = /away { return 302 https://elsewhere.example/who; }
    location = /private { auth_basic partners; auth_basic_user_file passwords; try_files /list.json =404; }
    ${FILES}
    location /small/ { root kept; dav_methods PUT; client_max_body_size 1m; }
    location /small-and-rude/ { root kept; dav_methods PUT; client_max_body_size 1m; lingering_close off; }
    location = /slow {
      limit_req zone=slow;
      limit_req_status 429;
      add_header Retry-After 2 always;
      try_files /list.json =404;
    }
    location = /busy { limit_req zone=full; limit_req_status 503; try_files /list.json =404; }
    location = /silent { proxy_pass http://${upstream}; proxy_read_timeout 200ms; }
  }
  server {
    listen ${guarded} ssl;
    server_name library.example;
    ssl_client_certificate authority.pem;
    ssl_verify_client on;
    location = /who { ${WHO} }
    ${FILES}
  }
  server {
    listen ${plain};
    location = /who { ${WHO} }
    ${FILES}
  }
}
`;

const WHO = `return 200 '{"host":"$http_host","sni":"$ssl_server_name","client":"$ssl_client_s_dn","connection":$connection,"via":"$http_via"}';`;

const FILES = `location /files/ {
      root kept;
      default_type application/octet-stream;
      charset off;
      dav_methods PUT DELETE;
      create_full_put_path on;
      client_max_body_size 100m;
    }`;
