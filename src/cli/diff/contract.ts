import type { DraftContract, Purpose } from '../../import/draft.ts';
import type { ReadSource } from '../../import/index.ts';
import type { Loss } from '../../import/place.ts';
import type { Registry } from '../../model/registry.ts';
import type { Service } from '../../model/service.ts';
import { counted } from '../../wire/words.ts';
import { CliFailure } from '../failure.ts';
import { note } from '../terminal.ts';
import { checked } from './definitions.ts';

/** A contract as definitions of its own, which are not written. */
export interface Contract {
  readonly location: string;
  readonly language: DraftContract['language'];
  readonly registry: Registry;
  /** Its services in the source, with their places. */
  readonly drafts: DraftContract['services'];
  /** The service that was declared with a name, without its version. */
  serviceNamed(name: string): Service | undefined;
}

/**
 * Reads a contract.
 * @param isProvided whether it is served rather than called, given its services and the names that they get
 * @param namespace the one that namespaces of services begin with which a contract does not state: that of what it is compared with
 */
export async function readContract(
  location: string,
  read: ReadSource,
  isProvided: (services: DraftContract['services'], names: readonly string[]) => boolean,
  namespace?: string,
): Promise<Contract> {
  const { contract, lost } = await declareContract(location, read, isProvided, namespace);
  if (lost.size > 0)
    note(`${counted(lost.size, 'thing')} of ${location} can't be compared: signalbox import --dry-run lists them.`);
  return contract;
}

/** The same without a note of what is lost, which the caller gets. */
export async function declareContract(
  location: string,
  read: ReadSource,
  isProvided: Parameters<typeof readContract>[2],
  namespace?: string,
  purpose: Purpose = 'definitions',
): Promise<{ readonly contract: Contract; readonly lost: ReadonlySet<string>; readonly losses: readonly Loss[] }> {
  const { declare, importContracts, serviceNames, update } = await import('../../import/index.ts');
  const { loadTexts } = await import('../../load/index.ts');
  const { judgeByCheck } = await import('../import/judge.ts');
  const [imported] = await importContracts([location], read, { purpose });
  if (imported === undefined) throw new CliFailure(`${location} contains no contract`);
  const { contract, losses } = imported;
  const drafts = contract.services;
  const names = serviceNames(drafts);
  const taken = { document: [], service: [], node: [], 'permission-list': [], scheme: [] };
  const as = isProvided(drafts, names) ? 'provider' : 'consumer';
  const gateway = `gateway: LOCAL\n${namespace === undefined ? '' : `namespace: ${JSON.stringify(namespace)}\n`}`;
  const { files } = update({
    files: new Map([['definitions/gateway.yaml', gateway]]),
    before: [],
    after: declare(contract, { as, name: 'partner', taken, judge: judgeByCheck }, losses),
    pathOf: (file) => `${location}#${file}.yaml`,
  });
  const project = loadTexts(new Map([['definitions/gateway.yaml', gateway], ...files]));
  const registry = await checked(location, project);
  const all = losses.all();
  const lost = new Set(all.map(({ what, instead }) => `${what}: ${instead}`));
  const serviceNamed = (name: string): Service | undefined =>
    [...registry.services.values()].find((each) => !each.delivered && each.name === name);
  return { contract: { location, language: contract.language, registry, drafts, serviceNamed }, lost, losses: all };
}
