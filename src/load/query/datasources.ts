import type { ConfigText } from '../../model/config.ts';
import type { Datasource } from '../../model/datasource.ts';
import type { DatasourceDeclared } from '../declared.ts';
import { given } from '../given.ts';
import { byId, declarationsOf, type Linking, positionOf } from '../linking.ts';
import { literalOf, parseConfigText } from '../read/config-text.ts';
import type { Declaration } from '../read/declaration.ts';
import { credentialsIn, linkSecret } from '../secrets.ts';

/** Links every datasource. */
export function linkDatasources(linking: Linking): Map<string, Datasource> {
  return byId(declarationsOf<DatasourceDeclared>(linking, 'datasource').map((each) => linkDatasource(linking, each)));
}

function linkDatasource(linking: Linking, { id, value, at }: Declaration<DatasourceDeclared>): Datasource {
  const password =
    value.password === undefined ? undefined : linkSecret(linking, value, 'password', `The password of ${id}`);
  return {
    id,
    url: linkUrl(linking, id, value),
    ...given({ description: value.description, password }),
    at: positionOf(at),
  };
}

/** The address, checked as far as it is written out. */
function linkUrl({ report, places }: Linking, id: string, value: DatasourceDeclared): ConfigText {
  const { text, bad } = parseConfigText(value.url);
  // What is no reference has been reported, and nobody knows what it stands for.
  if (bad.length > 0) return text;
  const at = places.value(value, 'url');
  const literal = literalOf(text);
  const reason = literal === undefined ? undefined : urlFault(literal, value.password !== undefined);
  if (credentialsIn(text)) {
    const instead = `Leave it out of the address, and write password: "\${secret:NAME}" below it.`;
    report.raise('secret-in-clear', { what: `A password of ${id}`, instead }, at);
  } else if (reason !== undefined) report.raise('bad-datasource', { datasource: id, reason }, at);
  return text;
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
