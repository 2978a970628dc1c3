import type { KeptSession } from '../security/sign-in/session-rows.ts';
import type { TrailEntry } from '../security/trail.ts';
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

/** The sessions of the console. */
export const SESSIONS = {
  session: { title: 'Session', value: ({ id }) => id },
  user: { title: 'User', value: ({ user }) => user },
  signedIn: { title: 'Signed in', kind: 'moment', value: ({ created }) => created },
  by: { title: 'By', value: ({ signedIn }) => signedIn },
  used: { title: 'Last used', kind: 'moment', value: ({ seen }) => seen },
  ends: { title: 'Ends', kind: 'moment', value: ({ expires }) => expires },
  address: { title: 'Address', value: ({ address }) => address },
  browser: { title: 'Browser', kind: 'words', value: ({ agent }) => agent },
} as const satisfies View<KeptSession>;

/** The audit log: what was done to users, and what operators did to queues, jobs, messages and process requests. */
export const AUDIT_LOG = {
  at: { title: 'Time', kind: 'moment', value: ({ at }) => at },
  actor: { title: 'By', value: ({ actor }) => actor },
  action: { title: 'Action', value: ({ action }) => action },
  of: {
    title: 'Of',
    value: ({ user, queue, job, request }) =>
      user ??
      [queue, job, request === undefined ? undefined : `request ${request}`]
        .filter((each) => each !== undefined)
        .join(' '),
  },
  detail: {
    title: 'Detail',
    kind: 'words',
    value: ({ detail = {} }) => (Object.keys(detail).length === 0 ? '' : JSON.stringify(detail)),
  },
} as const satisfies View<TrailEntry>;
