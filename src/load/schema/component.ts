import { description, keys, name, reference } from './json-schema.ts';
import { permission, publicKey } from './operation.ts';

const event = keys(
  {
    title: 'a registration',
    required: ['event', 'service'],
    examples: [{ event: 'SavePostChange', service: 'N_LOCATION_AUDIT', sequence: 1, processing: 'Post Process' }],
  },
  {
    event: {
      type: 'string',
      enum: ['SavePreChange', 'SavePostChange'],
      description:
        'When the class runs: `SavePreChange` in the transaction of the save, which it may refuse; `SavePostChange` after its commit.',
    },
    service: { ...reference('related-content-id'), examples: ['N_LOCATION_AUDIT'] },
    sequence: {
      type: 'integer',
      minimum: 1,
      description: 'Its place among the classes of the same event.',
      default: 1,
      examples: [1],
    },
    processing: {
      type: 'string',
      enum: ['Pre Process', 'Post Process'],
      description: '`Pre Process` goes with SavePreChange, `Post Process` with SavePostChange.',
    },
    enabled: { type: 'boolean', description: 'Whether it runs at all.', default: true, examples: [false] },
  },
);

export const component = keys(
  {
    title: 'component',
    description: 'A record behind a document, that is saved as a whole, and what happens then.',
    required: ['component', 'table', 'shape', 'keys'],
    examples: [
      {
        component: 'LOCATION_SETUP',
        table: 'location_tbl',
        shape: 'LOCATION',
        keys: ['REGION', 'LOCATION'],
        lock: 'REVISION',
        events: [{ event: 'SavePostChange', service: 'N_LOCATION_AUDIT', sequence: 1, processing: 'Post Process' }],
      },
    ],
  },
  {
    component: name('Its id, at most 30 characters.', 'LOCATION_SETUP'),
    description,
    table: {
      title: 'the name of a table',
      type: 'string',
      pattern: '^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?$',
      description: "A table of the gateway's database. Its columns are called as the fields, in small letters.",
      examples: ['location_tbl'],
    },
    shape: { ...reference('document-id'), description: 'The document of a record.', examples: ['LOCATION'] },
    keys: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      uniqueItems: true,
      description: 'Fields that name one record.',
      examples: [['REGION', 'LOCATION']],
    },
    lock: {
      type: 'string',
      minLength: 1,
      description:
        'An integer field that counts the saves of a record: who saves another state than the last is refused. It is the ETag too.',
      examples: ['REVISION'],
    },
    permission: {
      ...permission,
      description:
        'The permission list that grants it, or several: who reads or saves a record, by an operation or from code, needs one of them. Without one, and where no list names it, whoever may use the operation may.',
    },
    events: { type: 'array', items: event, minItems: 1, description: 'Classes that run when a record is saved.' },
  },
);

export const relatedContent = keys(
  {
    title: 'related-content',
    description: 'A related-content service of URL type application class: code that components register at events.',
    required: ['related-content', 'class'],
    examples: [{ 'related-content': 'N_LOCATION_AUDIT', class: 'location-audit', public: true }],
  },
  {
    'related-content': name('Its id, at most 30 characters.', 'N_LOCATION_AUDIT'),
    description,
    class: {
      title: 'the name of a file without its ending',
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
      description: 'The file of the class, in the folder of handlers.',
      examples: ['location-audit'],
    },
    permission,
    public: publicKey,
  },
);
