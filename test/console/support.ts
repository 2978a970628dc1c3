import { request } from 'node:http';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';

/** A reply to a request as a browser sends it. */
export interface ConsoleReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Someone who has signed in, without a browser. */
export interface Visitor {
  /** The session's cookie: `__Host-signalbox=…`. */
  readonly cookie: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ConsoleReply>;
  /** Sends a form of this session, as a page of the console does. */
  post(path: string, fields?: Readonly<Record<string, string>>): Promise<ConsoleReply>;
}

export interface ConsoleGateway extends TestGateway {
  /** Requests a path below /console, without a session. */
  ask(path: string, options?: AskOptions): Promise<ConsoleReply>;
  /** Signs in with a password; of the sample's users it is the name. */
  signIn(user?: string, password?: string): Promise<Visitor>;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };

/** Starts a gateway with its console: by default that of the sample. */
export async function startConsole(options: TestGatewayOptions = {}): Promise<ConsoleGateway> {
  const gateway = await startTestGateway(options);
  const ask: ConsoleGateway['ask'] = (path, { method = 'GET', headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port: gateway.port, method, path: `/console${path}`, headers },
        (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('end', () =>
            resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text: Buffer.concat(chunks).toString() }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  return {
    ...gateway,
    ask,
    async signIn(user = 'demo', password = user) {
      const body = new URLSearchParams({ id: user, password }).toString();
      const reply = await ask('/sign-in', { method: 'POST', headers: FORM, body });
      expect(reply.status, reply.text).toBe(303);
      const cookie = String(reply.headers['set-cookie']).split(';', 1)[0] as string;
      const get: Visitor['get'] = (path, headers = {}) => ask(path, { headers: { ...headers, Cookie: cookie } });
      let token: string | undefined;
      return {
        cookie,
        get,
        async post(path, fields = {}) {
          token ??= /name="token" value="([^"]+)"/.exec((await get('/queues')).text)?.[1] ?? '';
          const form = new URLSearchParams({ token, ...fields }).toString();
          return ask(path, { method: 'POST', headers: { ...FORM, Cookie: cookie }, body: form });
        },
      };
    },
  };
}

/** Nothing but the page: no first-run windows, no calls home. */
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: ARGUMENTS });

/** How many forms and buttons of a page would do something. */
export const actionsOf = (page: Page): Promise<number> =>
  page.locator('main').locator('form[method="post"], button').count();

/** A window of a signed-in user. What the browser complains about is kept. */
export interface Desk {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a page of the console: `/queues`. */
  open(path: string): Promise<void>;
  /** Violations of the policy, errors of scripts, failed requests and replies with an error so far. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export async function openDesk(
  browser: Browser,
  address: string,
  user: string,
  {
    width = 1280,
    colorScheme = 'light',
    password = user,
  }: { width?: number; colorScheme?: 'light' | 'dark'; password?: string } = {},
): Promise<Desk> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (failed) => {
    // Leaving a page ends what it still loads, and its stream of events.
    const reason = failed.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') complaints.push(`${failed.url()}: ${reason}`);
  });
  page.on('response', (reply) => {
    if (reply.status() >= 400) complaints.push(`${reply.url()}: ${reply.status()}`);
  });
  await page.goto(`${address}/console/sign-in?to=/queues`);
  // Who types before the page has put the cursor there gets a complaint of the browser.
  await page.locator('#id:focus').waitFor();
  await page.fill('#id', user);
  await page.fill('#password', password);
  await page.click('button.primary');
  await page.waitForURL('**/console/queues');
  return {
    ...{ page, context, complaints },
    async open(path) {
      await page.goto(`${address}/console${path}`);
    },
    close: () => context.close(),
  };
}
