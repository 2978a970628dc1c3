import type { Command } from 'commander';
import { type MockAnswers, PAGES } from '../mock/mock-port.ts';
import type { Node } from '../model/node.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import { GatewayError } from '../serve/gateway-error.ts';
import { counted } from '../wire/words.ts';
import { CliFailure, wrongUsage } from './failure.ts';
import { propose } from './find.ts';
import { addForcedOptions, type Forced, forcedAnswers } from './forced-answers.ts';
import { terminalLog } from './gateway-output.ts';
import { explain } from './help.ts';
import { loadRegistry, placeOf } from './project.ts';
import { endOnSignals } from './signals.ts';
import { coloursOf, writeAtOnce } from './terminal.ts';

const help = {
  examples: [
    'signalbox mock  # every operation that the project provides',
    'signalbox mock --port 9000 --seed 7 --delay 200ms',
    "signalbox mock --fault ORDER_PUT=409 --delay 'ORDER_GET=2 s'",
    'signalbox mock --node THIRD_PARTY  # in place of a partner',
    'signalbox mock --node all --port 9001',
  ],
  notes: [
    'Requests are checked as a gateway checks them. Replies are made from the definitions: the `example` of a field, else one of its `enum`, its default, or a value of its type; the same request always gets the same reply, until --seed changes. Replies that name a next page do so for --pages pages. A request may choose: `Prefer: code=404` a fault or status, `Prefer: wait=2` a reply after two seconds (RFC 7240). No database is used, no handler is imported, and credentials are ignored: any are accepted, or none.',
    'With --node it stands in for partners instead: it serves the operations that the project calls at these nodes, with a token endpoint for `client-credentials`, where a call without the credential of the node is refused. It prints the variables that lead a gateway there; such a gateway sends placeholders in place of secrets. `signalbox dev --mock NODE` does both in one.',
  ],
  exits: ['ended on request', 'could not start'],
} as const;

interface MockFlags extends Forced {
  readonly port: string;
  readonly host: string;
  readonly seed: string;
  readonly pages: string;
  readonly node: readonly string[];
  readonly json?: true;
}

/** `signalbox mock`: operations without what answers them, or partners that are not there yet. */
export function addMock(program: Command): void {
  const command = explain(program.command('mock'), help)
    .description('answer operations, or stand in for partners, from the definitions alone')
    .option('--port <number>', 'the port; 0 takes a free one', '8090')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--seed <number>', 'another number gives other values', '0')
    .option('--pages <number>', 'the page after which a reply names no next one', String(PAGES))
    .option('--node <node>', 'a node to stand in for, or all; repeat for more than one', collect, [])
    .option('--json', 'write nothing but JSON, on a terminal too');
  addForcedOptions(command).action(async (flags: MockFlags, command: Command) => {
    const people = process.stdout.isTTY === true && flags.json === undefined;
    const settings = {
      host: flags.host,
      port: readNumber(flags.port, '--port', 65_535),
      seed: readNumber(flags.seed, '--seed', 2 ** 32 - 1),
      pages: readNumber(flags.pages, '--pages', 1_000_000),
      log: people ? terminalLog(coloursOf(process.stdout)) : {},
    };
    const registry = await loadRegistry(placeOf(command), 'ignore-missing');
    const nodes = flags.node.length === 0 ? undefined : nodesOf(registry, flags.node);
    const options = { ...settings, registry, answers: forcedAnswers(registry, flags, nodes) };
    const stop = Promise.withResolvers<void>();
    endOnSignals({ end: () => stop.resolve(), again: () => process.exit(1) });
    const started = await (nodes === undefined ? mockProject(options) : standIn({ ...options, nodes })).catch(
      cantListen,
    );
    writeAtOnce(1, flags.json === undefined ? `${started.lines.join('\n')}\n` : `${JSON.stringify(started.facts)}\n`);
    await stop.promise;
    await started.close();
  });
}

/** An address that can't be listened on is one of the options here, not of the gateway's settings. */
function cantListen(error: unknown): never {
  if (!(error instanceof GatewayError)) throw error;
  const hint = '--port takes another port, 0 a free one; --host takes an address of this machine.';
  throw new CliFailure(error.message, { hint, cause: error });
}

