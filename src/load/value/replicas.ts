import { engineOf, type Replicas } from '../../model/query.ts';
import type { Place } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';
import { defaultsOf, type JsonSchema, keys, mapOr, time } from '../schema/json-schema.ts';
import { linkUrl, writtenFault } from './address.ts';
import { linkDuration, milliseconds } from './units.ts';

/** A list of addresses, or a map. */
export type ReplicasDeclared = readonly string[] | { readonly urls: readonly string[]; readonly lag?: string };

/** How far behind is measured each second. */
const LAGS = { least: 2000, amount: 86_400_000, words: 'from 2 s to 1 d' };

const urls: JsonSchema = {
  title: 'a list of database URLs',
  type: 'array',
  items: {
    title: 'the URL of a database',
    type: 'string',
    minLength: 1,
    examples: ['postgres://reader@db2.example.org/hr'],
  },
  minItems: 1,
  uniqueItems: true,
  description: 'A URL for each replica, which names one server. May refer to configuration.',
  examples: [['postgres://reader@db2.example.org/hr', 'postgres://reader@db3.example.org/hr']],
};

const replicasMap = keys(
  { required: ['urls'], examples: [{ urls: ['postgres://reader@db2.example.org/hr'], lag: '5 s' }] },
  {
    urls,
    lag: time(
      'How old the data may be that a query reads: a replica that is further behind, or for which that is unknown, is left out. From 2 s on.',
      '10 s',
      '5 s',
    ),
  } satisfies Record<'urls' | 'lag', JsonSchema>,
);

/** In milliseconds. */
const LAG = milliseconds(defaultsOf(replicasMap).lag);

/** @param whose the words for the stored queries that read the replicas */
export function replicas(whose: string): JsonSchema {
  return {
    title: 'a list of database URLs, or a map',
    description: `Servers that replicate the database by streaming, on PostgreSQL: ${whose} read from them in turn, as long as they are not too far behind, and from the database itself otherwise.`,
    examples: [
      ['postgres://reader@db2.example.org/hr'],
      { urls: ['postgres://reader@db2.example.org/hr'], lag: '5 s' },
    ],
    ...mapOr(replicasMap, urls),
  };
}

/** What the replicas belong to. */
interface Replicated {
  /** For messages: `datasource HR`. */
  readonly of: string;
  /** The key before `replicas` in messages: `database.`. */
  readonly within: '' | 'database.';
  /** The remedy for a password that is written out. */
  readonly instead: string;
  /** The address of the database itself, if it is literal. */
  readonly url: string | undefined;
}

/** Links the replicas of a database. Those that can't be used are reported. */
export function linkReplicas(
  linking: Linking,
  holder: { readonly replicas?: ReplicasDeclared },
  { of, within, instead, url }: Replicated,
): Replicas | undefined {
  const declared = holder.replicas;
  if (declared === undefined) return undefined;
  const { report, places } = linking;
  const refuse = (reason: string, at: Place): void => report.raise('bad-replica', { of, reason }, at);
  const engine = url === undefined ? undefined : engineOf(url);
  if (engine !== undefined && engine !== 'postgres')
    refuse(
      'a replica is a server of PostgreSQL, and the database is not on PostgreSQL',
      places.value(holder, 'replicas'),
    );
  const isList = (either: ReplicasDeclared): either is readonly string[] => Array.isArray(either);
  const list = isList(declared) ? declared : declared.urls;
  return {
    urls: list.map((source, index) => {
      const at = places.value(list, index);
      return linkUrl(linking, source, at, { what: `A password of a replica of ${of}`, instead }, (text) => {
        const reason = writtenFault(text, urlFault);
        if (reason !== undefined) refuse(reason, at);
      });
    }),
    lag: (isList(declared) ? undefined : linkDuration(linking, declared, `${within}replicas.lag`, LAGS)) ?? LAG,
  };
}

/** Why a literal address can't be that of a replica; `undefined` when it can. */
function urlFault(url: string): string | undefined {
  // A reference whose default is empty makes a replica optional.
  if (url === '') return undefined;
  const [, authority] = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (authority === undefined) return `${url} does not begin with postgres://`;
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  if (hosts.includes(',') || /[?&]host=[^&#]*(?:,|%2C)/i.test(url))
    return `${url} names several servers; give each a URL of its own, because each may be behind by another time`;
  return URL.canParse(`postgres://${hosts}/`)
    ? undefined
    : `${url} is not well-formed; percent-encode special characters`;
}
