import { conditions, inputMap, type MapDeclared, type WhenDeclared } from '../../messaging/link/schema.ts';
import { type ComponentEventName, SAVE_EFFECTS, type SaveEffect } from '../../model/component.ts';
import { type RetryDeclared, retry } from '../value/retry.ts';
import {
  count,
  description,
  type JsonSchema,
  keys,
  mapOr,
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
  readonly columns?: Readonly<Record<string, string>>;
  readonly lock?: string;
  readonly infinity?: 'null' | null;
  readonly permission?: string | readonly string[];
  readonly events?: readonly ComponentEventDeclared[];
  readonly 'after-save'?: string | AfterSaveDeclared;
  readonly publish?: string | PublicationDeclared | readonly (string | PublicationDeclared)[];
}

/** The saves that something is for. */
export interface SaveFilterDeclared {
  readonly on?: SaveEffect | readonly SaveEffect[];
  readonly when?: WhenDeclared;
}

export interface AfterSaveDeclared extends SaveFilterDeclared {
  readonly handler: string;
  readonly as?: string;
}

export interface PublicationDeclared extends SaveFilterDeclared {
  readonly operation: string;
  readonly map?: MapDeclared;
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

/** What a text has to be, beside a list. */
const whenText = (schema: JsonSchema): Pick<JsonSchema, 'if' | 'then'> => ({
  if: { type: 'string' },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: schema,
});

/** Keys that name the saves that something is for. */
const saves = (what: string, verb: string) => ({
  on: {
    title: `${SAVE_EFFECTS.join(', ')}, or a list of them`,
    type: ['string', 'array'],
    items: { type: 'string', enum: SAVE_EFFECTS },
    minItems: 1,
    uniqueItems: true,
    description: `The saves ${what}: those that create a record, change it or delete it, whatever their method is. By default all of them.`,
    examples: ['updated', ['created', 'updated']],
    ...whenText({ type: 'string', enum: SAVE_EFFECTS }),
  } satisfies JsonSchema,
  when: conditions(
    `${verb} only saves of records with these values: fields of the record, each with a value or a list of values. \`before.FIELD\` is its value before the save, which a new record does not have. Of a deleted record, \`FIELD\` is the value that it had.`,
    { STATUS: 'CLOSED', 'before.STATUS': ['OPEN', 'WAITING'] },
  ),
});

const HANDLER = '^[A-Za-z0-9][A-Za-z0-9._-]*$';

const afterSave: JsonSchema = {
  title: 'the name of a handler file, or a map',
  type: ['string', 'object'],
  pattern: HANDLER,
  description:
    'Code that runs in the transaction of each save, after the record was written: the file in the handlers folder, with `onSave`. What it writes and publishes is committed with the record. An error undoes the save.',
  ...mapOr(
    keys<keyof AfterSaveDeclared>(
      {
        description: 'Code that runs in the transaction of saves, after the record was written.',
        required: ['handler'],
        examples: [{ handler: 'location-history', on: 'updated' }],
      },
      {
        handler: matching(
          'the name of a handler file without its ending',
          HANDLER,
          'The file of the code in the handlers folder, with `onSave`.',
          'location-history',
        ),
        ...saves('that it runs for', 'Runs after'),
        as: refersTo(
          'role-id',
          'A role that replaces the grants of the user who saves: what the code calls and queries is permitted by the permission lists of this role.',
          'AUDITORS',
        ),
      },
    ),
    { type: 'string' },
  ),
  examples: ['location-history', { handler: 'location-history', on: ['created', 'updated'] }],
};

const publication = keys<keyof PublicationDeclared>(
  {
    title: 'a publication',
    description: 'A message that saves publish.',
    required: ['operation'],
    examples: [{ operation: 'LOCATION_CHANGED', on: 'updated', when: { EFF_STATUS: 'I' }, map: { Id: '{LOCATION}' } }],
  },
  {
    operation: refersTo(
      'operation-id',
      'An operation with `queue:`, whose request is the message; or a queue that one operation publishes to.',
      'LOCATION_CHANGED',
    ),
    ...saves('that are published', 'Publishes'),
    map: inputMap(
      'What fills fields of the message that have no field of their name in the record: `"{FIELD}"` for a field, which keeps its type; `"{before.FIELD}"` for its value before the save; `"{save.action}"` for `created`, `updated` or `deleted`; a text with several; or a fixed value.',
      { Id: '{LOCATION}', Was: '{before.EFF_STATUS}', Action: '{save.action}' },
    ),
  },
);

const publish: JsonSchema = {
  title: 'an operation, a publication, or a list of them',
  type: ['string', 'object', 'array'],
  minLength: 1,
  minItems: 1,
  items: {
    title: 'an operation or a publication',
    type: ['string', 'object'],
    minLength: 1,
    ...mapOr(publication, reference('operation-id')),
  },
  description:
    'What each save publishes, without code: an operation with `queue:`, or a queue that one operation publishes to. Fields of the message are filled by fields of the record with the same name, or as `map` says. The message is entered in the transaction of the save: it is delivered once that is committed, and never if it is rolled back. Callers need no grant of the operation.',
  ...mapOr(publication, whenText(reference('operation-id'))),
  examples: ['LOCATION_CHANGED', [{ operation: 'LOCATION_CLOSED', on: 'updated', when: { EFF_STATUS: 'I' } }]],
};

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
    events: {
      type: 'array',
      items: event,
      minItems: 1,
      description:
        'Classes that run when a record is saved: before it is written, or after the commit. In the transaction, after the record was written, `after-save` and `publish` need no class.',
    },
    'after-save': afterSave,
    publish,
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
