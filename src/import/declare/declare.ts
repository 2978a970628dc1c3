import { isJsonType, parseMediaType } from '../../wire/media-type.ts';
import { isTaken } from '../../wire/request-headers.ts';
import type { DraftContract, DraftOperation, DraftRest, DraftSecurity, DraftService, DraftSoap } from '../draft.ts';
import { ImportError, type Losses, type Place } from '../place.ts';
import { type Declared, type DeclaredMap, type DeclaredValue, given } from './declared.ts';
import { DeclaredDocuments } from './documents.ts';
import { capitalName, Names, plainName, servedIds, xmlNameOf } from './names.ts';
import { asServed } from './served.ts';

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
}

/**
 * Writes a contract as definitions: with ids that are distinct in the project, and documents in place where they are used once.
 * @throws ImportError for a definition that is too large for a file
 */
export function declare(read: DraftContract, options: DeclareOptions, losses: Losses): readonly Declared[] {
  const contract = options.as === 'provider' ? asServed(read, losses) : read;
  const namespaces = new Set(contract.services.map(({ namespace }) => namespace));
  const namespace = namespaces.size === 1 ? [...namespaces][0] : undefined;
  const documents = new DeclaredDocuments(contract, namespace, options.taken.document, losses);
  const services = new DeclaredServices(documents, options, losses).all(contract.services);
  return inFiles([...services, ...documents.all()], options.name);
}

/** Bytes of one definition and of the definitions of one file, as JSON. `check` reads files of 4 MiB; YAML is longer. */
const MOST_BYTES = 2 * 1024 ** 2;

/** Puts definitions that are too large for one file into several: `documents`, `documents-2`. @throws ImportError */
function inFiles(declared: readonly Declared[], source: string): readonly Declared[] {
  const open = new Map<string, { bytes: number; number: number }>();
  return declared.map((each) => {
    const bytes = Buffer.byteLength(JSON.stringify(each));
    if (bytes > MOST_BYTES) {
      const what = `the ${each.kind} ${each.id.slice(0, 100)} is larger than ${MOST_BYTES / 1024 ** 2} MiB`;
      throw new ImportError(what, { source, line: 0, column: 0 }, 'Import a contract without it.');
    }
    const file = open.get(each.file) ?? { bytes: 0, number: 1 };
    open.set(each.file, file);
    file.bytes += bytes;
    if (file.bytes > MOST_BYTES) Object.assign(file, { bytes, number: file.number + 1 });
    return file.number === 1 ? each : { ...each, file: `${each.file}-${file.number}` };
  });
}

/** The services of a contract, with the node, permission list and schemes that they refer to. */
class DeclaredServices {
  readonly #documents: DeclaredDocuments;
  readonly #options: ServiceOptions;
  readonly #losses: Losses;
  readonly #names: Names;
  readonly #permission: string;
  readonly #nodes = new Map<string, { readonly id: string; readonly keys: DeclaredMap }>();
  readonly #nodeNames: Names;
  readonly #schemes = new Map<string, { readonly id: string; readonly keys: DeclaredMap }>();
  readonly #schemeNames: Names;

  constructor(documents: DeclaredDocuments, options: ServiceOptions, losses: Losses) {
    this.#documents = documents;
    this.#options = options;
    this.#losses = losses;
    const { taken } = options;
    this.#names = new Names(taken.service);
    this.#permission = new Names(taken['permission-list']).give(capitalName(options.name));
    // Nodes and services have the same place in a path.
    this.#nodeNames = new Names([...taken.node, ...taken.service]);
    this.#schemeNames = new Names([...taken.scheme, 'basic']);
  }

