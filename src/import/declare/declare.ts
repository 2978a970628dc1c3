import { parseMediaType } from '../../wire/media-type.ts';
import { receivable } from '../../wire/uri-template/layout.ts';
import { parseUriTemplate } from '../../wire/uri-template/uri-template.ts';
import type {
  DraftAddressing,
  DraftContract,
  DraftOperation,
  DraftRest,
  DraftSecurity,
  DraftService,
} from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import { type Declared, type DeclaredMap, type DeclaredValue, given, inFiles, type Judge } from './declared.ts';
import { DeclaredDocuments, fieldNames, usesOf } from './documents.ts';
import { capitalName, Names, plainName, servedIds } from './names.ts';
import { openUnsaid } from './openness.ts';
import {
  certificateOfCalls,
  credentialOfCalls,
  faultValue,
  hasOwnElement,
  namedAlone,
  restKeys,
  SCHEME_WORDS,
  schemeKeys,
  securityOfCalls,
  securityWords,
  servedTypes,
  soapKeys,
} from './reached.ts';
import { asServed } from './served.ts';
import { placeKey, settled } from './settled.ts';
import { SOAP_WORDS, wsdlKeys } from './wsdl-names.ts';

interface ServiceOptions {
  /** Whether the contract is called (`target:`) or served here. */
  readonly as: 'consumer' | 'provider';
  /** Name of the contract, from which those of the node, the permission list and settings are derived. */
  readonly name: string;
  /** Ids that other definitions of the project have, by kind. Names of services are without versions. */
  readonly taken: Readonly<Record<'service' | 'node' | 'permission-list' | 'scheme', readonly string[]>>;
}

export interface DeclareOptions extends ServiceOptions {
  readonly taken: ServiceOptions['taken'] & { readonly document: readonly string[] };
  /** What it refuses is declared in a simpler form. */
  readonly judge?: Judge;
}

/**
 * Writes a contract as definitions: with ids that are distinct in the project, and documents in place where they are used once.
 * @throws ImportError for a definition that is too large for a file, or that has no valid form
 */
export function declare(read: DraftContract, options: DeclareOptions, losses: Losses): readonly Declared[] {
  const contract = options.as === 'provider' ? asServed(read, losses) : read;
  const namespaces = new Set(contract.services.map(({ namespace }) => namespace));
  const namespace = namespaces.size === 1 ? [...namespaces][0] : undefined;
  if (options.as === 'provider') openUnsaid(contract, usesOf(contract).keys(), losses);
  const documents = new DeclaredDocuments(contract, namespace, options.taken.document, losses);
  const services = new DeclaredServices(documents, options, losses);
  const declared = [...services.all(contract.services), ...documents.all()];
  const places = new Map([...services.places, ...documents.places()]);
  const isXml = contract.language !== 'openapi';
  const valid = settled(declared, options.judge ?? accepting, { places, losses, isXml, source: options.name });
  return inFiles(valid, options.name);
}

const accepting: Judge = () => [];

/** The longest name of a service: its contracts are files of that name, which systems of files restrict to 255 bytes. */
const LONGEST_SERVICE = 100;

/** The names that the services of a contract get, without versions. @param taken those of other services of the project */
export function serviceNames(services: readonly DraftService[], taken: readonly string[] = []): readonly string[] {
  const names = new Names(taken);
  return services.map(({ name }) => names.give(plainName(name, 'Service').slice(0, LONGEST_SERVICE)));
}

/** The services of a contract, with the node, permission list and schemes that they refer to. */
class DeclaredServices {
  /** Where services and operations are in the source. */
  readonly places = new Map<string, Place>();
  readonly #documents: DeclaredDocuments;
  readonly #options: ServiceOptions;
  readonly #losses: Losses;
  readonly #permission: string;
  readonly #nodes = new Map<
    string,
    { readonly id: string; readonly addresses: readonly string[]; readonly keys: DeclaredMap }
  >();
  readonly #nodeNames: Names;
  readonly #schemes = new Map<string, { readonly id: string; readonly keys: DeclaredMap }>();
  readonly #schemeNames: Names;

