import {
  type Declared,
  type DeclareOptions,
  declare,
  type Found,
  importContracts,
  type Loss,
  update,
} from '../../src/import/index.ts';
import { loadTexts } from '../../src/load/index.ts';

/** Reads sources from texts by location. */
export function readFrom(files: Readonly<Record<string, string>>): (location: string) => Promise<Found> {
  return async (location) => {
    const text = files[location];
    return text === undefined ? { missing: 'does not exist' } : { bytes: Buffer.from(text) };
  };
}

const NOTHING_TAKEN: DeclareOptions['taken'] = {
  service: [],
  node: [],
  'permission-list': [],
  scheme: [],
  document: [],
};

/** What is declared for contracts, of which the first file is the root. */
export async function declaredOf(
  files: Readonly<Record<string, string>>,
  options: Partial<DeclareOptions> = {},
): Promise<{ readonly declared: readonly Declared[]; readonly losses: readonly Loss[] }> {
  const [root = ''] = Object.keys(files);
  const [imported] = await importContracts([root], readFrom(files));
  if (imported === undefined) throw new Error('nothing was imported');
  const { contract, losses } = imported;
  const declared = declare(contract, { as: 'consumer', name: 'PARTNER', taken: NOTHING_TAKEN, ...options }, losses);
  return { declared, losses: losses.all() };
}

/** The YAML of definitions, by file. */
export function yamlOf(declared: readonly Declared[]): Readonly<Record<string, string>> {
  const { files } = update({ files: new Map(), before: [], after: declared, pathOf: (file) => file });
  return Object.fromEntries(files);
}

/** The errors that `check` reports in definitions. */
export function errorsOf(declared: readonly Declared[]): readonly string[] {
  const texts = { gateway: 'gateway: LOCAL\n', ...yamlOf(declared) };
  const { diagnostics } = loadTexts(
    new Map(Object.entries(texts).map(([name, text]) => [`definitions/${name}.yaml`, text])),
  );
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code}: ${message}`);
}
