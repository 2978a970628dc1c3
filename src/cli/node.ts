import type { Command } from 'commander';
import { createRedactor } from '../codec/redact/redactor.ts';
import type { ConnectionTest, NodeFacts } from '../invoke/index.ts';
import { secretsOf } from '../load/value/config.ts';
import type { Node } from '../model/node.ts';
import type { Registry } from '../model/registry.ts';
import { counted } from '../wire/words.ts';
import { Ended, wrongUsage } from './failure.ts';
import { propose } from './find.ts';
import { AS_JSON, explain } from './help.ts';
import { loadRegistry, placeOf } from './project.ts';
import { type Columns, coloursOf, printable, printResult, tableOf } from './terminal.ts';

const help = {
  examples: ['signalbox node list', 'signalbox node test THIRD_PARTY'],
  notes: [
    'Secrets are named and never printed. Circuits and connections are those of a running gateway: its console shows them.',
  ],
} as const;

/** `signalbox node`: the other systems that the definitions name, and whether they can be connected to. */
export function addNode(program: Command): void {
  const node = explain(program.command('node'), help).description(
    'list the systems that are called, and test the connections to them',
  );
  addList(node);
  addTest(node);
}

/** A node as it is listed. */
interface ListedNode extends NodeFacts {
  readonly id: string;
  readonly description?: string;
  readonly operations: readonly string[];
  readonly at: string;
}

function addList(node: Command): void {
  explain(node.command('list'), {
    examples: [
      'signalbox node list',
      "signalbox node list --json | jq -r '.[] | select(.credential.missing != []).id'",
    ],
  })
    .description('list the nodes with their addresses, credentials and certificates')
    .option('--json', AS_JSON)
    .action(async ({ json }: { readonly json?: true }, command: Command) => {
      const place = placeOf(command);
      const registry = await loadRegistry(place, 'ignore-missing');
      const { nodeFacts } = await import('../invoke/index.ts');
      const places = { env: process.env, folder: place.root };
      const listed = [...registry.nodes.values()].map((each) => listedNode(registry, each, nodeFacts(each, places)));
      await printResult(listed, json, (all) =>
        all.length === 0 ? 'The definitions have no node.\n' : tableOf(all, COLUMNS),
      );
    });
}

function listedNode({ consumers }: Registry, { id, description, at }: Node, facts: NodeFacts): ListedNode {
  const operations = [...consumers.values()].flatMap((each) => (each.target.id === id ? each.id : []));
  return {
    id,
    ...(description === undefined ? {} : { description }),
    ...facts,
    operations,
    at: `${at.file}:${at.line}`,
  };
}

const COLUMNS: Columns<ListedNode> = {
  NODE: ({ id }) => id,
  ADDRESS: ({ addresses: [first] }) => first?.reference ?? 'by the call',
  HOST: ({ standIn, addresses: [first] }) => standIn ?? first?.fault ?? first?.origin ?? 'secret',
  MORE: ({ addresses }) => (addresses.length > 1 ? addresses.length - 1 : ''),
  OPERATIONS: ({ operations }) => operations.length,
  CREDENTIAL: ({ credential }) => credential && [credential.kind, ...credential.secrets].join(' '),
  'CERTIFICATE UNTIL': ({ certificate }) => certificate?.fault ?? certificate?.certificates[0]?.until,
};

function addTest(node: Command): void {
  explain(node.command('test'), {
    examples: ['signalbox node test THIRD_PARTY', 'signalbox node test --all --json'],
    notes: [
      'It resolves the name, connects, and makes the TLS handshake, as a call would, with all addresses of the node at the same time and within its time to connect, at most 15 s. No request is sent, and no credential.',
    ],
    exits: ['no address has failed', 'an address has failed, or the definitions contain errors'],
  })
    .description('test the connections to nodes, and report the time and the error of each phase')
    .argument('[nodes...]', 'ids of nodes')
    .option('--all', 'all nodes of the definitions')
    .option('--json', AS_JSON)
    .action(
      async (
        ids: readonly string[],
        { all, json }: { readonly all?: true; readonly json?: true },
        command: Command,
      ) => {
        if ((all === true) === ids.length > 0) throw wrongUsage('test takes ids of nodes, or --all');
        const place = placeOf(command);
        const { nodes } = await loadRegistry(place, 'ignore-missing');
        const chosen = all ? [...nodes.values()] : ids.map((id) => nodeOf(nodes, id));
        const { testConnection } = await import('../invoke/index.ts');
        const { env } = process;
        const redactor = createRedactor(() => secretsOf(env));
        const tests: ConnectionTest[] = [];
        // One after the other: the names of many would wait for each other, and their times would be wrong.
        for (const each of chosen) tests.push(await testConnection(each, { env, folder: place.root, redactor }));
        await printResult(tests, json, (done) => done.map(testText).join('\n'));
        if (tests.some(({ ok }) => !ok)) throw new Ended(1);
      },
    );
}

function nodeOf(nodes: Registry['nodes'], id: string): Node {
  const node = nodes.get(id);
  if (node === undefined) throw wrongUsage(`there is no node ${id}`, propose(id, nodes.keys(), 'signalbox node list'));
  return node;
}

const RESULTS = { ok: 'ok', failed: 'failed', skipped: 'not tested' } as const;

function testText({ node, ms, addresses }: ConnectionTest): string {
  const { bold, green, red } = coloursOf(process.stdout);
  const colour = { ok: green, failed: red, skipped: (text: string) => text };
  const parts = addresses.map(({ address, result, phases, certificate }) => {
    const lines = phases.flatMap(({ phase, result: one, ms: took, words, hint }) => [
      `  ${phase.padEnd(10)}  ${colour[one](RESULTS[one].padEnd(10))}  ${took.toFixed(1).padStart(8)} ms  ${printable(words)}`,
      ...(hint === undefined ? [] : [`${' '.repeat(39)}${printable(hint)}`]),
    ]);
    const shown =
      certificate &&
      `  its certificate: ${printable(certificate.subject)}, issued by ${printable(certificate.issuer)}, expires ${certificate.until}`;
    return [
      `  ${printable(address)}: ${colour[result](RESULTS[result])}`,
      ...lines,
      ...(shown === undefined ? [] : [shown]),
    ];
  });
  const head = `${bold(node)}  ${counted(addresses.length, 'address', 'addresses')}, ${Math.round(ms)} ms`;
  return `${[head, ...parts.flat()].join('\n')}\n`;
}