  constructor(documents: DeclaredDocuments, options: ServiceOptions, losses: Losses) {
    this.#documents = documents;
    this.#options = options;
    this.#losses = losses;
    const { taken } = options;
    this.#permission = new Names(taken['permission-list']).give(capitalName(options.name));
    // Nodes and services have the same place in a path.
    this.#nodeNames = new Names([...taken.node, ...taken.service]);
    this.#schemeNames = new Names([...taken.scheme, 'basic']);
  }

  all(services: readonly DraftService[]): readonly Declared[] {
    if (services.length === 0) return [];
    const names = serviceNames(services, this.#options.taken.service);
    const named = services.map((service, index) => ({ service, name: names[index] as string }));
    const taken = new Names([...this.#options.taken.service, ...named.map(({ name }) => name)]);
    const declared = named.map(({ service, name }) => this.#service(service, name, taken));
    const setup = [...this.#nodes.values()].map(
      ({ id, keys }): Declared => ({ kind: 'node', id, keys, file: 'setup' }),
    );
    const schemes = [...this.#schemes.values()].map(
      ({ id, keys }): Declared => ({ kind: 'scheme', id, keys, file: 'setup' }),
    );
    const permission: Declared = {
      kind: 'permission-list',
      id: this.#permission,
      keys: { description: `Grants the operations of ${this.#options.name}.` },
      file: 'setup',
    };
    return [...declared, ...setup, ...schemes, permission];
  }

  #service(service: DraftService, name: string, taken: Names): Declared {
    const isCall = this.#options.as === 'consumer';
    const all = isCall ? service.operations : this.#matchable(service.operations);
    const id = `${name}.v${majorOf(service.version)}`;
    const ids = this.#operationIds(all);
    this.places.set(placeKey({ kind: 'service', id }), service.place);
    for (const [index, { place }] of all.entries())
      this.places.set(placeKey({ kind: 'service', id, operation: ids[index] as string }), place);
    this.#tellOptions(service, isCall);
    if (isCall) this.#tellPorts(service);
    const addressing = isCall ? undefined : this.#addressing(all);
    const alone = namedAlone(service.operations);
    const node = isCall ? this.#node(service, taken) : undefined;
    const targets = this.#targets(service, all, node, taken);
    const operations = all.map((operation, index) => {
      const id = ids[index] as string;
      const target = targets.get(operation);
      return [id, { ...given({ target }), ...this.#operation(operation, id, service, alone.has(operation)) }] as const;
    });
    const idOf: DeclaredDocuments['idOf'] = (document) => this.#documents.idOf(document);
    const wsdl = isCall ? undefined : wsdlKeys(service, { name, operations: all, idOf }, this.#losses);
    return {
      kind: 'service',
      id,
      file: 'service',
      keys: given({
        description: service.description,
        namespace: service.namespace,
        target: node,
        permission: this.#permission,
        requires: isCall ? undefined : this.#requires(service.security, service.place),
        addressing,
        wsdl,
        operations: Object.fromEntries(operations),
      }),
    };
  }

  /** No definition has the method OPTIONS: a gateway answers it with the methods of the path (RFC 9110, section 9.3.7). */
  #tellOptions({ options = [] }: DraftService, isCall: boolean): void {
    for (const { path, place } of options) {
      const what = `the operation OPTIONS "${path}"`;
      if (isCall) this.#losses.operation(what, 'left out', place);
      else this.#losses.note(what, 'answered by the gateway itself, with the methods of the path', place);
    }
  }

  /** Calls are sent to one port of several. */
  #tellPorts({ wsdl }: DraftService): void {
    const taken = wsdl?.ports.find((each) => each.taken);
    for (const { port, version, place } of wsdl?.ports.filter((each) => each !== taken) ?? [])
      this.#losses.add(
        `the port "${port}" offers the same operations (${SOAP_WORDS[version]})`,
        `those of the port "${taken?.port}" are taken`,
        place,
      );
  }

  /** What a service states about WS-Addressing: it requires what the contract requires of each operation. */
  #addressing(operations: readonly DraftOperation[]): DraftAddressing | undefined {
    const served = operations.filter(({ soap, uncallable }) => soap !== undefined && uncallable === undefined);
    const required = served.filter(({ soap }) => soap?.addressing === 'required');
    if (required.length === served.length) return required.length === 0 ? undefined : 'required';
    for (const { name, place } of required)
      this.#losses.add(
        `WS-Addressing, which the contract requires of "${name}" and not of each operation`,
        'requests without its header blocks are served too',
        place,
      );
    return served.some(({ soap }) => soap?.addressing !== undefined) ? 'optional' : undefined;
  }

  /** The operations with an address that a request can match. */
  #matchable(operations: readonly DraftOperation[]): readonly DraftOperation[] {
    return operations.filter(({ rest, name, place }) => {
      const faults = (rest?.uris ?? []).map((uri) => receivable(parseUriTemplate(uri)));
      const fault = faults.find((each) => each !== undefined);
      if (fault === undefined) return true;
      this.#losses.operation(`the operation "${name}", whose path no request can match: ${fault}`, 'left out', place);
      return false;
    });
  }

