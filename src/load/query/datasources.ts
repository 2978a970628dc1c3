import type { Datasource } from '../../model/datasource.ts';
import { positionOf } from '../diagnostic/place.ts';
import { given } from '../given.ts';
import { byId, declarationsOf, type Linking } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { DatasourceDeclared } from '../schema/datasource.ts';
import { linkUrl, writtenFault } from '../value/address.ts';
import { linkSecret } from '../value/secrets.ts';

/** Links every datasource. */
export function linkDatasources(linking: Linking): Map<string, Datasource> {
  return byId(declarationsOf<DatasourceDeclared>(linking, 'datasource').map((each) => linkDatasource(linking, each)));
}

function linkDatasource(linking: Linking, { id, value, at }: Declaration<DatasourceDeclared>): Datasource {
  const password =
    value.password === undefined ? undefined : linkSecret(linking, value, 'password', `The password of ${id}`);
  const urlAt = linking.places.value(value, 'url');
  const instead = `Leave it out of the address, and write password: "\${secret:NAME}" below it.`;
  return {
    id,
    url: linkUrl(linking, value.url, urlAt, { what: `A password of ${id}`, instead }, (text) => {
      const reason = writtenFault(text, (literal) => urlFault(literal, password !== undefined));
      if (reason !== undefined) linking.report.raise('bad-datasource', { datasource: id, reason }, urlAt);
    }),
    ...given({ description: value.description, password }),
    at: positionOf(at),
  };
}

/** Why an address that is written out can't be opened; undefined where it can. */
function urlFault(url: string, hasPassword: boolean): string | undefined {
  if (/^sqlite:/i.test(url)) {
    const path = url.slice('sqlite:'.length).trim();
    if (path === '' || path === ':memory:') return 'it names no file behind sqlite:';
    if (/^\/\/(?!\/)/.test(path)) return 'a file of SQLite has no host';
    return hasPassword ? 'a file of SQLite has no password' : undefined;
  }
  if (!/^postgres(?:ql)?:\/\//i.test(url)) return 'it begins with neither sqlite: nor postgres://';
  if (!URL.canParse(url)) return 'it is not well-formed; percent-encode what is special in it';
  return new URL(url).pathname.length > 1 ? undefined : 'it names no database behind the host';
}
