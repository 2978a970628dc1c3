import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeXsdFiles } from '../../../src/describe/index.ts';
import { loadFiles } from '../../../src/load/load.ts';
import { repository } from '../../cli/support.ts';
import { projectOf } from '../../load/project-text.ts';
import { writeColliding } from '../colliding.ts';
import { connectorOf } from '../soap-support.ts';
import { type Served, serve } from '../support.ts';
import { generate, type Job, java, type Toolkit } from './generators.ts';
import { hasMaven, needsMaven } from './maven.ts';

/** The contracts of the sample: `Locations.v1.wadl` and so on. */
const contracts = readdirSync(join(repository, 'generated/contracts')).filter((name) =>
  /^\w+\.v\d+\.(wsdl|wadl|xsd)$/.test(name),
);
const colliding = ['Collide.v1.wsdl', 'Collide.v1.wadl', 'Collide.v1.xsd'];

/** The ways in which a contract is used, by its ending. */
const USES: Readonly<Record<string, readonly (Pick<Job, 'tool' | 'args'> & { readonly toolkit: Toolkit })[]>> = {
  wsdl: [
    { toolkit: 'CXF', tool: 'wsdl2java', args: [] },
    { toolkit: 'CXF', tool: 'wsdl2java', args: ['-p', 'one'] },
    { toolkit: 'Metro', tool: 'wsimport', args: [] },
    { toolkit: 'Metro', tool: 'wsimport', args: ['-p', 'one'] },
  ],
  wadl: [
    { toolkit: 'CXF', tool: 'wadl2java', args: [] },
    { toolkit: 'CXF', tool: 'wadl2java', args: ['-p', 'one'] },
  ],
  xsd: [
    { toolkit: 'CXF', tool: 'xjc', args: [] },
    { toolkit: 'CXF', tool: 'xjc', args: ['-p', 'one'] },
  ],
};
const uses = [...contracts, ...colliding].flatMap((contract) =>
  (USES[contract.split('.').at(-1) as string] ?? []).map((use, index) => ({ ...use, contract, index })),
);
type Use = (typeof uses)[number];

const TOOLKITS = ['CXF', 'Metro'] as const;
/** The services that are called, by the package of their classes. */
const CALLED = {
  locations: 'Locations.v1',
  attachments: 'Attachments.v1',
  setup: 'LocationSetup.v1',
  processes: 'PROCESSREQUEST.v1',
  queries: 'QAS_QRY_SERVICE.v1',
};

/** Names that `check` warns of, each in definitions of its own. */
const fields = (text: string): string =>
  `service: Warned.v1\npublic: true\noperations:\n  A_GET: { get: A, response: { application/xml: DOC } }\n---\ndocument: DOC\n${text}`;
const WARNED: Readonly<Record<string, string>> = {
  punctuation: fields('fields: { a_b: string, a-b: string }'),
  'a capital letter': fields('fields: { a_b: string, aB: string }'),
  'letter case': fields('fields: { LAT: string, Lat: string }'),
  'an attribute and an element': fields(
    'fields: { ID: { type: string, attribute: true }, Id: { type: string, xml: ID } }',
  ),
  'what is not declared': fields('open: true\nfields: { known: { type: string, required: true }, any: string }'),
  operations:
    'service: Warned.v1\npublic: true\noperations:\n  A_GET: { soap: true, response: text }\n  AGET: { soap: true, response: text }',
};

const folder = mkdtempSync(join(tmpdir(), 'signalbox-java-'));
const folderOf = ({ contract, tool, index }: Use): string => join(folder, `${contract}-${tool}-${index}`);
let gateway: Served;
const wrong = new Map<string, string>();

/** Where a tool finds a contract: the sample's at the gateway, as a partner would. */
function addressOf(contract: string): string {
  if (colliding.includes(contract)) return join(folder, contract);
  return contract.endsWith('.wadl') ? `${gateway.connector}/${contract}` : `${connectorOf(gateway)}/${contract}`;
}

function warnedJob(name: string): Job {
  return { folder: join(folder, name), tool: 'xjc', args: [join(folder, `${name}.xsd`)] };
}

/** Writes the schema of definitions, and gives what is wrong with them. */
function writeWarned(name: string, definitions: string): readonly string[] {
  const { registry, diagnostics } = loadFiles(projectOf(definitions), 'ignore-missing');
  const service = registry?.services.get('Warned.v1');
  if (registry === undefined || service === undefined) throw new Error(JSON.stringify(diagnostics));
  const [text] = describeXsdFiles(registry, service).values();
  writeFileSync(join(folder, `${name}.xsd`), text as string);
  return diagnostics.map(({ code }) => code);
}

function jobsOf(toolkit: Toolkit): Job[] {
  const own = uses.filter((use) => use.toolkit === toolkit);
  const tool = toolkit === 'CXF' ? 'wsdl2java' : 'wsimport';
  return [
    ...own.map((use): Job => ({ ...use, folder: folderOf(use), args: [...use.args, addressOf(use.contract)] })),
    ...Object.entries(CALLED).map(([name, service]): Job => {
      return {
        folder: join(folder, toolkit, name),
        tool,
        args: ['-p', name, `${connectorOf(gateway)}/${service}?wsdl`],
      };
    }),
    ...(toolkit === 'CXF' ? Object.keys(WARNED).map(warnedJob) : []),
  ];
}

const warnings = new Map<string, readonly string[]>();
beforeAll(async () => {
  if (!hasMaven) return;
  for (const [name, text] of Object.entries(WARNED)) warnings.set(name, writeWarned(name, text));
  for (const form of ['wsdl', 'wadl', 'xsd'] as const) writeColliding(folder, form);
  gateway = await serve();
  await Promise.all(
    TOOLKITS.map(async (toolkit) => {
      for (const [key, log] of await generate(toolkit, jobsOf(toolkit))) wrong.set(key, log);
    }),
  );
}, 600_000);
afterAll(async () => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe(`a client in Java is generated from a contract, and compiles (${needsMaven})`, () => {
  test.skipIf(!hasMaven).each(uses.map((use) => ({ ...use, options: use.args.join(' ') })))(
    '$contract: $tool $options',
    (use) => {
      expect(wrong.get(folderOf(use))).toBe('');
    },
  );
});

test.skipIf(!hasMaven).each(Object.keys(WARNED))(`xjc refuses what check warns of: %s (${needsMaven})`, (name) => {
  expect(new Set(warnings.get(name))).toEqual(new Set(['code-name']));
  expect(wrong.get(warnedJob(name).folder)).toMatch(/collision|already defined|same field twice/);
});

test.skipIf(!hasMaven).each(TOOLKITS)(
  `%s calls every service of the sample over SOAP (${needsMaven})`,
  async (toolkit) => {
    const folders = Object.keys(CALLED).map((name) => join(folder, toolkit, name));
    for (const each of folders) expect(wrong.get(each)).toBe('');
    const lines = (await java(toolkit, 'Calls.java', { folders, args: [connectorOf(gateway)] })).trimEnd().split('\n');
    expect(lines).toEqual([
      ...['BOS01', 'MTL01', 'NYC01', 'NYC02'].map((location) => `location ${location}`),
      'kept 16 bytes as java.txt',
      'content Grüße aus Java',
      'head office Head office',
      'fault There is no LOCATION_SETUP N/NOWHERE.',
      'process LOCATION_EXTRACT Cancelled',
      'fault PRQ_FAILURE',
      'query DEPARTMENTS',
      'query run found',
    ]);
  },
);
