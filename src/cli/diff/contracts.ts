import { statSync } from 'node:fs';
import { type JudgedChange, judge } from '../../diff/accepted.ts';
import type { Change } from '../../diff/changes.ts';
import { compareRegistries, compareVersions } from '../../diff/registries.ts';
import type { Registry } from '../../model/registry.ts';
import type { Service } from '../../model/service.ts';
import { wrongUsage } from '../failure.ts';
import { sourceReader } from '../import/read-source.ts';
import type { Place } from '../project.ts';
import { type Address, addressOf, isAddress } from './address.ts';
import { declareContract, readContract } from './contract.ts';
import { registryFrom } from './definitions.ts';
import { compareGateway, findPublished, type Published } from './gateway.ts';
import { type Against, compareWithOurs, type Match, pairServices } from './ours.ts';
import { type Stated, withStated } from './stated.ts';

/** Whether a side is a contract, or the address of one or of a gateway. */
export function isContract(name: string): boolean {
  if (isAddress(name)) return true;
  return /\.(?:wsdl|wadl|xsd|json|ya?ml)$/i.test(name) && statSync(name, { throwIfNoEntry: false })?.isFile() === true;
}

/** Compares two contracts, or one, or all of a gateway, with definitions. */
export async function compareContracts(
  before: string,
  after: string | undefined,
  place: Place,
): Promise<readonly JudgedChange[]> {
  if (after !== undefined && isContract(before) && isContract(after)) return compareTwo(before, after);
  const isOld = isContract(before);
  const [theirs, ours] = isOld ? [before, after] : [after as string, before];
  const [found, registry] = [await find(theirs), await registryFrom(ours, place)];
  const sides = { ours: registry, isOld };
  const changes = Array.isArray(found.published)
    ? await compareGateway(found.published as readonly Published[], found.address, sides)
    : await compareOne(found.address, sides);
  if (!isOld) return changes;
  // Entries that are about what a contract does not state are not idle.
  return judge(changes, registry.gateway.acceptedBreaks ?? [], new Date().toISOString().slice(0, 10)).changes;
}

interface FoundContract {
  readonly address: Address;
  /** The contracts that a gateway publishes; `undefined` for one contract. */
  readonly published: readonly Published[] | undefined;
}

async function find(name: string): Promise<FoundContract> {
  const address = addressOf(name);
  return { address, published: isAddress(name) ? await findPublished(address) : undefined };
}

/** Who reads a partner's contract is its caller. */
async function compareTwo(before: string, after: string): Promise<readonly Change[]> {
  const [old, now] = [await find(before), await find(after)];
  const gateway = [old, now].find(({ published }) => published !== undefined);
  if (gateway !== undefined)
    throw wrongUsage(
      `${gateway.address.location} is a gateway, which is compared with definitions`,
      'Compare it with the definitions of a folder or a git reference, or name the addresses of two contracts.',
    );
  const read = ({ address }: FoundContract): Promise<Stated> =>
    declareContract(address.location, sourceReader(address.options), () => true, undefined, 'comparison');
  const [one, other] = [await read(old), await read(now)];
  const registries = { before: one.contract.registry, after: other.contract.registry };
  const [a, ...others] = servicesOf(registries.before);
  const [b, ...more] = servicesOf(registries.after);
  // Versions of one contract often have other names.
  const isOne = a !== undefined && b !== undefined && others.length + more.length === 0;
  const changes = isOne
    ? compareVersions(a, b, registries.after.gateway)
    : compareRegistries(registries.before, registries.after);
  return withStated(changes, one, other);
}

const servicesOf = ({ services }: Registry): readonly Service[] =>
  [...services.values()].filter(({ delivered }) => !delivered);

/** Compares one contract with the services of the definitions that its services correspond to. */
async function compareOne({ location, options }: Address, { ours, isOld }: Against): Promise<readonly Change[]> {
  const found: Match[] = [];
  const isProvided: Parameters<typeof readContract>[2] = (draft, names) => {
    const pairs = pairServices(draft, names, { location, ours });
    found.push(...pairs);
    return pairs.some(({ own }) => own.consumers.length === 0);
  };
  const contract = await readContract(location, sourceReader(options), isProvided, ours.gateway.namespace);
  const pairs = found.flatMap(({ name, own }) => {
    const theirs = contract.serviceNamed(name);
    return theirs === undefined ? [] : [{ theirs, own }];
  });
  if (pairs.length === 0) throw noService(location, contract.registry, ours);
  const changes: Change[] = [];
  for (const pair of pairs) changes.push(...(await compareWithOurs(pair, contract, { ours, isOld })));
  return changes;
}

function noService(contract: string, theirs: Registry, ours: Registry): Error {
  const names = ({ services }: Registry): string =>
    [...services.values()].flatMap(({ id, delivered }) => (delivered ? [] : id)).join(', ') || 'none';
  return wrongUsage(
    `no service of ${contract} corresponds to one of the definitions, by its name or its operations`,
    `Services of the contract: ${names(theirs)}; of the definitions: ${names(ours)}.`,
  );
}
