import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { load } from '../load/linked.ts';
import { subcommand } from '../support/commands.ts';
import { readBlocks } from '../support/markdown.ts';
import { hasProxy } from '../support/proxies.ts';

// The files of deploy/, held against the code that they run.

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const { drain } = load('gateway: LOCAL').gateway;
/** Seconds in which a gateway, and the main process of its workers, has stopped with the defaults. */
const STOPS_WITHIN = (drain.ready + drain.work) / 1000 + 5;
const signals = read('src/cli/signals.ts');
const app = read('src/serve/app.ts');

/** The words of a command line of `signalbox`, which must be one. */
function checkCommand(words: readonly string[]): void {
  const at = words.findIndex((word) => /signalbox(\/dist\/cli\/main\.js)?$/.test(word));
  expect(at).toBeGreaterThanOrEqual(0);
  subcommand(words.slice(at + 1));
}

describe('signalbox.service', () => {
  const text = read('deploy/signalbox.service');
  const settings = new Map<string, string[]>();
  for (const [, key = '', value = ''] of text.matchAll(/^(\w+)=(.*)$/gm))
    settings.set(key, [...(settings.get(key) ?? []), value]);
  const one = (key: string): string => (settings.get(key) as string[])[0] as string;

  it('runs commands that there are, by the bin of the package', () => {
    const { bin } = JSON.parse(read('package.json')) as { bin: Record<string, string> };
    expect(Object.keys(bin)).toEqual(['signalbox']);
    for (const key of ['ExecStart', 'ExecStartPost']) checkCommand(one(key).split(' '));
  });

  it('sends signals that are handled', () => {
    expect(one('KillSignal')).toBe('SIGTERM');
    expect(one('ExecReload')).toBe('/bin/kill -USR2 $MAINPID');
    for (const signal of ['SIGTERM', 'SIGUSR2', 'SIGHUP']) expect(signals).toContain(`'${signal}'`);
  });

  it('gives a gateway the time that it takes to stop and to start', () => {
    expect(Number(one('TimeoutStopSec'))).toBeGreaterThan(STOPS_WITHIN);
    const within = Number(/--within (\d+)s/.exec(one('ExecStartPost'))?.[1]);
    expect(Number(one('TimeoutStartSec'))).toBeGreaterThan(within);
  });

  it('asks the port that it sets', () => {
    const port = /PORT=(\d+)/.exec(one('Environment'))?.[1];
    expect(one('ExecStartPost')).toContain(`http://127.0.0.1:${port}`);
    expect(read('deploy/signalbox.socket')).toContain(`ListenStream=127.0.0.1:${port}\n`);
  });

  it.skipIf(!existsSync('/usr/bin/systemd-analyze'))('passes systemd-analyze verify (needs systemd)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-unit-'));
    try {
      // The project of the unit is not on this machine.
      const here = text.replaceAll('/srv/my-gateway/node_modules/.bin/node', process.execPath);
      writeFileSync(join(folder, 'signalbox.service'), here);
      writeFileSync(join(folder, 'signalbox.socket'), read('deploy/signalbox.socket'));
      const units = ['service', 'socket'].map((kind) => join(folder, `signalbox.${kind}`));
      const verify = ['verify', '--man=no', ...units];
      expect(execFileSync('systemd-analyze', verify, { encoding: 'utf8', stdio: 'pipe' })).toBe('');
      const security = ['security', '--offline=true', '--threshold=20', join(folder, 'signalbox.service')];
      execFileSync('systemd-analyze', security, { stdio: 'pipe' });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('Dockerfile', () => {
  const text = read('examples/new/Dockerfile').replaceAll(/\\\n/g, '');

  it('runs commands that there are', () => {
    const lists = [...text.matchAll(/CMD (\[.*\])$/gm)].map(([, list = '']) => JSON.parse(list) as string[]);
    expect(lists).toHaveLength(2);
    for (const words of lists) checkCommand(words);
    const [, check = ''] = /^RUN node (\S+main\.js check)$/m.exec(text) ?? [];
    checkCommand(check.split(' '));
    // The bin of the package, in the folder of its name.
    const { name, bin } = JSON.parse(read('package.json')) as { name: string; bin: Record<string, string> };
    const path = `node_modules/${name}/${bin.signalbox}`;
    for (const words of lists) expect(words[1]).toBe(path);
  });

  it('runs a version of Node that the package takes, as a user other than root', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const least = Number(/\d+/.exec(engines.node)?.[0]);
    const versions = [...text.matchAll(/^FROM node:(\d+)/gm)].map(([, version]) => Number(version));
    expect(versions).toHaveLength(2);
    for (const version of versions) expect(version).toBeGreaterThanOrEqual(least);
    expect(text).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(text).toMatch(/^STOPSIGNAL SIGTERM$/m);
  });
});

test('kubernetes.yaml asks paths of the gateway, and waits for its end', () => {
  const [deployment, budget] = parseAllDocuments(read('deploy/kubernetes.yaml')).map((each) => each.toJS());
  const { spec } = deployment.spec.template;
  const [{ startupProbe, livenessProbe, readinessProbe }] = spec.containers;
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) expect(app).toContain(`'${httpGet.path}'`);
  expect(livenessProbe.httpGet.path).toBe('/health/live');
  expect(readinessProbe.httpGet.path).toBe('/health/ready');
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(STOPS_WITHIN);
  expect(readinessProbe.periodSeconds * readinessProbe.failureThreshold * 1000).toBeLessThan(drain.ready);
  expect(budget.spec.selector).toEqual(deployment.spec.selector);
});

test.skipIf(!hasProxy('haproxy'))('the configuration of HAProxy in the documents is valid (needs haproxy)', () => {
  const sample = readBlocks(read('docs/operating.md'), 'docs/operating.md').find(
    ({ language }) => language === 'haproxy',
  );
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-haproxy-'));
  try {
    writeFileSync(join(folder, 'haproxy.cfg'), sample?.text ?? '');
    execFileSync('haproxy', ['-c', '-dW', '-f', join(folder, 'haproxy.cfg')], { stdio: 'pipe' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('every file of deploy/ is in the package and in the documents', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  expect(files).toContain('deploy');
  const documents = read('docs/operating.md');
  for (const [, path = ''] of documents.matchAll(/\]\(\.\.\/(deploy\/[^)]+)\)/g))
    expect(existsSync(join(root, path)), path).toBe(true);
  const paths = readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true }).filter((at) => at.isFile());
  for (const { name } of paths) expect(documents).toContain(name);
});
