import { activeOperations, contractForms } from '../../describe/scope.ts';
import type { Change } from '../../diff/changes.ts';
import { worstOf } from '../../diff/verdict.ts';
import type { ReadSource } from '../../import/index.ts';
import type { Position } from '../../model/definition.ts';
import type { Operation, Service } from '../../model/service.ts';
import { counted } from '../../wire/words.ts';
import { CliFailure } from '../failure.ts';
import { sourceReader } from '../import/read-source.ts';
import { note } from '../terminal.ts';
import { type Address, alsoAt } from './address.ts';
import { type Contract, declareContract } from './contract.ts';
import { type Against, changeOf, compareWithOurs } from './ours.ts';

/** A contract that a gateway publishes. */
export interface Published {
  /** The id of its service: `Locations.v1`. */
  readonly service: string;
  readonly form: 'openapi' | 'wadl' | 'wsdl';
  readonly location: string;
}

/**
 * Finds the contracts that the gateway at an address publishes, by the catalogue at its root; `undefined` if the address is that of
 * a contract.
 * @throws CliFailure when there is neither
 */
export async function findPublished(address: Address): Promise<readonly Published[] | undefined> {
  const tried: string[] = [];
  const locations = new Set([address.location, new URL('/', address.location).href]);
  for (const location of locations) {
    const found = await sourceReader(alsoAt(address, location))(location);
    if ('missing' in found) tried.push(`${location} ${found.missing}`);
    else if (!isHtml(found.bytes)) {
      if (location === address.location) return undefined;
      tried.push(`${location} is not the catalogue of a gateway`);
    } else {
      const published = await readCatalogue(location, address, Buffer.from(found.bytes).toString('utf8'));
      if (published.length > 0) return published;
      tried.push(`${location} is a page without contracts of a gateway`);
    }
  }
  throw new CliFailure(`${address.location} is neither a contract nor a gateway: ${tried.join('; ')}`, {
    hint: tried.some((each) => each.includes('status 401'))
      ? 'A gateway with `contracts: private` needs credentials: https://user:password@gateway.example.org'
      : "Name the address of a contract, or that of a gateway, which has its catalogue of services at '/'.",
  });
}

function isHtml(bytes: Uint8Array): boolean {
  return /^\s*<(?:!doctype html|html)\b/i.test(Buffer.from(bytes.subarray(0, 200)).toString('latin1'));
}

/** Pages that are read at most. Each has 50 services. */
const MOST_PAGES = 200;

/** The contracts that the pages of a catalogue link to. */
async function readCatalogue(location: string, address: Address, first: string): Promise<readonly Published[]> {
  const found = new Map<string, Published>();
  for (let page = 1, html = first; page <= MOST_PAGES; page++) {
    for (const each of linksIn(html, address.location)) found.set(each.location, each);
    const next = new URL(`./?page=${page + 1}`, location).href;
    if (!html.includes(`page=${page + 1}"`)) break;
    const read = await sourceReader(alsoAt(address, next))(next);
    if ('missing' in read) throw new CliFailure(`the catalogue is incomplete: ${next} ${read.missing}`);
    html = Buffer.from(read.bytes).toString('utf8');
  }
  return [...found.values()];
}

/** Links lead to the public address of a gateway; here it is reached at the one that the user gave. */
function linksIn(html: string, base: string): readonly Published[] {
  return [...html.matchAll(/href="([^"]+\/(\w+\.v\d+)\.(openapi\.json|wadl|wsdl))"/g)].map(
    ([, href = '', service = '', ending = '']): Published => {
      const { pathname } = new URL(href.replaceAll('&amp;', '&'), base);
      const form = ending === 'openapi.json' ? 'openapi' : (ending as 'wadl' | 'wsdl');
      return { service, form, location: new URL(pathname, base).href };
    },
  );
}

/** Compares all services that a gateway publishes with those of definitions. */
export async function compareGateway(
  published: readonly Published[],
  address: Address,
  sides: Against,
): Promise<readonly Change[]> {
  const changes: Change[] = [];
  const lost = new Set<string>();
  const theirs = Map.groupBy(published, ({ service }) => service);
  for (const [id, contracts] of theirs) {
    const own = sides.ours.services.get(id);
    if (own === undefined || contractForms(own).length === 0)
      changes.push(wholeService({ id, location: contracts[0]?.location ?? '' }, sides));
    else if (!own.delivered) changes.push(...(await compareService(own, contracts, address, { ...sides, lost })));
  }
  for (const own of sides.ours.services.values())
    if (!own.delivered && !theirs.has(own.id) && contractForms(own).length > 0)
      changes.push(wholeService({ id: own.id, location: address.location, own }, sides));
  if (lost.size > 0)
    note(`${counted(lost.size, 'thing')} of these contracts can't be compared: signalbox import --dry-run lists them.`);
  return changes;
}

