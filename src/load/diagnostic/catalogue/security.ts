import { error, warning } from './entry.ts';

/** Secrets and grants. */
export const securityEntries = {
  'secret-in-clear': error<{ what: string; instead: string }>({
    message: ({ what }) => `${what} is written in clear text.`,
    hint: ({ instead }) => instead,
    explanation:
      'Definitions are committed, and many people can read what is committed. Passwords and API keys of users are stored as hashes. A password in an address or a credential is a reference, `${secret:NAME}`. The credential of a node is never written in a header. Change a secret that was ever written here. The quoted line does not show it.',
    masked: true,
  }),
  'password-hash': error<{ reason: string }>({
    message: ({ reason }) => `This is not a usable password hash: ${reason}.`,
    hint: () => 'The form is $scrypt$ln=14,r=8,p=1$<salt>$<hash>, both in base64 without padding.',
    explanation:
      'Passwords are stored as scrypt hashes in the PHC string format. Cost, salt and hash are required, and the cost must not need more than 256 MiB.',
    masked: true,
  }),
  'weak-algorithm': warning<{ algorithm: string; name: string }>({
    message: ({ algorithm, name }) => `${name} has ${algorithm}, whose collisions can be computed (SHA-1).`,
    hint: () => 'Agree on rsa-sha256 and sha256 with the partner, and remove it then.',
    explanation:
      'Algorithm suites of WS-SecurityPolicy demand signatures with RSA-SHA1, and most of them digests of SHA-1. Whoever can choose a part of what is signed may be able to create a second message to which the same signature belongs. Signatures with SHA-1 are written and accepted only where they are declared. Many systems, such as CXF, can be set to RSA-SHA256 although their policy stays the same.',
  }),
  'role-not-granted': error<{ operation: string; role: string; thing: string }>({
    message: ({ operation, role, thing }) =>
      `${operation} runs as role ${role}, which has no permission list that grants the ${thing}.`,
    hint: () => 'Give the role one of its permission lists, or add it to a list of the role.',
    explanation:
      'With `as: ROLE`, the operation uses the permission lists of the role to reach what answers it, whoever the caller is. If the role lacks them, every call would be rejected.',
  }),
  'delivered-not-granted': warning<{ service: string }>({
    message: ({ service }) => `The delivered service ${service} is enabled, but no permission list grants it.`,
    hint: ({ service }) => `Add \`operations: [${service.split('.')[0]}.*]\` to a permission list.`,
    explanation:
      'Services of the package are granted by permission lists. Without a grant, no one is permitted to call them.',
  }),
};

