import { description, idItem, keys } from './json-schema.ts';

const id = (what: string, example: string) =>
  ({
    title: 'a name',
    type: 'string',
    pattern: '^[A-Za-z0-9][A-Za-z0-9_.@-]*$',
    description: what,
    examples: [example],
  }) as const;

export const permissionList = keys(
  {
    title: 'permission-list',
    description:
      'A list of what may be called. Operations and queries name it with `permission:`; it may add operations itself.',
    required: ['permission-list'],
    examples: [{ 'permission-list': 'QUERY_USER', description: 'Runs queries.', operations: ['QAS_QRY_SERVICE.*'] }],
  },
  {
    'permission-list': id('Its id.', 'LOCATIONS'),
    description,
    operations: {
      type: 'array',
      items: idItem('operation-id'),
      uniqueItems: true,
      description:
        'Operations by id, or all of a service: `QAS_QRY_SERVICE.*`, of one version: `QAS_QRY_SERVICE.v1.*`. This is how delivered services are granted.',
      examples: [['QAS_QRY_SERVICE.*', 'LOCATIONS_GET']],
    },
  },
);

export const role = keys(
  {
    title: 'role',
    description: 'Permission lists under one name, for users.',
    required: ['role', 'permission-lists'],
    examples: [{ role: 'SAMPLE_ALL', 'permission-lists': ['LOCATIONS', 'QUERY_USER'] }],
  },
  {
    role: id('Its id.', 'SAMPLE_ALL'),
    description,
    'permission-lists': {
      type: 'array',
      items: idItem('permission-list-id'),
      uniqueItems: true,
      description: 'What the role may do.',
      examples: [['LOCATIONS', 'QUERY_USER']],
    },
  },
);

export const user = keys(
  {
    title: 'user',
    description: 'Somebody who calls, with a hashed password and roles.',
    required: ['user', 'password'],
    examples: [
      {
        user: 'demo',
        password: '$scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg',
        roles: ['SAMPLE_ALL'],
      },
    ],
  },
  {
    user: id('The name that is shown with the password.', 'demo'),
    description,
    password: {
      type: 'string',
      minLength: 1,
      description:
        'Hash of the password in the PHC string format: `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`, both in base64 without padding. Never the password.',
      examples: ['$scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg'],
    },
    roles: {
      type: 'array',
      items: idItem('role-id'),
      uniqueItems: true,
      description: "The user's roles. Without one the user may call what is public.",
      examples: [['SAMPLE_ALL']],
    },
    sample: {
      type: 'boolean',
      description: 'Of the sample: the gateway refuses to listen where others can reach it while such a user may call.',
      default: false,
      examples: [true],
    },
  },
);