interface Whole {
  readonly id: string;
  readonly location: string;
  readonly own?: Service;
}

/** A place in a file of which only the name is known. */
const placeAt = (file: string): Position => ({ file, line: 0, column: 0 });

/** A service that only one side has. */
function wholeService({ id, location, own }: Whole, { isOld }: Against): Change {
  const isNew = (own === undefined) !== isOld;
  const side = { text: id, at: own?.at ?? placeAt(location) };
  return changeOf(
    isNew ? 'service-added' : 'service-removed',
    { at: id, what: 'the service', service: id },
    isNew ? { after: side } : { before: side },
  );
}

/** What a gateway publishes of one service: REST as OpenAPI, or as WADL where it has no OpenAPI, and SOAP as WSDL. */
async function compareService(
  own: Service,
  published: readonly Published[],
  address: Address,
  sides: Against & { readonly lost: Set<string> },
): Promise<readonly Change[]> {
  const of = (form: Published['form']): Published | undefined => published.find((each) => each.form === form);
  const parts: Part[] = [];
  for (const each of [of('openapi') ?? of('wadl'), of('wsdl')]) {
    if (each === undefined) continue;
    const { contract, lost } = await declareContract(
      each.location,
      readerOf(address, each.location),
      () => true,
      sides.ours.gateway.namespace,
    );
    for (const loss of lost) sides.lost.add(`${own.id} ${loss}`);
    const theirs = [...contract.registry.services.values()].find(({ delivered }) => !delivered);
    if (theirs !== undefined) parts.push({ contract, theirs, transport: each.form === 'wsdl' ? 'soap' : 'rest' });
  }
  const work = { own, parts, sides };
  const merged = new Map<string, Change>();
  for (const transport of ['rest', 'soap'] as const)
    for (const change of await compareTransport(transport, work)) merge(merged, change);
  return [...merged.values()];
}

type Transport = 'rest' | 'soap';

interface Part {
  readonly contract: Contract;
  readonly theirs: Service;
  readonly transport: Transport;
}

interface ServiceWork {
  readonly own: Service;
  readonly parts: readonly Part[];
  readonly sides: Against;
}

async function compareTransport(transport: Transport, work: ServiceWork): Promise<readonly Change[]> {
  const { own, parts, sides } = work;
  const part = parts.find((each) => each.transport === transport);
  const ours = activeOperations({ service: own }).filter((each) => isOver(transport, each));
  if (part === undefined) return ours.map(({ name }) => onOneSide('ours', name, transport, work));
  if (ours.length === 0) return part.theirs.operations.map(({ name }) => onOneSide('theirs', name, transport, work));
  const changes = await compareWithOurs({ theirs: part.theirs, own }, part.contract, sides);
  return changes.map((change) => {
    const whose = (change.rule === 'operation-added') === sides.isOld ? 'ours' : 'theirs';
    const isWhole = change.rule === 'operation-added' || change.rule === 'operation-removed';
    return isWhole ? onOneSide(whose, change.operation ?? '', transport, work) : change;
  });
}

const isOver = (transport: Transport, { soap, method }: Operation): boolean =>
  (transport === 'soap' ? soap : method) !== undefined;

/** An operation that one side alone offers, or alone over REST or over SOAP. */
function onOneSide(
  whose: 'ours' | 'theirs',
  name: string,
  transport: Transport,
  { own, parts, sides }: ServiceWork,
): Change {
  const mine = activeOperations({ service: own }).find((each) => each.name === name || each.soap?.name === name);
  const isTheirs = parts.some(({ theirs }) => theirs.operations.some((each) => isCalled(each, name, mine)));
  const change = (whose === 'ours') === sides.isOld ? 'added' : 'removed';
  const rule = mine !== undefined && isTheirs ? transport : 'operation';
  const operation = mine?.name ?? name;
  const at =
    whose === 'ours'
      ? (mine?.at ?? own.at)
      : placeAt(parts.find((each) => each.transport === transport)?.contract.location ?? '');
  const side = { text: rule === 'soap' ? (mine?.soap?.name ?? name) : operation, at };
  const named = { at: `${own.id}.${operation}`, what: 'the operation', service: own.id, operation };
  return changeOf(`${rule}-${change}`, named, change === 'added' ? { after: side } : { before: side });
}

const isCalled = (theirs: Operation, name: string, mine: Operation | undefined): boolean =>
  [name, mine?.name, mine?.soap?.name].includes(theirs.name);

const readerOf = (address: Address, location: string): ReadSource => sourceReader(alsoAt(address, location));

/** The same change over REST and over SOAP is one. */
function merge(known: Map<string, Change>, change: Change): void {
  const key = [change.rule, change.at, change.message].join('\n');
  const same = known.get(key);
  const verdicts = { ...same?.verdicts, ...change.verdicts };
  known.set(key, same === undefined ? change : { ...same, verdicts, verdict: worstOf(verdicts) });
}