  #operationIds(operations: readonly DraftOperation[]): readonly string[] {
    const names = new Names();
    if (this.#options.as === 'consumer') return operations.map(({ name }) => names.give(plainName(name, 'Operation')));
    return servedIds(
      operations.map((each) => ({ name: each.name, element: hasOwnElement(each) ? each.soap?.request : undefined })),
    );
  }

  #operation(operation: DraftOperation, id: string, service: DraftService, isAlone: boolean): DeclaredMap {
    const { soap, rest, description, uncallable } = operation;
    const isCall = this.#options.as === 'consumer';
    markOptional(operation, isCall);
    const sent = rest && this.#sent(rest, operation);
    if (uncallable !== undefined) {
      const what = `the operation "${operation.name}" can't be ${isCall ? 'called' : 'served'}: ${uncallable}`;
      this.#losses.operation(what, 'declared with `active: false`', operation.place);
    }
    return given({
      description,
      ...(sent === undefined ? {} : restKeys(sent, this.#encodingOf(operation), isCall)),
      ...(soap === undefined ? {} : soapKeys(operation, soap, id, service, { isCall, isAlone })),
      variables: rest?.template && this.#documents.message({ kind: 'document', document: rest.template }, service),
      request: this.#request(operation, sent, service),
      response: this.#response(operation, service),
      ...this.#faults(operation),
      // A call has the status that its target gives.
      status: isCall || isUsual(operation) ? undefined : operation.status,
      tags: isCall ? undefined : operation.tags && [...new Set(operation.tags)],
      requires: isCall ? this.#tellOther(operation, service) : this.#requires(operation.security, operation.place),
      active: uncallable === undefined ? undefined : false,
    });
  }

  /** Calls of a node have one way to authenticate: others of single operations are reported. */
  #tellOther({ security, name, place }: DraftOperation, service: DraftService): undefined {
    if (security === undefined || security.length === 0) return;
    if (JSON.stringify(security) === JSON.stringify(securityOfCalls(service))) return;
    const what = `the operation "${name}" asks for ${security.map(securityWords).join(' and ')}`;
    this.#losses.add(what, 'it is called with the credential of the node', place);
  }

