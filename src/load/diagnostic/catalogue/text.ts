import { error } from './entry.ts';

/** Mistakes of the text itself: before anything is known of what it means. */
export const textEntries = {
  'file-unreadable': error<{ reason: string }>({
    message: ({ reason }) => `The file can't be read: ${reason}.`,
    explanation:
      'Definition files are UTF-8 text of at most 4 MiB, readable by the user who runs the command. A link must lead to a file.',
    wrong: "#file definitions/broken.yaml\n\u0000binary: '\\xff'",
    right: 'document: ORDER\nfields: { NUMBER: integer }',
  }),
  'yaml-syntax': error<{ reason: string }>({
    message: ({ reason }) => `This is not YAML: ${reason.replace(/\.$/, '')}.`,
    explanation:
      'The file is not well-formed YAML 1.2. Nothing of this part of the file (up to the next `---`) was read. Most often it is an indent made with a tab, a quote or bracket that is not closed, or a text with `: ` or a leading `@`, `%` or backtick that needs quotes.',
    wrong: 'document: ORDER\nfields: { NUMBER: integer',
    right: 'document: ORDER\nfields: { NUMBER: integer }',
  }),
  'nested-too-deep': error<{ most: number }>({
    message: ({ most }) => `Maps and lists stand inside each other more than ${most} levels deep.`,
    hint: () => 'Give the inner parts documents of their own, and refer to them by id.',
    explanation:
      'Documents in place may stand inside each other, but not without end. A document of its own is easier to read, and may be used twice.',
    wrong: `document: ORDER\nfields: ${'['.repeat(120)}${']'.repeat(120)}`,
    right: 'document: ORDER\nfields: { ITEM: ORDER_ITEM }\n---\ndocument: ORDER_ITEM\nfields: { NUMBER: integer }',
  }),
  'alias-expansion': error<{ name: string; most: number }>({
    message: ({ name, most }) =>
      `The alias *${name} stands inside what it repeats, or repeats more than ${most} values.`,
    explanation:
      "YAML aliases (`&name`, `*name`) may repeat a part of a file. What they repeat is bounded, and a part can't contain itself.",
    wrong: 'document: ORDER\nfields: &all { SELF: { fields: *all } }',
    right: 'document: ORDER\nfields: { SELF: list of ORDER }',
  }),
  'duplicate-key': error<{ key: string; line: number }>({
    message: ({ key, line }) => `The key ${key} stands in this map already, in line ${line}.`,
    explanation: 'A key can stand in a map once. Of two values one would be lost without a word.',
    wrong: 'document: ORDER\nfields:\n  NUMBER: integer\n  NUMBER: string(10)',
    right: 'document: ORDER\nfields:\n  NUMBER: integer\n  LABEL: string(10)',
  }),
  'unquoted-braces': error<{ text: string }>({
    message: ({ text }) => `${text} is taken by YAML for a map, and a text is meant.`,
    hint: () => 'Put the whole text in double quotes: "{NAME}/..." .',
    explanation:
      'In YAML a text that begins with a brace is a map, so `X-Region: {REGION}` is a map with the key REGION. The same is true of `${...}` inside a map written with braces. Quotes make it a text.',
    wrong:
      'document: REQUEST\nfields: { REGION: string(1) }\n---\nservice: Orders.v1\npublic: true\noperations:\n  ORDERS_GET:\n    get: Orders\n    request: REQUEST\n    headers: { X-Region: {REGION} }',
    right:
      'document: REQUEST\nfields: { REGION: string(1) }\n---\nservice: Orders.v1\npublic: true\noperations:\n  ORDERS_GET:\n    get: Orders\n    request: REQUEST\n    headers: { X-Region: "{REGION}" }',
  }),
  'unquoted-star': error<{ text: string }>({
    message: ({ text }) => `${text}: a text that begins with * is an alias of YAML, and there is no such anchor.`,
    hint: () => 'Put the text in double quotes: "*".',
    explanation: 'In YAML `*name` repeats what `&name` marks. A text that begins with a star needs quotes.',
    wrong: 'permission-list: EVERYTHING\noperations: [*]',
    right:
      'permission-list: EVERYTHING\noperations: ["QAS_QRY_SERVICE.*"]\n#file definitions/gateway.yaml\ngateway: LOCAL\ndelivered: [QAS_QRY_SERVICE.v1]',
  }),
  'unprefixed-reference': error<{ name: string }>({
    message: ({ name }) => `\${${name}} does not say where the value comes from.`,
    hint: ({ name }) => `Write \${env:${name}} for configuration, or \${secret:${name}} for a secret.`,
    explanation:
      '`${env:X}` is the environment variable X, `${env:X:-default}` has a default, `${secret:X}` is a secret from the environment variable X or from the file that X_FILE names. `{X}` without a dollar sign is a value of the call.',
    wrong: 'node: PARTNER\nbase: ${PARTNER_URL}',
    right: 'node: PARTNER\nbase: ${env:PARTNER_URL}',
  }),
  'bad-reference': error<{ text: string }>({
    message: ({ text }) => `${text} is not a reference to configuration.`,
    hint: () => 'Write ${env:NAME}, ${env:NAME:-default} or ${secret:NAME}.',
    explanation:
      'A reference names one variable, in letters, digits and underscores. Only `${env:...}` may have a default, after `:-`.',
    wrong: 'node: PARTNER\nbase: ${env:PARTNER-URL}',
    right: 'node: PARTNER\nbase: ${env:PARTNER_URL}',
  }),
  'misplaced-reference': error<{ text: string; key: string }>({
    message: ({ text, key }) => `${text} can't stand in ${key}: nothing resolves it there.`,
    hint: () =>
      'References to configuration stand in listen, database, publicUrl, tls and audit of the gateway, in issuer, audience, jwks and ca of schemes, in the shared-secret of users, in addresses, files and the credential of nodes, in headers, form and values of calls over REST, and in PRIMARYURL.',
    explanation:
      'What the definitions say is the same on every system; only addresses, the database, files of certificates, secrets and the facts of a partner differ, so references are resolved in those places only.',
    wrong: 'gateway: LOCAL\nsample-data: ${env:SAMPLE_FILES}',
    right: 'gateway: LOCAL\nsample-data: sample/*.sql',
  }),
};
