import { description, type JsonSchema, keys } from './json-schema.ts';

const credential: JsonSchema = keys(
  {
    required: ['basic'],
    description: 'What calls to it show.',
    examples: [{ basic: { user: 'signalbox', password: '${secret:PARTNER_PASSWORD}' } }],
  },
  {
    basic: keys(
      {
        required: ['user', 'password'],
        description: 'A user and a password (HTTP Basic, RFC 7617). The password is a reference to a secret.',
        examples: [{ user: 'signalbox', password: '${secret:PARTNER_PASSWORD}' }],
      },
      {
        user: {
          type: 'string',
          minLength: 1,
          description: 'Holds no colon. May refer to configuration.',
          examples: ['signalbox'],
        },
        password: {
          type: 'string',
          minLength: 1,
          description: 'A reference: never the password itself.',
          examples: ['${secret:PARTNER_PASSWORD}'],
        },
      },
    ),
  },
);

export const node = keys(
  {
    title: 'node',
    description: 'A system other than this gateway, with its address.',
    required: ['node', 'base'],
    examples: [{ node: 'THIRD_PARTY', description: 'Takes imports.', base: '${env:THIRD_PARTY_URL}' }],
  },
  {
    node: {
      title: 'a node name',
      type: 'string',
      pattern: '^[A-Za-z][A-Za-z0-9_.-]*$',
      description:
        'Name of the node. Holds no dot and equals no service that is offered here, because both stand at the same place of a path.',
      examples: ['THIRD_PARTY'],
    },
    description,
    base: {
      title: 'a base URL or a list of them',
      type: ['string', 'array'],
      minLength: 1,
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      description:
        'Base URL, or a list in the order of fail-over. May refer to configuration; holds no variable of a call. `https://` alone is allowed where templates begin with the host.',
      examples: ['${env:THIRD_PARTY_URL}', ['https://a.example.org', 'https://b.example.org']],
    },
    credential,
  },
);
