import type { DraftContract, DraftOperation, DraftRest, DraftService, Purpose } from '../draft.ts';
import { ImportError, type Losses, type Place } from '../place.ts';
import type { Sources } from '../source.ts';
import { prose, withDeprecation } from './prose.ts';
import { References } from './references.ts';
import { takeValid } from './repair.ts';
import { type Found, readRequest } from './request.ts';
import { readResponses } from './responses.ts';
import { SchemaReader } from './schema.ts';
import { SecurityReader } from './security.ts';
import { ownAddresses, serviceAddresses, withServers } from './servers.ts';
import { settle } from './settle.ts';
import type { Node, Tree } from './tree.ts';
import { versionOf } from './validate.ts';

/**
 * Reads an OpenAPI contract (2.0, 3.0, 3.1, 3.2).
 *
 * What is not valid in it is recorded, and the rest read.
 *
 * @param location of the contract in the sources
 * @throws ImportError if it is not a contract at all
 */
export function readOpenApi(
  location: string,
  sources: Sources<Tree>,
  losses: Losses,
  purpose: Purpose = 'definitions',
): DraftContract {
  const tree = sources.at(location);
  if (tree === undefined) throw new ImportError('was not read', { source: location, line: 0, column: 0 });
  const { root, repeated } = tree;
  for (const { key, place } of repeated) losses.add(`the key "${key}" is repeated`, 'the last value is used', place);
  const version = versionOf(root);
  const leftOut = takeValid(root, version, losses);
  const references = new References(sources, version, losses, { location, pointers: leftOut });
  references.check(root);
  const context = { version, references, losses, hasXml: hasXml(sources), told: new Set<string>(), purpose };
  try {
    return new ContractReader(root, new SchemaReader(context)).read();
  } catch (error) {
    // Schemas that combine each other in a chain of thousands.
    if (error instanceof RangeError) throw new ImportError('its schemas combine each other too deeply', root.place);
    throw error;
  }
}

/** Whether a message of the contract is XML. */
function hasXml(sources: Sources<Tree>): boolean {
  for (const [, { root }] of sources.entries()) if (/\/(?:[\w.-]*\+)?xml\b/.test(root.tree.text)) return true;
  return false;
}

