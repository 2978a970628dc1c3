import type { ComponentEventName } from '../../model/component.ts';
import { type RetryDeclared, retry } from '../value/retry.ts';
import {
  count,
  description,
  type JsonSchema,
  keys,
  matching,
  name,
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
  readonly columns?: Readonly<Record<string, string>>;
  readonly lock?: string;
  readonly infinity?: 'null' | null;
  readonly permission?: string | readonly string[];
  readonly events?: readonly ComponentEventDeclared[];
}

export interface ComponentEventDeclared {
  readonly event: ComponentEventName;
  readonly service: string;
  readonly sequence?: number;
  readonly processing?: 'Pre Process' | 'Post Process';
  readonly enabled?: boolean;
  readonly as?: string;
  readonly retry?: RetryDeclared;
}

export interface RelatedContentDeclared {
  readonly description?: string;
  readonly class: string;
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
}

export const event = keys(
  {
    title: 'a registration',
    required: ['event', 'service'],
    examples: [{ event: 'SavePostChange', service: 'N_LOCATION_AUDIT', sequence: 1, processing: 'Post Process' }],
  },
  {
    event: word(
      ['SavePreChange', 'SavePostChange'],
      'When the class runs: `SavePreChange` in the transaction of the save, which it may reject; `SavePostChange` after the commit.',
    ),
    service: refersTo('related-content-id', 'The related-content service whose class runs.', 'N_LOCATION_AUDIT'),
    sequence: count('Order among the classes of the same event.', 1),
    processing: word(
      ['Pre Process', 'Post Process'],
      '`Pre Process` goes with SavePreChange, `Post Process` with SavePostChange.',
    ),
    enabled: yesNo('Whether the class runs.', true),
    as: refersTo(
      'role-id',
      'A role that replaces the grants of the user who saves: the class runs for every save, and its calls and queries are permitted by the permission lists of this role.',
      'AUDITORS',
    ),
    retry,
  } satisfies Record<keyof ComponentEventDeclared, JsonSchema>,
);

export const component = keys<'component' | keyof ComponentDeclared>(
  {
    title: 'component',
    description:
      'A record that is saved as a whole in a table, described by a document, and the classes that run when it is saved.',
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
      "A table of the gateway's database. Its columns have the names of the fields, in lower case, or those in `columns`.",
      'location_tbl',
    ),
    shape: refersTo('document-id', 'The document that describes a record.', 'LOCATION'),
    keys: texts('Fields that identify a record.', 'REGION', 'LOCATION'),
    columns: {
      type: 'object',
      additionalProperties: matching(
        'the name of a column',
        '^[^\\u0000-\\u001f"]+$',
        'The column of this field.',
        'loc_cd',
      ),
      description:
        'Columns whose names differ from those of their fields, by field. Without it, a column has the name of its field, in lower case.',
      examples: [{ LOCATION: 'loc_cd' }],
    },
    lock: text(
      'An integer field that counts the saves of a record. A save based on an older count is rejected. It is also the ETag.',
      'REVISION',
    ),
    infinity: {
      title: 'null',
      type: ['string', 'null'],
      enum: ['null', null],
      description:
        'What becomes of values of its rows that the types of their fields have not: `infinity`, `NaN`, dates BC. `null` reads them as absent, where the field is optional; a PATCH that does not name the field leaves the value in its column, a PUT replaces it. Without it they are an error that names row and column. A field of the type `text` has the text that the database has for them.',
      examples: ['null'],
    },
    permission: {
      ...permission,
      description:
        'The permission list that grants it, or a list of them: to read or save a record, through an operation or from code, a caller needs one. Without any, everyone who may use the operation may use the component.',
    },
    events: { type: 'array', items: event, minItems: 1, description: 'Classes that run when a record is saved.' },
  },
);

export const relatedContent = keys<'related-content' | keyof RelatedContentDeclared>(
  {
    title: 'related-content',
    description:
      'A related-content service of URL type application class: code that components register for their events.',
    required: ['related-content', 'class'],
    examples: [{ 'related-content': 'N_LOCATION_AUDIT', class: 'location-audit', public: true }],
  },
  {
    'related-content': name('Its id, at most 30 characters.', 'N_LOCATION_AUDIT'),
    description,
    class: matching(
      'the name of a file without its ending',
      '^[A-Za-z0-9][A-Za-z0-9._-]*$',
      'The file of the class in the handlers folder.',
      'location-audit',
    ),
    permission,
    public: publicKey,
  },
);
