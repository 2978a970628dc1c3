import type { Losses } from '../place.ts';
import type { Node } from './tree.ts';
import type { OpenApiVersion } from './validate.ts';

/** The addresses of a contract. One that is relative stays so, unless the contract has an address itself. */
export function addressesOf(root: Node, version: OpenApiVersion, losses: Losses): string[] {
  const found =
    version === '2.0'
      ? addressesOfTwo(root)
      : (root.get('servers')?.items() ?? []).map((each) => serverAddress(each, losses));
  const { location } = root.tree;
  const absolute = found.map((each) =>
    /^https?:/i.test(location) && URL.canParse(each, location) ? new URL(each, location).href : each,
  );
  return [...new Set(absolute.map((each) => each.replace(/(?<=[^:/])\/+$/, '')))].filter((each) => each !== '');
}

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