  /** Over SOAP faults have names; over REST there is one document for all of them. */
  #faults(operation: DraftOperation): DeclaredMap {
    const { faults, soap, name, place } = operation;
    if (soap === undefined) return this.#restFault(operation);
    if (faults.length === 0) return {};
    if (soap.oneWay) {
      this.#losses.add(`faults of "${name}", whose reply is empty`, 'not read', place);
      return {};
    }
    const names = new Names();
    const named = new Map<string, string>();
    for (const fault of faults) {
      const id = this.#documents.idOf(fault.document);
      const known = named.get(id);
      if (known === undefined) named.set(id, names.give(plainName(fault.name, 'Fault')));
      else
        this.#losses.add(`the fault "${fault.name}" has the element of ${known}`, `it is called ${known}, too`, place);
    }
    return { faults: Object.fromEntries([...named].map(([id, given]) => [given, id])) };
  }

  #restFault(operation: DraftOperation): DeclaredMap {
    const { faults, name, place } = operation;
    const chosen = faults.find((fault) => fault.name === 'default') ?? faults[0];
    const isCall = this.#options.as === 'consumer';
    const others = faults.filter(({ document }) => document !== chosen?.document || !isCall);
    if (others.length > 0) {
      const words = others.map((fault) => fault.name).join(', ');
      const instead = isCall ? 'read as they are' : 'errors are problem details (RFC 9457)';
      this.#losses.add(`documents of error replies of "${name}": ${words}`, instead, place);
    }
    // What fills the document of an error is known to people alone.
    if (!isCall) return {};
    return given({ fault: faultValue(operation, chosen && this.#documents.idOf(chosen.document)) });
  }

  /** The request; that of a service that is served has its media type, which a call has in its headers. */
  #request(
    { request, soap }: DraftOperation,
    sent: DraftRest | undefined,
    service: DraftService,
  ): DeclaredValue | undefined {
    const value = this.#documents.message(request, service, soap?.style === 'wrapped' ? soap.request : undefined);
    const mediaTypes = this.#options.as === 'provider' ? servedTypes(sent, request) : [];
    if (value === undefined || mediaTypes.length === 0) return value;
    return Object.fromEntries(mediaTypes.map((each) => [each, value]));
  }

  #response({ responses, soap, name, place }: DraftOperation, service: DraftService): DeclaredValue | undefined {
    const around = soap?.style === 'wrapped' ? `${soap.request}Response` : undefined;
    const declared = responses.flatMap(({ mediaType, message }) => {
      if (mediaType !== undefined && parseMediaType(mediaType) === undefined) {
        this.#losses.add(
          `the reply of "${name}" as ${JSON.stringify(mediaType)}, which is not a media type`,
          'left out',
          place,
        );
        return [];
      }
      const value = this.#documents.message(message, service, around);
      return value === undefined ? [] : [{ mediaType, value, isRaw: message.kind === 'raw' }];
    });
    const [first] = declared;
    // An element that is around nothing is a reply all the same, and so is an empty Body.
    if (first === undefined) return soap === undefined || soap.oneWay ? undefined : { fields: {} };
    // A document without a media type is JSON, or XML for those who ask for it; a call asks for what its contract has alone.
    const { mediaType, isRaw, value } = first;
    const isServed = this.#options.as === 'provider';
    const isJson = mediaType?.toLowerCase() === 'application/json';
    if (declared.length === 1 && (mediaType === undefined || (isJson && isServed && !isRaw))) return value;
    const isSame = declared.every((each) => each.value === value && !each.isRaw);
    const types = declared.map((each) => each.mediaType).sort();
    if (isSame && isServed && types.join() === 'application/json,application/xml') return value;
    return Object.fromEntries(declared.map(({ mediaType = 'application/json', value }) => [mediaType, value]));
  }

  /** The request as a call writes it, whose texts are UTF-8. */
  #sent(whole: DraftRest, { name, place, request }: DraftOperation): DraftRest {
    const { form, ...others } = whole;
    // A form without fields is no body.
    const rest = form === undefined || request.kind !== 'document' ? others : whole;
    const { mediaType } = rest;
    const type = mediaType === undefined ? undefined : parseMediaType(mediaType);
    const charset = type?.parameters.get('charset');
    if (type === undefined || charset === undefined || charset.toLowerCase() === 'utf-8') return rest;
    this.#losses.add(`the charset ${charset} of the request of "${name}"`, 'it is sent in UTF-8', place);
    return { ...rest, mediaType: type.essence };
  }

  /** The styles of the fields of a form, by the names that they have here. */
  #encodingOf({ rest, request }: DraftOperation): DeclaredValue | undefined {
    const styles = rest?.formStyles;
    if (styles === undefined || request.kind !== 'document') return undefined;
    const { fields } = request.document;
    const names = fieldNames(fields);
    return Object.fromEntries(
      fields.flatMap(({ name }, index) => {
        const style = Object.hasOwn(styles, name) ? styles[name] : undefined;
        return style === undefined ? [] : [[names[index] as string, style]];
      }),
    );
  }

  /**
   * The nodes of the operations that have addresses of their own, which are called with the credential of their service.
   * @param node that of the service; `undefined` for one that is served here
   */
  #targets(
    service: DraftService,
    operations: readonly DraftOperation[],
    node: string | undefined,
    taken: Names,
  ): ReadonlyMap<DraftOperation, string> {
    const targets = new Map<DraftOperation, string>();
    const elsewhere = operations.filter(({ addresses }) => addresses !== undefined);
    for (const [, same] of Map.groupBy(elsewhere, ({ addresses }) => JSON.stringify(addresses))) {
      const [{ addresses = [], place, name }] = same as [DraftOperation];
      const which = same.length === 1 ? `the operation "${name}"` : `${same.length} operations ("${name}" …)`;
      const what = `the servers of ${which}: ${addresses[0]}`;
      if (node === undefined) {
        this.#losses.note(what, 'served at the address of the others', place);
        continue;
      }
      const id = this.#node({ ...service, addresses, place }, taken, node);
      for (const each of same) targets.set(each, id);
      const instead = `called as the node ${id}, with the credential of ${node}`;
      const sentTo = this.#otherOrigin(id, node);
      if (sentTo === undefined) this.#losses.note(what, instead, place);
      else
        this.#losses.add(
          what,
          `${instead}, which is sent to ${sentTo}`,
          place,
          undefined,
          `If that is not a host of the same partner, give the node ${id} a credential of its own, or none.`,
        );
    }
    return targets;
  }

  /**
   * The node for the addresses of a service. Services with the same addresses share it.
   * @param main the node of the service, for addresses that only some of its operations have: it gives the settings of credentials
   */
  #node(service: DraftService, taken: Names, main?: string): string {
    const { addresses, place } = service;
    const security = securityOfCalls(service);
    const key = JSON.stringify([addresses, security]);
    const known = this.#nodes.get(key);
    if (known !== undefined) return known.id;
    const { name } = this.#options;
    const wanted = main === undefined ? name : `${name}_${distinctWords(addresses[0] ?? '', this.#addressOf(main))}`;
    let id = this.#nodeNames.give(capitalName(wanted));
    if (taken.has(id)) id = this.#nodeNames.give(`${id}_NODE`);
    const setting = `${id}_URL`;
    const usable = addresses
      .map((each) => each.replace(/[?#].*$/s, ''))
      .find((each) => /^https?:\/\/[^\s{}$]+$/i.test(each) && URL.canParse(each));
    for (const each of addresses.filter((address) => /[?#]/.test(address)))
      this.#losses.add(`the query of the address "${each}"`, 'left out', place);
    const [first, ...others] = addresses;
    for (const each of others) this.#losses.add(`the further address "${each}"`, 'left out', place);
    if (usable === undefined && first !== undefined)
      this.#losses.add(`the address "${first}" can't be called`, `the setting ${setting} is the address`, place);
    const base = usable === undefined ? `\${env:${setting}}` : `\${env:${setting}:-${usable.replace(/\/$/, '')}}`;
    const { met, credential } = credentialOfCalls(security, service, main ?? id);
    const certificate = certificateOfCalls(security, main ?? id);
    for (const each of main === undefined ? security : [])
      if (!met.includes(each) && each.kind !== 'client-certificate') this.#tellUnmet(each, place);
    this.#nodes.set(key, { id, addresses, keys: given({ base, credential, certificate }) });
    return id;
  }

  /** Where a node sends the credential of the node of its service, if that is another origin than the latter's. */
  #otherOrigin(id: string, main: string): string | undefined {
    const { keys } = this.#nodeOf(id) ?? {};
    const origin = URL.parse(this.#addressOf(id))?.origin;
    if (keys?.credential === undefined && keys?.certificate === undefined) return undefined;
    return origin === URL.parse(this.#addressOf(main))?.origin ? undefined : origin;
  }

  #nodeOf(node: string) {
    return [...this.#nodes.values()].find(({ id }) => id === node);
  }

  #addressOf(node: string): string {
    return this.#nodeOf(node)?.addresses[0] ?? '';
  }

  /** The schemes of callers, by their ids; `undefined` for the gateway's own. */
  #requires(security: readonly DraftSecurity[] | undefined, place: Place): DeclaredValue | undefined {
    const ids = (security ?? []).flatMap((each) => {
      const id = this.#scheme(each);
      if (id === undefined) this.#tellUnmet(each, place);
      return id ?? [];
    });
    if (ids.length === 0) return undefined;
    if (ids.length === 1) return ids[0] as string;
    const words = (security ?? []).map(securityWords).join(' and ');
    this.#losses.add(`the contract asks for ${words}`, 'any one of them is enough', place);
    return ids;
  }

  #tellUnmet(security: DraftSecurity, place: Place): void {
    const words = securityWords(security);
    const instead = this.#options.as === 'consumer' ? 'calls are sent without it' : 'the schemes of the gateway apply';
    this.#losses.add(`the contract asks for ${words}`, instead, place);
  }

  #scheme(security: DraftSecurity): string | undefined {
    if (security.kind === 'basic') return 'basic';
    const keys = schemeKeys(security, capitalName(this.#options.name));
    if (keys === undefined) return undefined;
    const key = JSON.stringify(keys);
    const known = this.#schemes.get(key);
    if (known !== undefined) return known.id;
    const id = this.#schemeNames.give(`${capitalName(this.#options.name)}_${SCHEME_WORDS[security.kind]}`);
    this.#schemes.set(key, { id, keys });
    return id;
  }
}

/**
 * What an address has and another one has not: `upload` for upload.example.org beside api.example.org, the end of its path if their
 * hosts are the same.
 */
function distinctWords(address: string, other: string): string {
  const [own, usual] = [URL.parse(address), URL.parse(other)];
  if (own === null) return address;
  const [labels, others] = [own.hostname.split('.'), usual?.hostname.split('.') ?? []];
  while (labels.length > 0 && labels.at(-1) === others.at(-1)) {
    labels.pop();
    others.pop();
  }
  // Of another domain, all but its ending tells which one it is.
  if (labels.length > 1 && labels.length === own.hostname.split('.').length && !/^[\d.:[\]]+$/.test(own.hostname))
    labels.pop();
  const path = own.pathname.split('/').filter((each) => each !== '' && !usual?.pathname.split('/').includes(each));
  const words = labels.length > 0 ? labels : path;
  return words.length > 0 ? words.join('_') : own.port || 'OTHER';
}

/** The version of a service: the first number of a version in the source, 1 without one. */
function majorOf(version: string | undefined): number {
  const major = Number(/^\D{0,3}(\d{1,4})/.exec(version?.trim() ?? '')?.[1] ?? 1);
  return major < 1 ? 1 : major;
}

/** Marks the optional fields of calls that headers name, which are needed otherwise. */
function markOptional({ rest, request }: DraftOperation, isCall: boolean): void {
  if (rest === undefined) return;
  const inHeaders = new Set(Object.values(rest.headers));
  const documents = [rest.template, request.kind === 'document' ? request.document : undefined];
  for (const document of documents)
    for (const { name, options } of document?.fields ?? []) {
      if (!inHeaders.has(name) || options.required) continue;
      if (isCall) options.required = false;
      else delete options.required;
    }
}

/** Whether a reply has the status that operations have which declare none. */
function isUsual({ status, responses }: DraftOperation): boolean {
  return status === undefined || status === (responses.every(({ message }) => message.kind === 'none') ? 204 : 200);
}
