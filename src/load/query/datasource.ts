import { type Datasource, engineOf } from '../../model/query.ts';
import { positionOf } from '../diagnostic/diagnostic.ts';
import { byId, declarationsOf, type Linking } from '../linking.ts';
import { given } from '../object.ts';
import type { Declaration } from '../read/declaration.ts';
import { description, infinity, keys, linkInfinity, matching, text } from '../schema/json-schema.ts';
import { linkSecret, linkUrl, writtenFault } from '../value/address.ts';
import { linkReplicas, type ReplicasDeclared, replicas } from '../value/replicas.ts';

/** Links every datasource. */
export function linkDatasources(linking: Linking): Map<string, Datasource> {
  return byId(declarationsOf<DatasourceDeclared>(linking, 'datasource').map((each) => linkDatasource(linking, each)));
}

function linkDatasource(linking: Linking, { id, value, at }: Declaration<DatasourceDeclared>): Datasource {
  const password = linkSecret(linking, value, 'password', `The password of ${id}`);
  const urlAt = linking.places.value(value, 'url');
  const instead = `Remove it from the address and add password: "\${secret:NAME}".`;
  const url = linkUrl(linking, value.url, urlAt, { what: `A password of ${id}`, instead }, (text) => {
    const reason = writtenFault(text, (literal) => urlFault(literal, password !== undefined));
    if (reason !== undefined) linking.report.raise('bad-datasource', { datasource: id, reason }, urlAt);
  });
  const [first] = url.parts;
  return {
    id,
    url,
    ...given({
      description: value.description,
      infinity: linkInfinity(value.infinity),
      engine: first?.kind === 'literal' ? engineOf(first.text) : undefined,
      password,
      replicas: linkReplicas(linking, value, {
        of: `datasource ${id}`,
        within: '',
        instead,
        url: value.url.includes('${') ? undefined : value.url,
      }),
    }),
    at: positionOf(at),
  };
}

/** Why a literal address can't be opened; `undefined` when it can. */
function urlFault(url: string, hasPassword: boolean): string | undefined {
  const engine = engineOf(url);
  if (engine === 'sqlite') {
    const path = url.slice('sqlite:'.length).trim();
    if (path === '' || path === ':memory:') return 'no file follows sqlite:';
    if (/^\/\/(?!\/)/.test(path)) return 'a SQLite file has no host';
    return hasPassword ? 'a SQLite file has no password' : undefined;
  }
  if (engine === undefined || !/^\w+:\/\//.test(url)) return 'it does not begin with sqlite:, postgres:// or mysql://';
  if (engine === 'postgres') return postgresFault(url);
  if (!URL.canParse(url)) return 'it is not well-formed; percent-encode special characters';
  return new URL(url).pathname.length > 1 ? undefined : 'no database follows the host';
}

/** Several hosts, as libpq has them, are not a URL for others. */
function postgresFault(url: string): string | undefined {
  const [, authority = '', path = '', query = ''] = /^\w+:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?/.exec(url) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1).split(',');
  if (hosts.some((host) => host !== '' && !URL.canParse(`postgres://${host}/`)))
    return 'it is not well-formed; percent-encode special characters';
  return path !== '' || /(?:^|&)dbname=./.test(query) ? undefined : 'no database follows the host';
}

interface DatasourceDeclared {
  readonly description?: string;
  readonly url: string;
  readonly password?: string;
  readonly replicas?: ReplicasDeclared;
  readonly infinity?: 'null' | 'text' | null;
}

export const datasource = keys<'datasource' | keyof DatasourceDeclared>(
  {
    title: 'datasource',
    description: 'Another database for stored queries. It is only read.',
    required: ['datasource', 'url'],
    examples: [
      { datasource: 'REPORTING', url: 'postgres://reader@db.example.org/hr', password: '${secret:REPORTING_PASSWORD}' },
    ],
  },
  {
    datasource: matching('a name', '^[A-Za-z][A-Za-z0-9_.-]*$', 'Its id.', 'REPORTING'),
    description,
    url: text(
      '`sqlite:` and a path relative to the project, `postgres://user@host/database`, or `mysql://user@host/database` for MariaDB and MySQL. May refer to configuration.',
      'postgres://reader@db.example.org/hr',
      'sqlite:data/hr.db',
    ),
    password: text('Password of the user, by reference.', '${secret:REPORTING_PASSWORD}'),
    replicas: replicas('its queries'),
    infinity: infinity('its queries'),
  },
);
