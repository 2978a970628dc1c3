import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { poll } from '../cli/poll.ts';
import { finish, repository } from '../cli/support.ts';
import { expressionsOf, type Panel } from '../deploy/dashboard.ts';
import { freePort } from '../support/free-port.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';
import { has, run, type Served, serve, shell } from './support.ts';

const deploy = join(repository, 'deploy');
const rules = join(deploy, 'prometheus/signalbox.rules.yml');

// `.ci/run` installs Prometheus: there, a missing tool fails.
const skips = process.env.CI === undefined && !has('promtool');

describe.skipIf(skips)('the files in deploy/ (needs prometheus)', () => {
  test.each([
    ['the rules are valid', ['check', 'rules', rules]],
    ['the unit tests of the rules pass', ['test', 'rules', join(deploy, 'prometheus/signalbox.test.yml')]],
    ['the configuration is valid', ['check', 'config', join(deploy, 'prometheus/prometheus.yml')]],
  ])('%s', async (_, args) => {
    const { code, stdout, stderr } = await run('promtool', args);
    expect(code, stdout + stderr).toBe(0);
  });
});

describe.skipIf(skips || !hasPostgres)(
  'Prometheus that reads two gateways on one database (needs prometheus, postgresql)',
  () => {
    let folder: string;
    let database: TestDatabase;
    let gateways: Served[] = [];
    let address: string;
    const ends: (() => Promise<void>)[] = [];

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'signalbox-prometheus-'));
      database = await createDatabase();
      const env = { DATABASE_URL: database.url };
      gateways = [await serve(repository, env), await serve(repository, env)];
      const targets = gateways.map((gateway) => new URL(gateway.address).host);
      const config = {
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [rules],
        scrape_configs: [{ job_name: 'signalbox', static_configs: [{ targets }] }],
      };
      const file = join(folder, 'prometheus.yml');
      writeFileSync(file, JSON.stringify(config));
      const port = await freePort();
      address = `http://127.0.0.1:${port}`;
      const options = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`];
      const child = spawn('prometheus', [...options, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
      ends.push(async () => {
        child.kill('SIGTERM');
        await finish(child);
      });
      await poll('both gateways to be read', async () => ((await query('count(up == 1)'))[0] === 2 ? true : undefined));
    });
    afterAll(async () => {
      for (const end of ends) await end();
      for (const gateway of gateways) await gateway.stop();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    });

    /** The values of an expression now. */
    async function query(expression: string): Promise<number[]> {
      const reply = await fetch(`${address}/api/v1/query?${new URLSearchParams({ query: expression })}`).catch(
        () => undefined,
      );
      if (reply === undefined || reply.status === 503) return [];
      const { status, data, error } = (await reply.json()) as {
        readonly status: string;
        readonly error?: string;
        readonly data?: { readonly resultType: string; readonly result: { readonly value: [number, string] }[] };
      };
      expect(status, `${expression}: ${error}`).toBe('success');
      return (data?.result ?? []).map(({ value }) => Number(value[1]));
    }

    test('promtool finds nothing in a page of metrics', async () => {
      const page = `${gateways[0]?.address}/metrics`;
      const { stdout, stderr } = await shell(`curl -s ${page} | promtool check metrics`);
      expect(`${stdout}${stderr}`).toBe('');
    });

    test('every query of the dashboard is answered', async () => {
      const { panels } = JSON.parse(readFileSync(join(deploy, 'grafana/signalbox.json'), 'utf8')) as {
        panels: Panel[];
      };
      const filled = (expression: string): string =>
        expression.replaceAll('$job', 'signalbox').replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m');
      // There were no calls of operations, no queued work, no calls of other systems, no refusals, and there is no TLS.
      const idle = /operation|signalbox_(?:job|call|circuit|refusals|rate_limited|tls)|status=~/;
      // A rate has a value from the second sample on.
      for (const expression of panels.flatMap(expressionsOf))
        if (!idle.test(expression))
          await eventually(expression, async () => (await query(filled(expression))).length > 0 || undefined);
    });

    test('every alert is evaluated, and none is raised', async () => {
      const { groups } = parse(readFileSync(rules, 'utf8')) as { groups: { rules: { expr: string }[] }[] };
      for (const { expr } of groups.flatMap((group) => group.rules)) expect(await query(expr), expr).toEqual([]);
    });

    test('sums over gateways are right, also after the gateway that reports the fleet was killed', async () => {
      const queues =
        'sum(count by (instance) (signalbox_queue_jobs{state="dead"})) / count(count by (queue) (signalbox_queue_jobs))';
      expect(await query('sum(signalbox_fleet_reporter)')).toEqual([1]);
      expect(await query(queues)).toEqual([1]);
      expect(await query('count(count by (hash) (signalbox_definitions_info))')).toEqual([1]);
      const first = (await (await fetch(`${gateways[0]?.address}/metrics`)).text()).includes(
        'signalbox_fleet_reporter 1',
      );
      const [gone, left] = first ? gateways : gateways.toReversed();
      gone?.kill();
      await poll('the other one to report', async () => {
        const page = await (await fetch(`${left?.address}/metrics`)).text();
        return page.includes('signalbox_fleet_reporter 1') ? true : undefined;
      });
      await poll('a sum of one', async () => {
        const [reporters] = await query('sum(signalbox_fleet_reporter)');
        const [sum] = await query(queues);
        return reporters === 1 && sum === 1 ? true : undefined;
      });
    });
  },
);
