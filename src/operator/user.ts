import type { KeptCertificate, KeptKey } from '../security/users/user-port.ts';
import type { Tone, View } from './view.ts';

/** A user of the database or of the definitions. */
export interface ShownUser {
  readonly id: string;
  readonly description?: string | undefined;
  readonly roles: readonly string[];
  readonly disabled?: boolean;
  readonly hasPassword?: boolean;
  /** `database`, or the place of its definition. */
  readonly from: string;
}

export const userState = ({ disabled }: Pick<ShownUser, 'disabled'>): readonly [Tone, string] =>
  disabled === true ? ['bad', 'disabled'] : ['good', 'active'];

export const USERS = {
  user: { title: 'User', value: ({ id }) => id },
  state: { title: 'State', value: (user) => userState(user)[1] },
  password: { title: 'Password', value: ({ hasPassword }) => (hasPassword === true ? 'yes' : 'no') },
  roles: { title: 'Roles', kind: 'words', value: ({ roles }) => roles.join(', ') },
  from: { title: 'Declared in', value: ({ from }) => from },
  description: { title: 'Description', kind: 'words', value: ({ description }) => description },
} as const satisfies View<ShownUser>;

/** @param now in milliseconds */
export function keyState({ expires, revoked }: KeptKey, now: number): readonly [Tone, string] {
  if (revoked !== undefined) return ['idle', 'revoked'];
  return expires !== undefined && Date.parse(expires) <= now ? ['idle', 'expired'] : ['good', 'valid'];
}

/** The keys of a user, by the part that is not secret. @param now in milliseconds */
export const keysView = (now: number) =>
  ({
    key: { title: 'Key', value: ({ id }) => id },
    state: { title: 'State', value: (key) => keyState(key, now)[1] },
    created: { title: 'Created', kind: 'moment', value: ({ created }) => created },
    expires: { title: 'Expires', kind: 'moment', value: ({ expires = 'never' }) => expires },
    revoked: { title: 'Revoked', kind: 'moment', value: ({ revoked }) => revoked },
    description: { title: 'Description', kind: 'words', value: ({ description }) => description },
  }) as const satisfies View<KeptKey>;

export const CERTIFICATES = {
  certificate: { title: 'Certificate', value: ({ fingerprint }) => fingerprint },
  created: { title: 'Created', kind: 'moment', value: ({ created }) => created },
  description: { title: 'Description', kind: 'words', value: ({ description }) => description },
} as const satisfies View<KeptCertificate>;
