import { type Change, Changes, type Scope, type Side, type Sides } from '../../diff/changes.ts';
import { compareWithContract } from '../../diff/registries.ts';
import { isAtLeast } from '../../diff/verdict.ts';
import type { DraftContract, DraftService } from '../../import/draft.ts';
import { ImportError } from '../../import/place.ts';
import type { Registry } from '../../model/registry.ts';
import { type Service, serviceNamespace } from '../../model/service.ts';
import { type Contract, declareContract } from './contract.ts';
import { placeOfDraft, placeOfOurs } from './places.ts';

/** Which side the definitions are on. */
export interface Against {
  readonly ours: Registry;
  /** Whether the contract is the one before. */
  readonly isOld: boolean;
}

/** A service of a contract, by the name that it gets, and ours that it corresponds to. */
export interface Match {
  readonly name: string;
  readonly own: Service;
}

/** Finds our services that those of a contract correspond to: by name, or of those with its operations the one with most of them. */
export function pairServices(
  drafts: DraftContract['services'],
  names: readonly string[],
  from: { readonly location: string; readonly ours: Registry },
): readonly Match[] {
  return drafts.flatMap((draft, index) => {
    const name = names[index] ?? '';
    const own = ownNamed(name, from.ours) ?? ownWithOperations(draft, from);
    return own === undefined ? [] : { name, own };
  });
}

const ownOf = ({ services }: Registry): readonly Service[] => [...services.values()].filter((each) => !each.delivered);

function ownNamed(name: string, ours: Registry): Service | undefined {
  // Contracts of a gateway are named after the id of the service.
  const same = ownOf(ours).filter((each) => each.name === name || each.id.replace('.', '_') === name);
  return same.find((each) => each.default) ?? same.at(-1);
}

