import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Credential } from '../../../src/invoke/index.ts';
import { freePort } from '../../support/free-port.ts';
import { startDaemon } from './start.ts';

/** tinyproxy, for who knows its password. */
export interface Tinyproxy {
  /** `127.0.0.1:40123`. */
  readonly address: string;
  /** Start lines of the requests so far. */
  requests(): string[];
  stop(): Promise<void>;
}

/** @param credential what it takes: the password of letters, digits, `-` and `_` alone */
export async function startTinyproxy(credential: Credential): Promise<Tinyproxy> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-tinyproxy-'));
  const port = await freePort();
  const file = join(folder, 'tinyproxy.conf');
  writeFileSync(
    file,
    `Listen 127.0.0.1
Port ${port}
Timeout 60
LogLevel Info
PidFile "${join(folder, 'tinyproxy.pid')}"
ViaProxyName "tinyproxy"
BasicAuth ${credential.user} ${credential.password}
`,
  );
  const { output, stop } = await startDaemon(['tinyproxy', '-d', '-c', file], /Accepting connections/);
  return {
    address: `127.0.0.1:${port}`,
    requests: () =>
      [...output().matchAll(/Request \(file descriptor \d+\): (.*)$/gm)].map(([, line]) => line as string),
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