/** What callers show. */
export const schemeEntries = {
  'one-scheme': error<{ scheme: string; said: readonly string[] }>({
    message: ({ scheme, said }) =>
      said.length === 0
        ? `Scheme ${scheme} does not define how callers authenticate.`
        : `Scheme ${scheme} has two kinds: ${said.join(' and ')}.`,
    hint: ({ said }) =>
      said.length === 0
        ? 'Add one of basic, api-key, bearer, client-certificate, username-token and signature.'
        : 'Make each of them a scheme of its own and name both: `requires: [ONE, OTHER]`.',
    explanation:
      'A scheme is one way to authenticate: `basic`, `api-key`, `bearer`, `client-certificate`, `username-token` or `signature`. To allow several, list their schemes in `requires`; any one of them is enough.',
  }),
  'scheme-header': error<{ header: string }>({
    message: ({ header }) => `The header ${header} has another meaning and can't carry credentials.`,
    hint: () => 'Use a header of its own, for example X-Api-Key.',
    explanation:
      'A key or a certificate is sent in a header of its own; a key may be in Authorization, too. Headers that the protocol, proxies or the gateway use, such as Host, X-Forwarded-For or X-Request-Id, have another meaning and are logged, forwarded or rewritten.',
  }),
  'algorithm-refused': error<{ algorithm: string; why: string }>({
    message: ({ algorithm, why }) => `The algorithm ${algorithm} is not allowed: ${why}.`,
    hint: () => 'Use a signature with a key pair over SHA-256 or longer, for example RS256 or rsa-sha256.',
    explanation:
      'The definitions decide which signature algorithms are allowed, never the sender. `none` is not a signature; a MAC (HS256) has one key for both sides, which for a token would be the public key; MD5 can be forged. SHA-1 is allowed only for signatures in SOAP messages, with a warning.',
  }),
  'tokens-without-roles': warning<{ scheme: string }>({
    message: ({ scheme }) => `Tokens of scheme ${scheme} give no roles, so their callers are permitted nothing.`,
    hint: () => 'Add `roles: { SCOPE: ROLE }`, or `users: known` to use the roles of the user.',
    explanation:
      'A caller with a token has the roles that `roles` assigns to the values of its claim and, with `users: known`, the roles of the user of that name. Without either, a token permits nothing.',
  }),
  'scheme-never-tried': error<{ scheme: string; first: string; where: string }>({
    message: ({ scheme, first, where }) => `Scheme ${scheme} would never be tried: ${first} also uses ${where}.`,
    hint: () => 'Remove one of them.',
    explanation:
      "Of several schemes, the first whose credentials are present decides, and no other is tried. So two schemes must not use the same place. Bearer tokens name their issuer: schemes of different issuers can be combined, two of the same issuer can't.",
  }),
  'scheme-without-soap': error<{ scheme: string; operation: string }>({
    message: ({ scheme, operation }) =>
      `Scheme ${scheme} is part of a SOAP message, but ${operation} is not offered over SOAP.`,
    hint: () => 'Use a scheme outside the message, or offer the operation over SOAP: `soap: true`.',
    explanation:
      'A UsernameToken and an XML signature are parts of the header of a SOAP message, so only operations with `soap` can require them. When a service or the gateway requires them together with others, operations without SOAP ignore them.',
  }),
  'no-scheme-over-rest': error<{ operation: string; schemes: readonly string[]; soap: boolean }>({
    message: ({ operation, schemes }) =>
      `${operation} can't be called over REST: ${schemes.join(' and ')} ${schemes.length === 1 ? 'is' : 'are'} part of a SOAP message.`,
    hint: ({ soap }) =>
      soap
        ? 'Add a scheme outside the message, or remove the method to offer the operation over SOAP only.'
        : 'Add a scheme outside the message.',
    explanation:
      'A REST request has no message that could contain a UsernameToken or a signature. An operation that is offered over REST needs at least one scheme outside the message: basic, api-key, bearer or client-certificate.',
  }),
  'no-scheme-over-soap': error<{ operation: string; scheme: string }>({
    message: ({ operation, scheme }) =>
      `${operation} can't be called over SOAP: ${scheme} verifies webhooks, which arrive over REST.`,
    hint: () => 'Add another scheme to `requires`, or remove `soap` to offer the operation over REST only.',
    explanation:
      'A scheme with `webhook` or `hmac` verifies the signature of a request over REST. Callers over SOAP need another scheme in `requires` of the operation, its service or the gateway.',
  }),
  'no-scheme-for-paths': error<{ what: string; schemes: readonly string[] }>({
    message: ({ what, schemes }) =>
      `No caller could read ${what}: ${schemes.join(' and ')} ${schemes.length === 1 ? 'is' : 'are'} for messages to operations.`,
    hint: () => 'Add a scheme outside the message to `requires` of the gateway.',
    explanation:
      "To read private contracts, or `/metrics` from another machine, callers authenticate with a scheme in `requires` of the gateway. These requests have no message, so they can't contain a UsernameToken or a signature, and they are not webhooks.",
  }),
  'certificate-out-of-reach': warning<{ scheme: string; header?: string }>({
    message: ({ scheme, header }) =>
      header === undefined
        ? `No caller can use scheme ${scheme}: the gateway does not request client certificates.`
        : `No caller can use scheme ${scheme}: the gateway trusts the header ${header} from its proxies only, and it has none.`,
    hint: ({ header }) =>
      header === undefined
        ? 'Add `tls: { certificate: FILE, key: FILE, client-ca: FILE }` to the gateway, or name the header of its proxy.'
        : 'Add `proxies: [ADDRESS]` to the gateway.',
    explanation:
      'A client certificate is that of the TLS connection, which the gateway requests with `tls.client-ca`, or one that a proxy has written to a header, which is trusted from the addresses in `proxies` only.',
  }),
  'bad-sign-in': error<{ reason: string }>({
    message: ({ reason }) => `The console can't offer this: ${reason}.`,
    hint: () =>
      'Name each way once: `password`, or a bearer scheme whose issuer is an OpenID provider at an https URL.',
    explanation:
      'The sign-in page of the console offers `password`, and OpenID providers. A provider is the issuer of a scheme with `bearer`, whose discovery document is read below its URL: over TLS, or on the same machine.',
  }),
  'credential-twice': error<{ what: string; user: string; first: string }>({
    message: ({ what, user, first }) => `${what} of ${user} already identifies another user, at ${first}.`,
    hint: () => 'Give each user one of its own.',
    explanation:
      'A key or a certificate identifies the caller, so it can belong to one user only. Names of certificates are the same when they differ only by spaces between their parts.',
  }),
  'certificate-name': error<{ name: string; reason: string }>({
    message: ({ name, reason }) => `${name} does not identify a certificate: ${reason}.`,
    hint: () =>
      'Write sha256: and its fingerprint in hexadecimal digits, or its subject, such as CN=partner,O=Example,C=DE.',
    explanation:
      'A certificate is identified by its fingerprint, `sha256:` and the SHA-256 of its DER form in 64 hexadecimal digits, or by its subject in the form of RFC 4514, the most specific part first. A subject is accepted when a trusted authority has issued the certificate.',
  }),
  'nothing-to-show': warning<{ user: string }>({
    message: ({ user }) => `User ${user} has no credentials, so no one can call in its name.`,
    hint: () => 'Add a password, api-keys, certificates or a shared-secret.',
    explanation:
      'A user authenticates with a password, an API key, a certificate or a shared secret. A user without any of them is useful only if a process runs in its name (`run-as`), or if tokens of a `bearer` scheme with `users: known` name it.',
  }),
};
