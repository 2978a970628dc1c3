import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { isLoopbackName } from '../wire/network-address.ts';
import { CliFailure, wrongUsage } from './failure.ts';
import { explain, readTime } from './help.ts';
import { loadRegistry, type Place, placeOf, reachable } from './project.ts';
import { print } from './terminal.ts';

const help = {
  examples: [
    'signalbox health',
    'signalbox health http://127.0.0.1:8080',
    'signalbox health --ready --within 60s  # wait for a gateway that starts',
  ],
  notes: [
    'Without an address it asks the gateway that the definitions describe, on this machine; HOST and PORT override them. With an address it reads no definitions, so that an error in them does not make a running gateway seem dead: container health checks should name it. Certificates of loopback addresses are not verified.',
    'Not ready does not mean broken: a gateway that drains, or whose database does not answer, should get no calls, but need not be restarted.',
  ],
  exits: ['the gateway answers, or with --ready is ready', 'it does not'],
} as const;

/** Milliseconds for one reply. */
const REPLY_WITHIN_MS = 5_000;
/** Milliseconds between two attempts. */
const AGAIN_MS = 200;

interface HealthOptions {
  readonly ready?: true;
  readonly within: number;
}

/** `signalbox health`: the question of health checks that have no HTTP client. */
export function addHealth(program: Command): void {
  explain(program.command('health'), help)
    .description('ask a running gateway whether it responds')
    .argument('[address]', 'address of the gateway, as in http://127.0.0.1:8080')
    .option('--ready', 'ask whether it can serve calls, rather than whether it responds')
    .option('--within <time>', 'repeat the question for this long, as in 30s or 1m', readTime, 0)
    .action(async (given: string | undefined, { ready, within }: HealthOptions, command: Command) => {
      const limit = performance.now() + within;
      const address = await addressOf(placeOf(command), given);
      const state = ready === undefined ? 'live' : 'ready';
      for (;;) {
        const fault = await ask(`${address}/health/${state}`);
        if (fault === undefined) break;
        if (performance.now() >= limit) throw new CliFailure(`the gateway at ${address} is not ${state}: ${fault}`);
        await pause(AGAIN_MS);
      }
      await print(`${address} is ${state}\n`);
    });
}

/** The address to ask, without a path. @throws CliFailure for an invalid one; Ended when the definitions contain errors */
async function addressOf(place: Place, given: string | undefined): Promise<string> {
  if (given === undefined) {
    const registry = await loadRegistry(place, 'ignore-missing');
    const { addressUrl, readAddress } = await import('../serve/start/address.ts');
    return reachable(addressUrl(readAddress(registry, process.env), registry.gateway));
  }
  const { protocol, origin, pathname } = URL.parse(given) ?? {};
  if ((protocol !== 'http:' && protocol !== 'https:') || origin === undefined || pathname !== '/')
    throw wrongUsage(`'${given}' is not the address of a gateway`, 'It has no path, as in http://127.0.0.1:8080.');
  return reachable(origin);
}

/** Asks a health address of a gateway. @returns why the answer is no; `undefined` for yes */
export async function ask(url: string): Promise<string | undefined> {
  try {
    const reply = await get(new URL(url));
    const body = await text(reply);
    return reply.statusCode === 200 ? undefined : `${reply.statusCode} ${reasonOf(body)}`.trim();
  } catch (error) {
    return (error as Error).message || (error as NodeJS.ErrnoException).code;
  }
}

function get(url: URL): Promise<IncomingMessage> {
  const options = { agent: false, signal: AbortSignal.timeout(REPLY_WITHIN_MS) };
  return new Promise((resolve, reject) => {
    const sent =
      url.protocol === 'https:'
        ? // On loopback a certificate for the public name can't match, and no one can be in between.
          requestSecurely(url, { ...options, rejectUnauthorized: !isLoopbackName(url.hostname) }, resolve)
        : requestPlain(url, options, resolve);
    sent.once('error', reject).end();
  });
}

/** The sentence of a problem (RFC 9457) in a reply; empty for any other reply. */
function reasonOf(body: string): string {
  try {
    const { detail = '', title = '' } = JSON.parse(body) as { readonly detail?: string; readonly title?: string };
    return detail || title;
  } catch {
    return '';
  }
}