const collect = (text: string, before: readonly string[]): string[] => [...before, text];

function readNumber(text: string, option: string, most: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= most) return number;
  throw wrongUsage(`${option} takes a whole number from 0 to ${most}, not '${text}'`);
}

/**
 * The nodes to stand in for; `all` is every node that an operation is called at, be there none yet.
 * @throws CliFailure for an unknown node, and for one at which nothing is called
 */
function nodesOf(registry: Registry, names: readonly string[]): readonly Node[] {
  const called = new Map([...registry.consumers.values()].map(({ target }) => [target.id, target]));
  if (names.includes('all')) return [...called.values()];
  return [...new Set(names)].map((name) => {
    const node = called.get(name);
    if (node !== undefined) return node;
    const hint = propose(name, [...called.keys()]);
    throw wrongUsage(registry.nodes.has(name) ? `no operation calls node ${name}` : `there is no node ${name}`, hint);
  });
}

interface MockSettings extends Required<MockAnswers> {
  readonly registry: Registry;
  readonly host: string;
  readonly port: number;
  readonly log: Parameters<typeof import('../mock/serve.ts').startMock>[0]['log'];
}

interface StartedMock {
  readonly lines: readonly string[];
  readonly facts: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

async function mockProject(settings: MockSettings): Promise<StartedMock> {
  const [{ startMock }, { mockAnswerer }] = await Promise.all([
    import('../mock/serve.ts'),
    import('../mock/answer.ts'),
  ]);
  const { registry, seed } = settings;
  let base = '';
  const place = { base: () => base };
  const replaced = (operation: Operation) => ({ answerer: mockAnswerer(operation, settings, place) });
  const { address, close } = await startMock({ ...settings, replaced });
  base = `${address}/${registry.gateway.context}`;
  const { bold, green } = coloursOf(process.stdout);
  const what = counted([...registry.operations.values()].filter(({ active }) => active).length, 'operation');
  const lines = [
    `${green('Signalbox mocks')} ${what} on ${bold(`${address}/`)}`,
    `Replies are made from examples, enums and types (--seed ${seed}). 'Prefer: code=404' chooses a fault, 'Prefer: wait=2' a delay.`,
    'Credentials are ignored: any are accepted, or none.',
  ];
  return { lines, facts: { address, seed }, close };
}

/** The nodes to stand in for, and what their partners reply. */
export interface PartnerFlags extends Forced {
  readonly mock: readonly string[];
}

/** Stands in for nodes on a free port of this process. @returns the variables that lead a gateway there */
export async function mockPartners(
  registry: Registry,
  { mock: names, ...forced }: PartnerFlags,
  log: MockSettings['log'],
): Promise<{ readonly env: Readonly<Record<string, string>>; close(): Promise<void> }> {
  const [{ startPartners }, { standInVariable }] = await importPartners();
  const nodes = nodesOf(registry, names);
  const answers = forcedAnswers(registry, forced, nodes);
  const { addressOf, close } = await startPartners({ registry, nodes, port: 0, log, answers });
  return { env: Object.fromEntries(nodes.map(({ id }) => [standInVariable(id), addressOf(id)])), close };
}

const importPartners = () => Promise.all([import('../mock/partners.ts'), import('../invoke/stand-in.ts')] as const);

/** @throws CliFailure where nothing is called */
async function standIn(settings: MockSettings & { readonly nodes: readonly Node[] }): Promise<StartedMock> {
  const { nodes } = settings;
  if (nodes.length === 0)
    throw new CliFailure('no operation of the project has a target', { hint: 'There is no partner to stand in for.' });
  const [{ startPartners }, { standInVariable }] = await importPartners();
  const { addressOf, unreadable, close } = await startPartners(settings);
  const variables = nodes.map(({ id }) => [standInVariable(id), addressOf(id)] as const);
  const { bold, green } = coloursOf(process.stdout);
  const lines = [
    `${green('Signalbox stands in')} for ${nodes.map(({ id }) => id).join(', ')}. Set in the environment of the gateway:`,
    ...variables.map(([name, address]) => `  ${bold(`${name}=${address}`)}`),
    ...unreadable,
  ];
  return { lines, facts: { nodes: Object.fromEntries(variables), unreadable }, close };
}
