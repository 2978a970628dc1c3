import { error, warning } from './entry.ts';

const HASH = '$scrypt$ln=14,r=8,p=1$jR0yTa7bt0qeomBbRenAvA$wSlCxAc7gaLReG+XaGmUzD343GJUeovNU9UxA8IF5zg';

/** Secrets and grants. */
export const securityEntries = {
  'secret-in-clear': error<{ what: string; instead: string }>({
    message: ({ what }) => `${what} stands here in clear.`,
    hint: ({ instead }) => instead,
    explanation:
      "Definitions are committed, and what is committed is read by many. A user's password and its API keys are stored as hashes; a password in an address or a credential is a reference: `${secret:NAME}`, and what calls to a node show stands in no header. Change a secret that was written here once. The quoted line hides it.",
    masked: true,
    wrong: 'user: demo\npassword: demo',
    right: `user: demo\npassword: ${HASH}`,
  }),
  'password-hash': error<{ reason: string }>({
    message: ({ reason }) => `This is not a password hash that can be tried: ${reason}.`,
    hint: () => 'The form is $scrypt$ln=14,r=8,p=1$<salt>$<hash>, both in base64 without padding.',
    explanation:
      'Passwords are stored as scrypt hashes in the PHC string format. Cost, salt and hash must be there, and the cost must not take more than 256 MiB.',
    masked: true,
    wrong: 'user: demo\npassword: $scrypt$ln=14$abc',
    right: `user: demo\npassword: ${HASH}`,
  }),
  'role-not-granted': error<{ operation: string; role: string; thing: string }>({
    message: ({ operation, role, thing }) =>
      `${operation} runs as ${role}, and no list of that role grants the ${thing}.`,
    hint: () => 'Add one of its permission lists to the role, or name it in a list that the role has.',
    explanation:
      'With `as: ROLE` what answers an operation is reached by the lists of the role, whoever calls. Where the role does not hold them, every call would be refused.',
    wrong:
      'permission-list: STAFF\n---\nrole: READER\npermission-lists: []\n---\nquery: PEOPLE\npermission: STAFF\ncolumns: { NAME: string }\nsql: select name from person\n---\nservice: People.v1\npublic: true\noperations:\n  PEOPLE_GET: { get: People, query: PEOPLE, as: READER }',
    right:
      'permission-list: STAFF\n---\nrole: READER\npermission-lists: [STAFF]\n---\nquery: PEOPLE\npermission: STAFF\ncolumns: { NAME: string }\nsql: select name from person\n---\nservice: People.v1\npublic: true\noperations:\n  PEOPLE_GET: { get: People, query: PEOPLE, as: READER }',
  }),
  'delivered-not-granted': warning<{ service: string }>({
    message: ({ service }) => `${service} is switched on, and no permission list grants it.`,
    hint: ({ service }) => `Add \`operations: [${service.split('.')[0]}.*]\` to a permission list.`,
    explanation: 'Services of the package are granted by permission lists. Without a grant nobody may call them.',
    wrong: 'gateway: LOCAL\ndelivered: [QAS_QRY_SERVICE.v1]',
    right:
      'gateway: LOCAL\ndelivered: [QAS_QRY_SERVICE.v1]\n---\npermission-list: QUERY_USER\noperations: [QAS_QRY_SERVICE.*]',
  }),
};
