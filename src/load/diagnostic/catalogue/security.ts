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

const REST =
  'service: Orders.v1\npermission: ORDERS\noperations:\n  ORDERS_GET:\n    get: Orders\n    response: text\n';
const LIST = 'permission-list: ORDERS\n---\n';
const TOKEN = 'scheme: TOKEN\nusername-token: {}\n---\n';
const KEY_HASH = 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const login = (rest: string): string =>
  `role: CLERK\npermission-lists: []\n---\nscheme: LOGIN\nbearer:\n  issuer: https://login.example.org/\n  audience: signalbox\n  jwks: https://login.example.org/jwks.json\n${rest}`;
const ROLES = '  roles: { orders.read: CLERK }';

/** What callers show. */
export const schemeEntries = {
  'one-scheme': error<{ scheme: string; said: readonly string[] }>({
    message: ({ scheme, said }) =>
      said.length === 0
        ? `${scheme} does not say what a caller shows.`
        : `${scheme} is two schemes: ${said.join(' and ')}.`,
    hint: ({ said }) =>
      said.length === 0
        ? 'Add one of basic, api-key, bearer, client-certificate, username-token and signature.'
        : 'Make each of them a scheme of its own, and name both: `requires: [ONE, OTHER]`.',
    explanation:
      'A scheme is one thing that a caller shows: `basic`, `api-key`, `bearer`, `client-certificate`, `username-token` or `signature`. Where several are allowed, `requires` lists them, and any one is enough.',
    wrong: 'scheme: KEY\nbasic: {}\napi-key: { header: X-Api-Key }',
    right: 'scheme: PASSWORD\nbasic: {}\n---\nscheme: KEY\napi-key: { header: X-Api-Key }',
  }),
  'scheme-header': error<{ header: string }>({
    message: ({ header }) => `The header ${header} means something else and can't hold what a caller shows.`,
    hint: () => 'Name one of its own, for example X-Api-Key.',
    explanation:
      'A key or a certificate travels in a header of its own. Those that the protocol, proxies or the gateway itself use, such as Host, Authorization, X-Forwarded-For or X-Request-Id, mean something else, and are logged, handed on or written anew.',
    wrong: 'scheme: KEY\napi-key: { header: Authorization }',
    right: 'scheme: KEY\napi-key: { header: X-Api-Key }',
  }),
  'algorithm-refused': error<{ algorithm: string; why: string }>({
    message: ({ algorithm, why }) => `${algorithm} is not taken: ${why}.`,
    hint: () => 'Ask for a signature with a key pair over SHA-256 or longer, for example RS256 or rsa-sha256.',
    explanation:
      'Which algorithms a signature may have is said here, never by whoever sends it. `none` is no signature, a MAC (HS256) has one key for both sides, which for a token would be the public one, and digests of SHA-1 and MD5 can be forged.',
    wrong: login(`  algorithms: [RS256, HS256]\n${ROLES}`),
    right: login(`  algorithms: [RS256]\n${ROLES}`),
  }),
  'tokens-without-roles': warning<{ scheme: string }>({
    message: ({ scheme }) => `Tokens of ${scheme} give no role, so whoever shows one may call nothing.`,
    hint: () => "Add `roles: { SCOPE: ROLE }`, or `users: known`, which takes the user's own.",
    explanation:
      'Whom an issuer vouches for has the roles that `roles` gives for values of its claim, and with `users: known` those of the user of that name. Without either a token opens nothing.',
    wrong: login(''),
    right: login(ROLES),
  }),
  'scheme-never-tried': error<{ scheme: string; first: string; where: string }>({
    message: ({ scheme, first, where }) => `${scheme} would never be tried: ${first} decides by ${where} already.`,
    hint: () => 'Leave one of them.',
    explanation:
      'Of several schemes the first whose credentials are there decides, and none is tried after it. So two that look at the same place are one too many. Bearer tokens name their issuer: schemes of several issuers stand side by side, two of the same one do not.',
    wrong: `${LIST}scheme: PASSWORD\nbasic: {}\n---\n${REST}    requires: [basic, PASSWORD]`,
    right: `${LIST}${REST}    requires: basic`,
  }),
  'scheme-without-soap': error<{ scheme: string; operation: string }>({
    message: ({ scheme, operation }) => `${scheme} stands inside a SOAP message, and ${operation} has no SOAP form.`,
    hint: () => 'Name a scheme that stands outside the message, or offer the operation over SOAP: `soap: true`.',
    explanation:
      'A UsernameToken and an XML signature are parts of the header of a SOAP message, so only an operation with `soap` can ask for them. Where a service or the gateway asks for them beside others, operations without SOAP pass them over.',
    wrong: `${LIST}${TOKEN}${REST}    requires: [basic, TOKEN]`,
    right: `${LIST}${TOKEN}${REST}    requires: basic`,
  }),
  'no-scheme-over-rest': error<{ operation: string; schemes: readonly string[]; soap: boolean }>({
    message: ({ operation, schemes }) =>
      `Nobody could call ${operation} over REST: ${schemes.join(' and ')} ${schemes.length === 1 ? 'stands' : 'stand'} inside a SOAP message.`,
    hint: ({ soap }) =>
      soap
        ? 'Add a scheme that stands outside the message, or leave out the method, so that the operation is SOAP alone.'
        : 'Add a scheme that stands outside the message.',
    explanation:
      'Over REST there is no message to hold a UsernameToken or a signature. An operation that is offered over REST needs at least one scheme that stands outside the message: basic, api-key, bearer or client-certificate.',
    wrong: `${LIST}${TOKEN}${REST}    soap: true\n    requires: TOKEN`,
    right: `${LIST}${TOKEN}${REST}    soap: true\n    requires: [basic, TOKEN]`,
  }),
  'no-scheme-for-paths': error<{ what: string; schemes: readonly string[] }>({
    message: ({ what, schemes }) =>
      `Nobody could read ${what}: ${schemes.join(' and ')} ${schemes.length === 1 ? 'stands' : 'stand'} inside a SOAP message.`,
    hint: () => 'Add a scheme that stands outside the message to `requires` of the gateway.',
    explanation:
      'Contracts that are private, and `/metrics` from another machine, are read by whoever shows what `requires` of the gateway asks for. They are asked for without a message, so a UsernameToken and a signature are never there.',
    wrong: `${TOKEN}gateway: LOCAL\ncontracts: private\nrequires: TOKEN`,
    right: `${TOKEN}gateway: LOCAL\ncontracts: private\nrequires: [basic, TOKEN]`,
  }),
  'certificate-out-of-reach': warning<{ scheme: string; header?: string }>({
    message: ({ scheme, header }) =>
      header === undefined
        ? `Nobody can show a certificate for ${scheme}: the gateway asks for none.`
        : `Nobody can show a certificate for ${scheme}: the header ${header} is believed from proxies, and the gateway names none.`,
    hint: ({ header }) =>
      header === undefined
        ? 'Add `tls: { certificate: FILE, key: FILE, client-ca: FILE }` to the gateway, or name the header of its proxy.'
        : 'Add `proxies: [ADDRESS]` to the gateway.',
    explanation:
      "A certificate is that of the caller's TLS connection, which the gateway asks for with `tls.client-ca`, or what a proxy in front has written into a header, which is believed from addresses among `proxies` alone.",
    wrong: 'scheme: PARTNER\nclient-certificate: { header: Client-Cert }\n---\ngateway: LOCAL',
    right: 'scheme: PARTNER\nclient-certificate: { header: Client-Cert }\n---\ngateway: LOCAL\nproxies: [10.0.0.0/8]',
  }),
  'credential-twice': error<{ what: string; user: string; first: string }>({
    message: ({ what, user, first }) => `${what} of ${user} stands for somebody already, at ${first}.`,
    hint: () => 'Give each user one of its own.',
    explanation:
      'A key or a certificate says who calls, so it can stand for one user only. Certificates are the same where their names differ by blanks between the parts alone.',
    wrong: `user: one\napi-keys: ["${KEY_HASH}"]\n---\nuser: other\napi-keys: ["${KEY_HASH}"]`,
    right: `user: one\napi-keys: ["${KEY_HASH}"]\n---\nuser: other\ncertificates: ["CN=other,O=Example"]`,
  }),
  'certificate-name': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} names no certificate: ${reason}.`,
    hint: () =>
      'Write sha256: and its fingerprint in hexadecimal digits, or its subject, as in CN=partner,O=Example,C=DE.',
    explanation:
      'A certificate is named by its fingerprint, `sha256:` and the SHA-256 of its DER form in 64 hexadecimal digits, or by its subject in the form of RFC 4514, the most specific part first. A subject counts where a trusted authority has issued the certificate.',
    wrong: 'user: partner\ncertificates: [partner.example.org]',
    right: 'user: partner\ncertificates: ["CN=partner.example.org,O=Example,C=DE"]',
  }),
  'nothing-to-show': warning<{ user: string }>({
    message: ({ user }) => `${user} has nothing that it could show, so nobody can call in its name.`,
    hint: () => 'Add a password, api-keys, certificates or a shared-secret.',
    explanation:
      'A user calls with a password, an API key, a certificate or a shared secret. One that has none of them is of use where a process runs in its name (`run-as`), or where the tokens of a `bearer` scheme with `users: known` name it.',
    wrong: 'user: partner',
    right: `user: partner\napi-keys: ["${KEY_HASH}"]`,
  }),
};
