import type { Process } from '../../model/process.ts';
import type { SecurityScheme, User } from '../../model/security.ts';
import { placeOf, placeText } from '../diagnostic/place.ts';
import { declarationsOf, type Linking, mayHaveMeant } from '../linking.ts';
import type { UserDeclared } from '../schema/security.ts';
import { certificateName } from './certificate-names.ts';

/** What names users beside what they show. */
interface Naming {
  readonly schemes: Iterable<SecurityScheme>;
  readonly processes: Iterable<Process>;
}

/** Holds users against each other, and against what says who calls. */
export function checkUsers(linking: Linking, users: ReadonlyMap<string, User>, naming: Naming): void {
  checkApart(linking);
  warnOfEmptyHanded(linking, users, naming);
}

/** A key or a certificate stands for one user: of two, chance would say who called. */
function checkApart(linking: Linking): void {
  const { report, places } = linking;
  const first = new Map<string, string>();
  for (const { id, value } of declarationsOf<UserDeclared>(linking, 'user')) {
    for (const key of ['api-keys', 'certificates'] as const) {
      const what = key === 'api-keys' ? 'An API key' : 'A certificate';
      for (const [index, name] of (value[key] ?? []).entries()) {
        // The hash of a key is written as a fingerprint is.
        const spelled = certificateName(name);
        // It has been reported as what it is not.
        if (typeof spelled !== 'string') continue;
        const known = `${key} ${spelled}`;
        const at = places.value(value[key] as object, index);
        const other = first.get(known);
        if (other === undefined) first.set(known, placeText(at));
        else report.raise('credential-twice', { what, user: id, first: other }, at);
      }
    }
  }
}

/** Who shows nothing is somebody only where something else names it: a token, or a process that runs in its name. */
function warnOfEmptyHanded(linking: Linking, users: ReadonlyMap<string, User>, { schemes, processes }: Naming): void {
  if ([...schemes].some((scheme) => scheme.kind === 'bearer' && scheme.users === 'known')) return;
  // What can't be used may be what names it.
  if (linking.declared.anySetAside('scheme') || linking.declared.anySetAside('process')) return;
  const named = new Set([...processes].map(({ runAs }) => runAs));
  for (const { id, value } of declarationsOf<UserDeclared>(linking, 'user')) {
    const user = users.get(id);
    if (user === undefined || named.has(id) || KEYS.some((key) => value[key] !== undefined)) continue;
    if (mayHaveMeant(linking, value, KEYS)) continue;
    linking.report.raise('nothing-to-show', { user: id }, placeOf(user.at));
  }
}

const KEYS = ['password', 'api-keys', 'certificates', 'shared-secret'] as const;
