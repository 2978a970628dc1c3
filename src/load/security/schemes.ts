import { BASIC, type Role, type SecurityScheme } from '../../model/security.ts';
import { DIGEST_ALGORITHMS, SIGNATURE_ALGORITHMS } from '../../model/xml-signature.ts';
import { given } from '../given.ts';
import { byId, declarationsOf, type Linking, mayHaveMeant } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { SchemeDeclared, SignatureDeclared } from '../schema/scheme.ts';
import { linkFile } from '../value/file.ts';
import { isTaken } from '../value/headers.ts';
import { linkDuration } from '../value/units.ts';
import { linkAlgorithms } from './algorithms.ts';
import { linkBearer } from './bearer.ts';

const KEYS = ['basic', 'api-key', 'bearer', 'client-certificate', 'username-token', 'signature'] as const;

/** A scheme without what its definition has in common with the others. */
type Kind = SecurityScheme extends infer S ? (S extends SecurityScheme ? Omit<S, 'id' | 'description'> : never) : never;

/** Links every scheme, with the one that needs no definition. */
export function linkSchemes(linking: Linking, roles: ReadonlyMap<string, Role>): Map<string, SecurityScheme> {
  const schemes = declarationsOf<SchemeDeclared>(linking, 'scheme').flatMap((declaration): SecurityScheme[] => {
    const { id, value, at } = declaration;
    if (id === BASIC.id) {
      const why = 'the scheme basic is HTTP Basic, and needs no definition';
      linking.report.raise('reserved-name', { name: id, why }, at);
      return [];
    }
    const kind = linkKind(linking, declaration, roles);
    // What refers to it is not at fault.
    if (kind === undefined) linking.declared.setAside('scheme', id);
    return kind === undefined ? [] : [{ id, ...given({ description: value.description }), ...kind }];
  });
  return byId([BASIC, ...schemes]);
}

/** The one thing that a caller shows; undefined where that can't be told, which has been reported. */
function linkKind(
  linking: Linking,
  { id, value, at }: Declaration<SchemeDeclared>,
  roles: ReadonlyMap<string, Role>,
): Kind | undefined {
  const { report, places } = linking;
  const [first, second] = Object.keys(value).filter((key) => (KEYS as readonly string[]).includes(key));
  if (first === undefined) {
    if (!mayHaveMeant(linking, value, KEYS)) report.raise('one-scheme', { scheme: id, said: [] }, at);
    return undefined;
  }
  if (second !== undefined)
    report.raise('one-scheme', { scheme: id, said: [first, second] }, places.key(value, second));
  switch (first as (typeof KEYS)[number]) {
    case 'basic':
      return { kind: 'basic' };
    case 'api-key':
      return { kind: 'api-key', header: linkHeader(linking, value['api-key']) ?? '' };
    case 'bearer':
      return value.bearer && linkBearer(linking, id, value.bearer, roles);
    case 'client-certificate':
      return { kind: 'client-certificate', ...given({ header: linkHeader(linking, value['client-certificate']) }) };
    case 'username-token': {
      const token = value['username-token'] ?? {};
      const maxAge = linkDuration(linking, token, 'username-token.max-age', LONGEST_AGE) ?? MAX_AGE;
      return { kind: 'username-token', passwords: token.passwords ?? ['text', 'digest'], maxAge };
    }
    case 'signature':
      return value.signature && linkSignature(linking, value.signature);
  }
}

const MAX_AGE = 5 * 60_000;
/** Who has read a message along the way has as long to be the first to show it to another gateway. */
const LONGEST_AGE = { amount: 3_600_000, words: 'from 1 ms to 1 h' };

/** A header that holds credentials: none that means something else. */
function linkHeader({ report, places }: Linking, holder: { readonly header?: string } | undefined): string | undefined {
  const header = holder?.header;
  if (header !== undefined && isTaken(header.toLowerCase()))
    report.raise('scheme-header', { header }, places.value(holder as object, 'header'));
  return header;
}

function linkSignature(linking: Linking, declared: SignatureDeclared): Kind {
  const taken = (key: 'algorithms' | 'digests', uris: Readonly<Record<string, string>>, usual: string): string[] =>
    (linkAlgorithms(linking, declared, key, `signature.${key}`, Object.keys(uris)) ?? [usual]).map(
      (word) => uris[word] as string,
    );
  return {
    kind: 'signature',
    algorithms: taken('algorithms', SIGNATURE_ALGORITHMS, 'rsa-sha256'),
    digests: taken('digests', DIGEST_ALGORITHMS, 'sha256'),
    maxAge: linkDuration(linking, declared, 'signature.max-age', LONGEST_AGE) ?? MAX_AGE,
    ...given({ caFile: declared.ca === undefined ? undefined : linkFile(linking, declared, 'ca') }),
  };
}