const METHODS: Readonly<Record<string, DraftRest['method']>> = {
  get: 'GET',
  head: 'HEAD',
  post: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

/** Methods of OpenAPI that operations of ours don't have. */
const OTHER_METHODS = ['trace', 'query'];

/** What to do about requests that go the other way. */
const CALLED_BACK = 'left out: a service of your own receives it, or a node is where it is sent';

class ContractReader {
  readonly #root: Node;
  readonly #reader: SchemaReader;
  readonly #losses: Losses;
  readonly #security: SecurityReader;
  readonly #names = new Set<string>();
  readonly #options: { readonly path: string; readonly place: Place }[] = [];
  readonly #addresses: readonly string[];

  constructor(root: Node, reader: SchemaReader) {
    this.#root = root;
    this.#reader = reader;
    this.#losses = reader.context.losses;
    this.#security = new SecurityReader(root, reader.context);
    this.#addresses = serviceAddresses(root, reader.context.version, this.#losses);
  }

  read(): DraftContract {
    const info = this.#root.get('info');
    const { version } = this.#reader.context;
    const schemas = version === '2.0' ? this.#root.get('definitions') : this.#root.get('components')?.get('schemas');
    for (const [name, node] of schemas?.entries() ?? []) this.#reader.named(name, node);
    const { addresses, operations } = withServers(this.#addresses, this.#operations());
    this.#tellWebhooks();
    const security = this.#security.read(this.#root.get('security'));
    const description = prose(undefined, info?.get('description'));
    const service: DraftService = {
      name: info?.get('title')?.text ?? 'Service',
      version: info?.get('version')?.text ?? '1',
      ...(description === undefined ? {} : { description }),
      place: (info ?? this.#root).place,
      addresses,
      ...(security === undefined ? {} : { security }),
      operations,
      options: this.#options,
    };
    const documents = settle(this.#reader, operations, this.#losses);
    return { language: 'openapi', services: [service], documents };
  }

  #operations(): DraftOperation[] {
    const paths = this.#root.get('paths')?.entries() ?? [];
    return paths.flatMap(([path, item]) => (path.startsWith('x-') ? [] : this.#item(path, item)));
  }

  #item(path: string, declared: Node): DraftOperation[] {
    const item = this.#reader.context.references.follow(declared, 'pathItems');
    // Keywords next to the reference of a path count too.
    const parts = item === declared ? [item] : [declared, item];
    for (const part of parts) this.#tellItem(path, part);
    const keys = new Set(parts.flatMap((part) => part.entries().map(([key]) => key)));
    return [...keys].flatMap((key) => {
      const method = Object.hasOwn(METHODS, key) ? METHODS[key] : undefined;
      const part = parts.find((each) => each.has(key));
      const node = part?.get(key);
      if (method === undefined || node === undefined || part === undefined) return [];
      const servers = [node, part, ...parts].find((each) => each.has('servers'))?.get('servers');
      return [this.#operation(path, method, node, part, servers)];
    });
  }

  #tellItem(path: string, item: Node): void {
    const options = item.get('options');
    const hasOthers = item.entries().some(([key]) => Object.hasOwn(METHODS, key));
    if (options !== undefined && hasOthers) this.#options.push({ path, place: options.place });
    else if (options !== undefined)
      this.#losses.operation(`the operation OPTIONS "${path}"`, 'left out', options.place);
    for (const method of OTHER_METHODS) {
      const node = item.get(method);
      if (node !== undefined)
        this.#losses.operation(`the operation ${method.toUpperCase()} "${path}"`, 'left out', node.place);
    }
    for (const [method, node] of item.get('additionalOperations')?.entries() ?? [])
      this.#losses.operation(`the operation ${method} "${path}"`, 'left out', node.place);
  }

  /** @param servers its own, or those of its path */
  #operation(
    path: string,
    method: DraftRest['method'],
    node: Node,
    item: Node,
    servers: Node | undefined,
  ): DraftOperation {
    const name = this.#nameOf(node, method, path);
    const found: Found = {
      path,
      method,
      node,
      item,
      name,
      consumes: this.#mediaTypes(node, 'consumes'),
      produces: this.#mediaTypes(node, 'produces'),
    };
    this.#tellOperation(node);
    const { request, rest } = readRequest(found, this.#reader);
    const description = descriptionOf(node);
    const security = this.#security.read(node.get('security'));
    const addresses = ownAddresses(servers, this.#addresses, this.#losses);
    return {
      name,
      ...(description === undefined ? {} : { description }),
      place: node.place,
      rest,
      request,
      ...readResponses(found, this.#reader),
      tags:
        node
          .get('tags')
          ?.items()
          .flatMap(({ text }) => text || []) ?? [],
      ...(security === undefined ? {} : { security }),
      ...(addresses.length === 0 ? {} : { addresses }),
    };
  }

  #mediaTypes(node: Node, key: string): string[] {
    return (node.get(key) ?? this.#root.get(key))?.items().flatMap(({ text }) => text ?? []) ?? [];
  }

  #tellOperation(node: Node): void {
    for (const [name, callback] of node.get('callbacks')?.entries() ?? [])
      this.#losses.operation(`the callback "${name}"`, CALLED_BACK, callback.place);
  }

  #tellWebhooks(): void {
    for (const [name, webhook] of this.#root.get('webhooks')?.entries() ?? [])
      this.#losses.operation(`the webhook "${name}"`, CALLED_BACK, webhook.place);
  }

  /** The operationId, or the method and the path. */
  #nameOf(node: Node, method: string, path: string): string {
    const id = node.get('operationId');
    const words = path.match(/[A-Za-z0-9]+/g) ?? ['root'];
    const wanted = id?.text?.trim() || [method.toLowerCase(), ...words].join('_');
    let name = wanted;
    for (let n = 2; this.#names.has(name); n++) name = `${wanted}_${n}`;
    this.#names.add(name);
    if (name !== wanted && id !== undefined)
      this.#losses.add(`a second operation "${wanted}"`, `called ${name}`, id.place);
    return name;
  }
}

function descriptionOf(node: Node): string | undefined {
  const summary = prose(undefined, node.get('summary'));
  const description = prose(undefined, node.get('description'));
  const isSame = summary === undefined || description?.startsWith(summary) === true;
  return withDeprecation([isSame ? undefined : summary, description], node.get('deprecated'));
}