function ownWithOperations(
  draft: DraftService,
  { location, ours }: { readonly location: string; readonly ours: Registry },
): Service | undefined {
  const theirs = draft.operations.map((each) => each.soap?.request ?? each.name);
  const shared = (service: Service): number => {
    const named = [...service.operations, ...service.consumers].flatMap(({ name, ...each }) => [
      name,
      'soap' in each ? (each.soap?.name ?? name) : name,
    ]);
    return theirs.filter((each) => named.includes(each)).length;
  };
  // Versions of a service have the same operations.
  const traces = (service: Service): number =>
    [
      draft.namespace === serviceNamespace(service, ours.gateway.namespace),
      draft.operations.some(({ rest }) =>
        rest?.uris.some((uri) => uri.replace(/^\//, '').startsWith(`${service.id}/`)),
      ),
      location.includes(service.id),
      service.default,
    ].filter((each) => each).length;
  const [best] = ownOf(ours)
    .map((service) => ({ service, count: shared(service) }))
    .filter(({ count }) => count > 0 && count * 2 >= theirs.length)
    .sort((a, b) => b.count - a.count || traces(b.service) - traces(a.service));
  return best?.service;
}

/** A service of a contract, and ours. */
interface ServicePair {
  readonly theirs: Service;
  readonly own: Service;
}

/**
 * Compares a service of ours with one of a contract, by what the contract can state.
 *
 * Definitions that an import wrote say the same as their contract, and are compared as they are. Those that people wrote say
 * more, and in other words: then it is our contract of the same kind, read in the same way, that is compared with theirs.
 */
export async function compareWithOurs(
  pair: ServicePair,
  contract: Contract,
  sides: Against,
): Promise<readonly Change[]> {
  const direct = compareOne(pair, contract.registry, sides);
  if (!direct.some(isNoticed)) return placed(direct, pair, contract, sides);
  const mine = await ownContract(pair.own, contract, sides.ours);
  if (mine === undefined) return placed(direct, pair, contract, sides);
  const restated = compareOne({ theirs: pair.theirs, own: mine.service }, contract.registry, {
    ...sides,
    ours: mine.registry,
  });
  return placed(noiseOf(restated) < noiseOf(direct) ? restated : direct, pair, contract, sides);
}

/** How much a comparison reports, and first of all how much that may break. */
const noiseOf = (changes: readonly Change[]): number => changes.filter(isNoticed).length * 1e6 + changes.length;

const isNoticed = ({ verdict }: Change): boolean => isAtLeast(verdict, 'may-break');

function compareOne({ theirs, own }: ServicePair, registry: Registry, { ours, isOld }: Against): readonly Change[] {
  const [before, after] = isOld ? [theirs, own] : [own, theirs];
  const [old, now] = isOld ? [registry, ours] : [ours, registry];
  return compareWithContract([{ before, after }], { before: old.gateway, after: now.gateway });
}

/** Where the gateway is does not matter to a comparison. */
const BASE = 'https://gateway.example.org/gateway';

/** Our contract of the language of another, read as others read it; `undefined` for a service that has none. */
async function ownContract(
  service: Service,
  { language, registry: { gateway } }: Contract,
  ours: Registry,
): Promise<{ readonly registry: Registry; readonly service: Service } | undefined> {
  const { contractForms, describeContract } = await import('../../describe/index.ts');
  if (language === 'xsd' || !contractForms(service).includes(language)) return undefined;
  const files = describeContract(ours, language, { service }, BASE);
  const [root = ''] = files.keys();
  try {
    const { contract } = await declareContract(
      root,
      async (location) => {
        const text = files.get(location);
        return text === undefined ? { missing: 'does not exist' } : { bytes: Buffer.from(text) };
      },
      () => true,
      gateway.namespace,
    );
    const described = [...contract.registry.services.values()].find((each) => !each.delivered);
    return described === undefined ? undefined : { registry: contract.registry, service: described };
  } catch (error) {
    if (error instanceof ImportError) return undefined;
    throw error;
  }
}

/** A contract has an operation of its own for each further URI, `LOCATIONS_GET_2`, which is URI 2 of ours. */
function ofUri(change: Change, own: Service): Change {
  const { rule, operation: found = '' } = change;
  const [, name = '', index = ''] = /^(.*)_(\d+)$/.exec(found) ?? [];
  const operation = own.operations.find((each) => each.name === name && each.method !== undefined);
  if (operation === undefined || own.operations.some((each) => each.name === found)) return change;
  const uri = operation.uris.find((each) => String(each.index) === index);
  if (rule !== 'operation-added' && rule !== 'operation-removed')
    return {
      ...change,
      operation: name,
      at: change.at.replace(`.${found}`, `.${name}`).replace('.uri.1', `.uri.${index}`),
    };
  const side = change.before ?? change.after;
  const stated = side && { ...side, text: uri?.template.text ?? `that of ${found}` };
  return changeOf(
    rule === 'operation-added' ? 'uri-added' : 'uri-removed',
    { at: `${own.id}.${name}.uri.${index}`, what: index, service: own.id, operation: name },
    rule === 'operation-added' ? { after: stated } : { before: stated },
  );
}

/** In a contract, JSON with a label at its root is a document with one field: `reply.LOC_RESPONSE.LOC_DATA` is `reply.LOC_DATA` of ours. */
function withoutLabel(change: Change, { operations }: Service): Change {
  const [, , operation, message, label] = change.at.split('.');
  const found = operations.find(({ name }) => name === operation);
  const messages = message === 'request' ? [found?.request] : found?.responses.map((each) => each.message);
  const isLabel = messages?.some(
    (each) => each?.kind === 'document' && each.document.root && each.document.id === label,
  );
  if (label === undefined || isLabel !== true) return change;
  return {
    ...change,
    at: change.at.replace(`.${message}.${label}`, `.${message}`),
    message: change.message.replace(`${label}.`, ''),
  };
}

/** One change for callers that is not found by a comparison. */
export function changeOf(
  rule: Change['rule'],
  named: Pick<Scope, 'at' | 'what' | 'service' | 'operation'>,
  sides: Sides,
): Change {
  const changes = new Changes();
  changes.add(rule, { changes, role: 'callers', languages: ['json', 'xml'], ...named }, sides);
  return changes.list[0] as Change;
}

/** Names the changes after our service, with the places in the contract and in our definitions. */
function placed(
  changes: readonly Change[],
  { theirs, own }: ServicePair,
  contract: Contract,
  { isOld }: Against,
): readonly Change[] {
  const all = changes.map((given): Change => {
    const change = withoutLabel(ofUri(given, own), own);
    const rest = change.at.replace(/^[^.]*\.[^.]*/, '');
    const path = rest.split('.').slice(1);
    const there = placeOfDraft(path, contract, theirs.name);
    const here = placeOfOurs(path, own);
    const side = (given: Side | undefined, isOurs: boolean): Side | undefined =>
      given && { ...given, at: isOurs ? here : there };
    const { before, after, service: _, ...same } = change;
    const [old, now] = [side(before, !isOld), side(after, isOld)];
    return {
      ...same,
      at: `${own.id}${rest}`,
      service: own.id,
      ...(old === undefined ? {} : { before: old }),
      ...(now === undefined ? {} : { after: now }),
    };
  });
  // What changes at each URI of an operation is one change.
  return [...new Map(all.map((each) => [[each.rule, each.at, each.message].join('\n'), each])).values()];
}
