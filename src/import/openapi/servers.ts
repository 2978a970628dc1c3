import type { DraftOperation, DraftService } from '../draft.ts';
import type { Losses } from '../place.ts';
import type { Node } from './tree.ts';
import type { OpenApiVersion } from './validate.ts';

/** The addresses of a contract. One that is relative stays so, unless the contract has an address itself. */
export function serviceAddresses(root: Node, version: OpenApiVersion, losses: Losses): readonly string[] {
  if (version !== '2.0') return addressesIn(root.get('servers'), root.tree.location, losses);
  return distinct(absolute(addressesOfTwo(root), root.tree.location));
}

/**
 * The addresses of a path or an operation (OpenAPI 3, section "Path Item Object": `servers` replaces that of the contract). One that is
 * relative is so to where the contract is, or to the first address of the contract.
 */
export function ownAddresses(servers: Node | undefined, service: readonly string[], losses: Losses): readonly string[] {
  if (servers === undefined) return [];
  const found = addressesIn(servers, servers.tree.location, losses);
  return distinct(absolute(found, service[0] ?? ''));
}

/**
 * The addresses of a contract and its operations. A contract that gives an address with each operation and has none itself has the
 * one that most of them have.
 */
export function withServers(
  service: readonly string[],
  operations: readonly DraftOperation[],
): Pick<DraftService, 'addresses' | 'operations'> {
  const addresses = service.length > 0 ? service : mostUsed(operations);
  return { addresses, operations: operations.map((each) => withoutSame(each, addresses)) };
}

function mostUsed(operations: readonly DraftOperation[]): readonly string[] {
  const groups = Map.groupBy(operations, (each) => JSON.stringify(each.addresses ?? []));
  if (groups.has('[]')) return [];
  const [most] = [...groups.values()].toSorted((a, b) => b.length - a.length);
  return most?.[0]?.addresses ?? [];
}

function withoutSame(operation: DraftOperation, service: readonly string[]): DraftOperation {
  const { addresses, ...others } = operation;
  return JSON.stringify(addresses) === JSON.stringify(service) ? others : operation;
}

function addressesIn(servers: Node | undefined, location: string, losses: Losses): string[] {
  const found = (servers?.items() ?? []).map((each) => serverAddress(each, losses));
  return distinct(absolute(found, location));
}

function absolute(addresses: readonly string[], base: string): string[] {
  return addresses.map((each) =>
    /^https?:/i.test(base) && URL.canParse(each, base) ? new URL(each, base).href : each,
  );
}

const distinct = (addresses: readonly string[]): string[] =>
  [...new Set(addresses.map((each) => each.replace(/(?<=[^:/])\/+$/, '')))].filter((each) => each !== '');

/** `schemes`, `host` and `basePath`. TLS first, whatever the order is. */
function addressesOfTwo(root: Node): string[] {
  const host = root.get('host')?.text;
  const path = root.get('basePath')?.text ?? '';
  const base = path === '' || path.startsWith('/') ? path : `/${path}`;
  if (host === undefined) return base === '' ? [] : [base];
  const schemes = (root.get('schemes')?.items() ?? [])
    .flatMap(({ text }) => text ?? [])
    .filter((each) => /^https?$/.test(each));
  const given = schemes.length === 0 ? ['https'] : schemes.toSorted((a, b) => b.length - a.length);
  return given.map((scheme) => `${scheme}://${host}${base}`);
}

function serverAddress(server: Node, losses: Losses): string {
  const variables = server.get('variables');
  const url = server.get('url')?.text ?? '';
  return url.trim().replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = variables?.get(name);
    const value = variable?.get('default')?.text ?? variable?.get('enum')?.items()[0]?.text;
    losses.add(
      `the variable "${name}" of the address ${url}`,
      value === undefined ? 'left out' : `"${value}"`,
      (variable ?? server).place,
    );
    return value ?? '';
  });
}
