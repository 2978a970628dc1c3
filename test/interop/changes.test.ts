import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../cli/support.ts';
import { readBlocks } from '../support/markdown.ts';
import { generate, java, type Toolkit } from './java/generators.ts';
import { hasMaven, needsMaven } from './java/maven.ts';
import { connectorOf, php, runSessions, type SoapClient, zeep } from './soap-support.ts';
import { has, run, type Served, serve } from './support.ts';

// A client as its generator makes it, which changes one field of a record and gives nothing for the others.

/** Makes the changes of the tests below to the locations of a prefix, and gives what it reads of a refusal. */
type Changes = (prefix: string) => Promise<string>;

interface Changer {
  readonly name: string;
  readonly needs: string;
  readonly isHere: boolean;
  readonly make: Changes;
}

const FULL = {
  DESCR: 'New York Office',
  DESCRSHORT: 'New York',
  ADDRESS1: '350 Harbour Street',
  CITY: 'New York',
  STATE: 'NY',
  POSTAL: '10001',
  PHONE: '555-0100',
  EXTENSION: '12',
  FAX: '555-0101',
  EFFDT: '2026-01-01',
  EFF_STATUS: 'A',
  MESSAGE_TEXT2: 'By the harbour.',
};
const PHONE = '212/555-0199';

let gateway: Served;
let folder: string;
const wsdl = (): string => `${connectorOf(gateway)}/LocationSetup.v1.wsdl`;

async function rest(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const reply = await fetch(`${gateway.connector}/LocationSetup.v1/Locations${path}`, {
    method,
    headers: { authorization: `Basic ${btoa('demo:demo')}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(reply.ok).toBe(true);
  return (await reply.json()) as Record<string, unknown>;
}

function jaxWs(toolkit: Toolkit, tool: 'wsdl2java' | 'wsimport'): Changes {
  return async (prefix) => {
    const into = join(folder, toolkit);
    const job = { folder: into, tool, args: ['-p', 'client', wsdl()] };
    expect((await generate(toolkit, [job])).get(into)).toBe('');
    // The sample of the page for Java clients is the client.
    const page = 'docs/java-clients.md';
    const blocks = readBlocks(readFileSync(join(repository, page), 'utf8'), page);
    const source = join(folder, 'Change.java');
    writeFileSync(source, blocks.find(({ language }) => language === 'java')?.text ?? '');
    return java(toolkit, pathToFileURL(source).href, { folders: [into], args: [wsdl(), prefix] });
  };
}

/** Null stands for what is not given, as it does where such a language has an object of all fields. */
function dynamic(client: SoapClient, date: unknown): Changes {
  return async (prefix) => {
    const nothing = Object.fromEntries(Object.keys({ ...FULL, REVISION: 0, clear: 0 }).map((name) => [name, null]));
    const change = (index: number, given: object): { operation: string; argument: object } => ({
      operation: 'LOCATION_PATCH',
      argument: { ...nothing, REGION: 'N', LOCATION: `${prefix}${index}`, ...given },
    });
    const session = { wsdl: wsdl(), version: '1.1', trace: false, binary: [] } as const;
    const calls = {
      phone: change(1, { PHONE }),
      clear: change(2, { clear: ['PHONE', 'FAX'] }),
      date: change(3, { EFFDT: date }),
    };
    const { demo, guest } = await runSessions(client, {
      demo: { ...session, user: 'demo', password: 'demo', calls },
      guest: { ...session, user: 'guest', password: 'guest', calls: { phone: change(1, { PHONE: '0' }) } },
    });
    expect(Object.values(demo.answers).map(({ fault, error }) => fault ?? error)).toEqual(Array(3).fill(undefined));
    const detail = guest.answers.phone?.fault?.detail as { LOC_FAULT?: { MESSAGE?: string } } | undefined;
    return `typed: ${detail?.LOC_FAULT?.MESSAGE}`;
  };
}

const mono: Changes = async (prefix) => {
  const source = join(folder, 'Client.cs');
  const program = join(folder, 'change.exe');
  const steps: [string, string[]][] = [
    ['wsdl', [`/out:${source}`, wsdl()]],
    [
      'mcs',
      [
        `-out:${program}`,
        '-r:System.Web.Services',
        source,
        fileURLToPath(new URL('clients/Change.cs', import.meta.url)),
      ],
    ],
    ['mono', [program, connectorOf(gateway), prefix]],
  ];
  let printed = '';
  for (const [command, args] of steps) {
    const { code, stdout, stderr } = await run(command, args);
    expect(code, `${command}: ${stdout}${stderr}`).toBe(0);
    printed = stdout;
  }
  return printed;
};

const changers: readonly Changer[] = [
  { name: 'CXF', needs: needsMaven, isHere: hasMaven, make: jaxWs('CXF', 'wsdl2java') },
  { name: 'Metro', needs: needsMaven, isHere: hasMaven, make: jaxWs('Metro', 'wsimport') },
  { ...php, needs: `needs ${php.needs}`, make: dynamic(php, '2027-01-02+01:00') },
  { ...zeep, needs: `needs ${zeep.needs}`, make: dynamic(zeep, '2027-01-02') },
  { name: "mono's wsdl", needs: 'needs mono-devel', isHere: has('mcs') && has('mono'), make: mono },
];

beforeAll(async () => {
  gateway = await serve();
  folder = mkdtempSync(join(tmpdir(), 'signalbox-changes-'));
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(changers.map((changer, index) => ({ ...changer, prefix: `C${index}` })))('a client of $name ($needs)', ({
  isHere,
  make,
  prefix,
}) => {
  test.skipIf(!isHere)(
    'changes what it gives or clears and nothing else, and reads a refusal',
    async () => {
      const keys = (index: number): object => ({ REGION: 'N', LOCATION: `${prefix}${index}` });
      for (const index of [1, 2, 3]) await rest('POST', '', { ...keys(index), ...FULL });
      const said = await make(prefix);
      // What is cleared has its default again.
      const cleared = { ...FULL, PHONE: '', FAX: '' };
      expect(await rest('GET', `/N/${prefix}1`)).toEqual({ ...keys(1), ...FULL, PHONE, REVISION: 2 });
      expect(await rest('GET', `/N/${prefix}2`)).toEqual({ ...keys(2), ...cleared, REVISION: 2 });
      expect(await rest('GET', `/N/${prefix}3`)).toEqual({ ...keys(3), ...FULL, EFFDT: '2027-01-02', REVISION: 2 });
      expect(said.trim()).toBe('typed: User guest may not use operation LOCATION_PATCH.');
    },
    240_000,
  );
});