  all(services: readonly DraftService[]): readonly Declared[] {
    if (services.length === 0) return [];
    const named = services.map((service) => ({ service, name: this.#names.give(plainName(service.name, 'Service')) }));
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
    const ids = this.#operationIds(service.operations);
    const operations = service.operations.map((operation, index) => {
      const id = ids[index] as string;
      return [id, this.#operation(operation, id, service)] as const;
    });
    return {
      kind: 'service',
      id: `${name}.v${majorOf(service.version)}`,
      file: 'service',
      keys: given({
        description: service.description,
        namespace: service.namespace,
        target: isCall ? this.#node(service, taken) : undefined,
        permission: this.#permission,
        requires: isCall ? undefined : this.#requires(service.security, service.place),
        operations: Object.fromEntries(operations),
      }),
    };
  }

  #operationIds(operations: readonly DraftOperation[]): readonly string[] {
    const names = new Names();
    if (this.#options.as === 'consumer') return operations.map(({ name }) => names.give(plainName(name, 'Operation')));
    return servedIds(
      operations.map((each) => ({ name: each.name, element: hasOwnElement(each) ? each.soap?.request : undefined })),
    );
  }

  #operation(operation: DraftOperation, id: string, service: DraftService): DeclaredMap {
    const { soap, rest, description, uncallable } = operation;
    const isCall = this.#options.as === 'consumer';
    if (uncallable !== undefined) {
      const what = `the operation "${operation.name}" can't be ${isCall ? 'called' : 'served'}: ${uncallable}`;
      this.#losses.add(what, 'declared with `active: false`', operation.place);
    }
    return given({
      description,
      ...(rest === undefined ? {} : restKeys(rest, this.#formOf(operation), isCall)),
      ...(soap === undefined ? {} : soapKeys(operation, soap, id, service, isCall)),
      template: rest?.template && this.#documents.message({ kind: 'document', document: rest.template }),
      request: this.#documents.message(operation.request, soap?.style === 'wrapped' ? soap.request : undefined),
      response: this.#response(operation),
      ...this.#faults(operation),
      // A call has the status that its target gives.
      status: isCall || operation.status === 200 ? undefined : operation.status,
      requires: isCall ? undefined : this.#requires(operation.security, operation.place),
      active: uncallable === undefined ? undefined : false,
    });
  }

  /** Over SOAP faults have names; over REST there is one document for all of them. */
  #faults({ faults, soap, name, place, responses }: DraftOperation): DeclaredMap {
    if (faults.length === 0) return {};
    if (soap === undefined) return this.#restFault(faults, name, place);
    if (soap.oneWay || (soap.style === 'bare' && responses[0]?.message.kind === 'none')) {
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

  #restFault(faults: DraftOperation['faults'], name: string, place: Place): DeclaredMap {
    const chosen = faults.find((fault) => fault.name === 'default') ?? faults[0];
    if (chosen === undefined) return {};
    const isCall = this.#options.as === 'consumer';
    const others = faults.filter(({ document }) => document !== chosen.document || !isCall);
    if (others.length > 0) {
      const words = others.map((fault) => fault.name).join(', ');
      const instead = isCall ? 'read as they are' : 'errors are problem details (RFC 9457)';
      this.#losses.add(`documents of error replies of "${name}": ${words}`, instead, place);
    }
    // What fills the document of an error is known to people alone.
    return isCall ? { fault: this.#documents.idOf(chosen.document) } : {};
  }

  #response({ responses, soap, name, place }: DraftOperation): DeclaredValue | undefined {
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
      const value = this.#documents.message(message, around);
      return value === undefined ? [] : [{ mediaType, value, isRaw: message.kind === 'raw' }];
    });
    const [first] = declared;
    // An element that is around nothing is a reply all the same.
    if (first === undefined)
      return soap === undefined || soap.oneWay || soap.style === 'bare' ? undefined : { fields: {} };
    // JSON and XML of a document need no media type.
    if (declared.length === 1 && (first.mediaType === undefined || !first.isRaw)) return first.value;
    return Object.fromEntries(declared.map(({ mediaType = 'application/json', value }) => [mediaType, value]));
  }

  /** The form of a body: each field that is in neither a URI nor a header. */
  #formOf({ rest, request, name, place }: DraftOperation): DeclaredValue | undefined {
    if (rest?.form !== 'urlencoded') return rest?.form;
    const fields = request.kind === 'document' ? request.document.fields.map((field) => xmlNameOf(field.name)) : [];
    const elsewhere = `${rest.uris.join(' ')} ${Object.values(rest.headers).join(' ')}`;
    const sent = fields.filter(
      (field) => !new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(field)}(?![\\p{L}\\p{N}_])`, 'u').test(elsewhere),
    );
    if (this.#options.as === 'consumer' && sent.length > 0)
      return Object.fromEntries(sent.map((field) => [field, `{${field}}`]));
    if (sent.length > 0)
      this.#losses.add(`the form of "${name}" (urlencoded)`, 'its fields are taken as JSON or XML', place);
    return undefined;
  }

  /** The node for the addresses of a service. Services with the same addresses share it. */
  #node({ addresses, security, place }: DraftService, taken: Names): string {
    const key = JSON.stringify([addresses, security]);
    const known = this.#nodes.get(key);
    if (known !== undefined) return known.id;
    let id = this.#nodeNames.give(capitalName(this.#options.name));
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
    const credential = credentialOf(security ?? [], id);
    if (credential === undefined) for (const each of security ?? []) this.#tellUnmet(each, place);
    this.#nodes.set(key, { id, keys: given({ base, credential }) });
    return id;
  }

  /** The schemes of callers, by their ids; `undefined` for the gateway's own. */
  #requires(security: readonly DraftSecurity[] | undefined, place: Place): DeclaredValue | undefined {
    const ids = (security ?? []).flatMap((each) => {
      const id = this.#scheme(each);
      if (id === undefined) this.#tellUnmet(each, place);
      return id ?? [];
    });
    if (ids.length === 0) return undefined;
    return ids.length === 1 ? (ids[0] as string) : ids;
  }

  #tellUnmet(security: DraftSecurity, place: Place): void {
    const words = security.kind === 'api-key' ? `an API key in the ${security.in}, ${security.name}` : security.kind;
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

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The version of a service: the first number of a version in the source, 1 without one. */
function majorOf(version: string | undefined): number {
  const major = Number(/^\D{0,3}(\d{1,4})/.exec(version?.trim() ?? '')?.[1] ?? 1);
  return major < 1 ? 1 : major;
}

function restKeys(
  { method, uris, headers, body, mediaType }: DraftRest,
  form: DeclaredValue | undefined,
  isCall: boolean,
): DeclaredMap {
  // A call sends JSON unless it says otherwise; what is served takes JSON and XML.
  const isOther = mediaType !== undefined && !isJsonType(parseMediaType(mediaType)?.essence ?? '');
  const type = isCall && isOther && form === undefined ? { 'Content-Type': mediaType } : {};
  const fields = Object.entries(headers).map(([name, field]) => [name, `{${field}}`] as const);
  const all = { ...type, ...Object.fromEntries(fields) };
  const templates = uris.map((each) => (each === '' ? '/' : each));
  return given({
    [method.toLowerCase()]: templates.length === 1 ? (templates[0] as string) : templates,
    headers: Object.keys(all).length === 0 ? undefined : all,
    body,
    form,
  });
}

/** Whether an operation is called by an element that has its name over SOAP. */
function hasOwnElement({ soap, uncallable }: DraftOperation): boolean {
  return soap !== undefined && soap.style !== 'bare' && uncallable === undefined;
}

function soapKeys(
  operation: DraftOperation,
  soap: DraftSoap,
  id: string,
  { namespace }: DraftService,
  isCall: boolean,
): DeclaredMap {
  const { style, version, action, request, response, mtom } = soap;
  const { uncallable } = operation;
  const isWrapped = style !== 'bare';
  const map = given({
    // What is served has no further names than those by which it is called.
    name: request === id || !(isCall || hasOwnElement(operation)) ? undefined : request,
    action: action ?? '',
    namespace: isWrapped && soap.namespace !== namespace ? soap.namespace || undefined : undefined,
    reply: isWrapped && response !== undefined && response !== `${request}Response` ? response : undefined,
  });
  return given({
    soap: map,
    style: style === 'rpc' ? 'rpc' : undefined,
    // What can't be sent need not say how.
    wrapped: isWrapped || uncallable !== undefined ? undefined : false,
    headers: isCall && version === '1.2' ? { 'Content-Type': 'application/soap+xml' } : undefined,
    properties: isCall && mtom ? { MTOM: 'Y' } : undefined,
  });
}

/** The credential of calls. Its values are settings. */
function credentialOf(security: readonly DraftSecurity[], node: string): DeclaredMap | undefined {
  for (const each of security) {
    switch (each.kind) {
      case 'basic':
        return { basic: { user: `\${env:${node}_USER}`, password: `\${secret:${node}_PASSWORD}` } };
      case 'bearer':
        return { bearer: `\${secret:${node}_TOKEN}` };
      case 'api-key':
        if (each.in !== 'header') break;
        return { 'api-key': { header: each.name, value: `\${secret:${node}_KEY}` } };
      case 'client-credentials':
        return {
          'client-credentials': given({
            'token-url': each.tokenUrl,
            'client-id': `\${env:${node}_CLIENT_ID}`,
            'client-secret': `\${secret:${node}_CLIENT_SECRET}`,
            scope: each.scopes.length === 0 ? undefined : each.scopes.join(' '),
          }),
        };
    }
  }
  return undefined;
}

const SCHEME_WORDS: Readonly<Record<DraftSecurity['kind'], string>> = {
  basic: 'BASIC',
  bearer: 'LOGIN',
  'api-key': 'KEY',
  'client-credentials': 'LOGIN',
  'username-token': 'TOKEN',
  'client-certificate': 'CERTIFICATE',
};

/** The keys of a scheme. What a contract does not say, as the issuer of tokens, is a setting. */
function schemeKeys(security: DraftSecurity, name: string): DeclaredMap | undefined {
  switch (security.kind) {
    case 'basic':
      return undefined;
    case 'api-key':
      if (security.in !== 'header' || isTaken(security.name.toLowerCase())) return undefined;
      return { 'api-key': { header: security.name } };
    case 'bearer':
    case 'client-credentials':
      return {
        bearer: {
          issuer: `\${env:${name}_ISSUER}`,
          audience: `\${env:${name}_AUDIENCE}`,
          jwks: `\${env:${name}_JWKS}`,
        },
      };
    case 'username-token':
      return { 'username-token': {} };
    case 'client-certificate':
      return { 'client-certificate': {} };
  }
}
