import type { ComponentEventName } from '../../model/component.ts';
import {
  count,
  description,
  keys,
  matching,
  name,
  reference,
  refersTo,
  text,
  texts,
  word,
  yesNo,
} from './json-schema.ts';
import { permission, publicKey } from './operation.ts';

export interface ComponentDeclared {
  readonly description?: string;
  readonly table: string;
  readonly shape: string;
  readonly keys: readonly string[];
  readonly lock?: string;
  readonly permission?: string | readonly string[];
  readonly events?: readonly ComponentEventDeclared[];
}

export interface ComponentEventDeclared {
  readonly event: ComponentEventName;
  readonly service: string;
  readonly sequence?: number;
  readonly processing?: 'Pre Process' | 'Post Process';
  readonly enabled?: boolean;
}

export interface RelatedContentDeclared {
  readonly description?: string;
  readonly class: string;
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
}

const event = keys<keyof ComponentEventDeclared>(
  {
    title: 'a registration',
    required: ['event', 'service'],
    examples: [{ event: 'SavePostChange', service: 'N_LOCATION_AUDIT', sequence: 1, processing: 'Post Process' }],
  },
  {
    event: word(
      ['SavePreChange', 'SavePostChange'],
      'When the class runs: `SavePreChange` in the transaction of the save, which it may refuse; `SavePostChange` after its commit.',
    ),
    service: { ...reference('related-content-id'), examples: ['N_LOCATION_AUDIT'] },
    sequence: count('Its place among the classes of the same event.', 1),
    processing: word(
      ['Pre Process', 'Post Process'],
      '`Pre Process` goes with SavePreChange, `Post Process` with SavePostChange.',
    ),
    enabled: yesNo('Whether it runs at all.', true),
  },
);

export const component = keys<'component' | keyof ComponentDeclared>(
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
    table: matching(
      'the name of a table',
      '^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?$',
      "A table of the gateway's database. Its columns are called as the fields, in small letters.",
      'location_tbl',
    ),
    shape: refersTo('document-id', 'The document of a record.', 'LOCATION'),
    keys: texts('Fields that name one record.', 'REGION', 'LOCATION'),
    lock: text(
      'An integer field that counts the saves of a record: who saves another state than the last is refused. It is the ETag too.',
      'REVISION',
    ),
    permission: {
      ...permission,
      description:
        'The permission list that grants it, or several: who reads or saves a record, by an operation or from code, needs one of them. Without one, and where no list names it, whoever may use the operation may.',
    },
    events: { type: 'array', items: event, minItems: 1, description: 'Classes that run when a record is saved.' },
  },
);

export const relatedContent = keys<'related-content' | keyof RelatedContentDeclared>(
  {
    title: 'related-content',
    description: 'A related-content service of URL type application class: code that components register at events.',
    required: ['related-content', 'class'],
    examples: [{ 'related-content': 'N_LOCATION_AUDIT', class: 'location-audit', public: true }],
  },
  {
    'related-content': name('Its id, at most 30 characters.', 'N_LOCATION_AUDIT'),
    description,
    class: matching(
      'the name of a file without its ending',
      '^[A-Za-z0-9][A-Za-z0-9._-]*$',
      'The file of the class, in the folder of handlers.',
      'location-audit',
    ),
    permission,
    public: publicKey,
  },
);
