import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { gatewayText, USERS } from '../support/project.ts';
import { type ConsoleGateway, openBrowser, startConsole } from './support.ts';

// The provider is another site than the gateway, as it is in a company: 127.0.0.1 and localhost.

const CLIENT = { id: 'console', secret: 'of the console' };

describe('signing in with an OpenID provider in Chromium', () => {
  let provider: OpenIdProvider;
  let gateway: ConsoleGateway;
  let browser: Browser;
  let address: string;
  beforeAll(async () => {
    const port = await freePort();
    address = `http://localhost:${port}`;
    provider = await startOpenIdProvider(
      [{ ...CLIENT, redirectUri: `${address}/console/sign-in/callback` }],
      (account) => (account === 'eve' ? [] : ['staff']),
    );
    gateway = await startConsole({
      env: { PORT: String(port), ISSUER: provider.url, OIDC_SECRET: CLIENT.secret },
      files: {
        'definitions/gateway.yaml': gatewayText(`publicUrl: ${address}
console:
  sign-in:
    - { scheme: CORP, client: console, secret: "\${secret:OIDC_SECRET}", label: Company account }`),
        'definitions/users.yaml': `${USERS}---
permission-list: OPERATORS
console: [act]
---
role: OPERATOR
permission-lists: [OPERATORS]
---
scheme: CORP
bearer:
  issuer: "\${env:ISSUER}"
  jwks: "\${env:ISSUER}/jwks"
  audience: signalbox
  users: any
  claim: groups
  roles: { staff: OPERATOR }
`,
      },
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await provider?.close();
  });

  /** Opens a page of the console in a new window, whose browser is signed in at the provider as an account. */
  async function enter(account: string, path: string) {
    const context = await browser.newContext({ extraHTTPHeaders: { 'x-account': account } });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${address}/console${path}`);
    await page.getByRole('link', { name: 'Sign in with Company account' }).click();
    return { context, page, complaints };
  }

  it('leads over the provider to the page that was asked for, with a Strict cookie', async () => {
    const { context, page, complaints } = await enter('mia', '/queues/events?state=dead');
    try {
      await page.waitForURL(`${address}/console/queues/events?state=dead`);
      expect(await page.locator('.user').innerText()).toBe('CORP:mia');
      const session = (await context.cookies()).find(({ name }) => name === '__Host-signalbox');
      expect(session).toMatchObject({ sameSite: 'Strict', secure: true, httpOnly: true });
      expect(complaints).toEqual([]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.goto(`${address}/console/queues`);
      expect(page.url()).toContain('/console/sign-in');
    } finally {
      await context.close();
    }
  });

  it('offers no password when only the provider is declared', async () => {
    const page = await browser.newPage();
    try {
      await page.goto(`${address}/console`);
      expect(await page.locator('input[type=password]').count()).toBe(0);
    } finally {
      await page.close();
    }
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };
    const reply = await gateway.ask('/sign-in', { method: 'POST', headers, body: 'id=demo&password=demo' });
    expect([reply.status, reply.headers['set-cookie']]).toEqual([404, undefined]);
  });

  it('of an account without a role is refused, and says how to try again', async () => {
    const { context, page } = await enter('eve', '/queues');
    try {
      await page.getByRole('heading', { level: 1, name: 'Not signed in' }).waitFor();
      expect((await context.cookies()).some(({ name }) => name === '__Host-signalbox')).toBe(false);
    } finally {
      await context.close();
    }
  });
});
