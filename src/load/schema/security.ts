import { CONSOLE_GRANTS, type ConsoleGrant, ID_PATTERN } from '../../model/security.ts';
import { description, ids, keys, text, word, yesNo } from './json-schema.ts';

export interface PermissionListDeclared {
  readonly description?: string;
  readonly operations?: readonly string[];
  readonly queries?: readonly string[];
  readonly processes?: readonly string[];
  readonly components?: readonly string[];
  readonly 'process-requests'?: 'all';
  readonly console?: readonly ConsoleGrant[];
}

export interface RoleDeclared {
  readonly description?: string;
  readonly 'permission-lists': readonly string[];
}

export interface UserDeclared {
  readonly description?: string;
  readonly password?: string;
  readonly 'api-keys'?: readonly string[];
  readonly certificates?: readonly string[];
  readonly 'shared-secret'?: string;
  readonly roles?: readonly string[];
  readonly sample?: boolean;
}

const id = (what: string, example: string) =>
  ({
    title: 'a name',
    type: 'string',
    pattern: ID_PATTERN,
    description: what,
    examples: [example],
  }) as const;

export const permissionList = keys<'permission-list' | keyof PermissionListDeclared>(
  {
    title: 'permission-list',
    description:
      'A set of grants. Operations, queries, processes and components refer to it with `permission:`, or it lists them itself.',
    required: ['permission-list'],
    examples: [{ 'permission-list': 'QUERY_USER', description: 'Runs queries.', operations: ['QAS_QRY_SERVICE.*'] }],
  },
  {
    'permission-list': id('Its id.', 'LOCATIONS'),
    description,
    operations: ids(
      'operation-id',
      'Operations by name, in every version of their service or in one: `Orders.v2.ORDERS_GET`; by wildcard, where `*` stands for any characters: `ORDERS_*`; or all operations of a service: `QAS_QRY_SERVICE.*`, or of one version: `QAS_QRY_SERVICE.v1.*`. Delivered services are granted this way.',
      'QAS_QRY_SERVICE.*',
      'LOCATIONS_GET',
    ),
    queries: ids(
      'query-id',
      'Queries by id or wildcard, where `*` stands for any characters. These grants are added to those in the queries.',
      'EMP_*',
      'PROCESS_MONITOR',
    ),
    processes: ids('process-id', 'Processes by id or wildcard.', 'EXTRACT_*'),
    components: ids(
      'component-id',
      'Components by id or wildcard. A component in any list is available only to users of its lists.',
      'LOCATION_SETUP',
    ),
    'process-requests': word(
      ['all'],
      'Process requests of other users. `all`: users of the list may view, hold, cancel, restart and delete them, and read their messages and reports, if they may run the process. Without it, only the user who made a request may.',
      { examples: ['all'] },
    ),
    console: {
      type: 'array',
      items: { type: 'string', enum: CONSOLE_GRANTS },
      minItems: 1,
      uniqueItems: true,
      description:
        "What users of the list may do in the operator's console. `read`: see everything except payloads. `payload`: see payloads. `act`: change what runs, such as resubmit a message, hold a queue or pause a subscription. `users`: manage users, keys and sessions. Each of them includes `read`.",
      examples: [['read'], ['payload', 'act']],
    },
  },
);

export const role = keys<'role' | keyof RoleDeclared>(
  {
    title: 'role',
    description: 'A named set of permission lists, for users.',
    required: ['role', 'permission-lists'],
    examples: [{ role: 'SAMPLE_ALL', 'permission-lists': ['LOCATIONS', 'QUERY_USER'] }],
  },
  {
    role: id('Its id.', 'SAMPLE_ALL'),
    description,
    'permission-lists': ids('permission-list-id', 'The permission lists of the role.', 'LOCATIONS', 'QUERY_USER'),
  },
);

export const user = keys<'user' | keyof UserDeclared>(
  {
    title: 'user',
    description: 'A person or system that calls: its credentials and roles.',
    required: ['user'],
    examples: [
      {
        user: 'demo',
        password: '$scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg',
        roles: ['SAMPLE_ALL'],
      },
      { user: 'partner', certificates: ['CN=partner,O=Example,C=DE'], roles: ['SAMPLE_ALL'] },
    ],
  },
  {
    user: id('Its id: the user name for its password.', 'demo'),
    description,
    password: text(
      'Hash of the password in the PHC string format: `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`, both in base64 without padding. Never the password itself.',
      '$scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg',
    ),
    'api-keys': {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      uniqueItems: true,
      description:
        'Hashes of its API keys: `sha256:` and the SHA-256 of the key in 64 hexadecimal digits. Never the key itself.',
      examples: [['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08']],
    },
    certificates: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      uniqueItems: true,
      description:
        'Certificates that identify it: `sha256:` and the fingerprint in 64 hexadecimal digits, or the subject (RFC 4514) of one that a trusted authority has issued.',
      examples: [
        ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', 'CN=partner,O=Example,C=DE'],
      ],
    },
    'shared-secret': text(
      'The secret for the digest of a UsernameToken, which both sides need in clear. A reference, never the secret itself.',
      '${secret:PARTNER_SECRET}',
    ),
    roles: ids('role-id', 'Roles of the user. Without any, the user may call only what is public.', 'SAMPLE_ALL'),
    sample: yesNo(
      'Marks a user of the sample. While such a user may call, the gateway refuses to listen on an address that others can reach.',
      false,
    ),
  },
);
