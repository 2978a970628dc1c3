import { description, keys } from './json-schema.ts';

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
        'Name of the node. Holds no dot and equals no service, because both stand at the same place of a path.',
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
  },
);
