// Takes the pictures of docs/console.md and of the README: a gateway with the sample and a queue, some calls, and Chromium.
// Needs a build, and Debian's chromium.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const to = join(root, 'docs/console');

/** A queue whose subscription can't be delivered: nothing listens there. */
const EVENTS = `queue: LOCATION_EVENTS
order: [LOCATION]
search: [LOCATION, REGION]
---
document: LOCATION_CHANGE
fields:
  LOCATION: { type: string(10), required: true }
  REGION: { type: string(1), required: true }
  DESCR: string(50)
---
service: LocationEvents.v1
permission: LOCATIONS
operations:
  LOCATION_CHANGED:
    description: A location has changed.
    post: changed
    request: LOCATION_CHANGE
    queue: LOCATION_EVENTS
---
subscription: LOCATION_TO_ERP
operation: LOCATION_CHANGED
call: ERP_LOCATION_PUT
map: { Id: "{LOCATION}", Label: "{REGION}/{LOCATION}" }
retry: { attempts: 1 }
---
node: ERP
base: http://127.0.0.1:9
---
service: Erp.v1
target: ERP
permission: LOCATIONS
operations:
  ERP_LOCATION_PUT:
    put: locations/{Id}
    request: { fields: { Id: { type: string(10), required: true }, Label: string(20), DESCR: string(50) } }
`;

const project = mkdtempSync(join(tmpdir(), 'signalbox-pictures-'));
for (const path of ['definitions', 'src/handlers', 'generated', 'package.json'])
  cpSync(join(root, path), join(project, path), { recursive: true });
for (const path of ['node_modules', 'dist']) symlinkSync(join(root, path), join(project, path), 'dir');
writeFileSync(join(project, 'definitions/events.yaml'), EVENTS);

const gateway = spawn(process.execPath, [join(root, 'dist/cli/main.js'), 'serve'], {
  cwd: project,
  env: { ...process.env, PORT: '0', DATABASE_URL: 'sqlite:pictures.db' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const address = await ready();
  await traffic(`${address}/gateway/RESTListeningConnector`);
  await pictures(address);
} finally {
  gateway.kill('SIGTERM');
  await new Promise((resolve) => gateway.once('exit', resolve));
  rmSync(project, { recursive: true, force: true });
}

async function ready(): Promise<string> {
  for await (const line of createInterface({ input: gateway.stdout })) {
    const [, address] = / ready on (http:\/\/[^" ]+)/.exec(line) ?? [];
    if (address !== undefined) {
      gateway.stdout.resume();
      return address;
    }
  }
  throw new Error('the gateway did not start');
}

/** Calls for more than a minute, so that the figures have several. */
async function traffic(base: string): Promise<void> {
  const headers = { Authorization: `Basic ${btoa('demo:demo')}`, 'Content-Type': 'application/json' };
  const end = performance.now() + 130_000;
  for (let turn = 0; performance.now() < end; turn++) {
    const burst = 4 + Math.round(8 * Math.abs(Math.sin(turn / 9)));
    for (let n = 0; n < burst; n++) await fetch(`${base}/Locations.v1/Locations/?region=N`, { headers });
    await fetch(`${base}/LocationSetup.v1/LocationSetup/NYC0${turn % 5}`, { headers });
    if (turn % 7 === 0) await fetch(`${base}/Locations.v1/Locations/?region=NORTH`, { headers });
    if (turn % 25 === 0) {
      const body = JSON.stringify({ LOCATION: `NYC0${turn % 4}`, REGION: 'N', DESCR: 'Harbour Street' });
      await fetch(`${base}/LocationEvents.v1/changed`, { method: 'POST', headers, body });
    }
    await pause(60);
  }
}

async function pictures(address: string): Promise<void> {
  mkdirSync(to, { recursive: true });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
    await page.goto(`${address}/console/sign-in`);
    await page.getByLabel('User').fill('demo');
    await page.getByLabel('Password').fill('demo');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const take = async (name: string, path: string): Promise<void> => {
      await page.goto(`${address}/console${path}`);
      await pause(500);
      await page.screenshot({ path: join(to, `${name}.png`) });
      process.stdout.write(`docs/console/${name}.png\n`);
    };
    await take('overview', '/overview?period=hour');
    await take('registry', '/registry/operations/LOCATIONS_GET');
    await take('try', '/try/LOCATIONS_GET');
    await take('map', '/map');
    await page.goto(`${address}/console/messages?kind=message&status=Hold`);
    const message = await page.locator('td.mono a').first().getAttribute('href');
    await take('messages', (message ?? '').replace('/console', ''));
    await page.emulateMedia({ colorScheme: 'dark' });
    await take('nodes', '/nodes/ERP');
  } finally {
    await browser.close();
  }
}
