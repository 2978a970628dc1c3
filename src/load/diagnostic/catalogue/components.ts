import { error } from './entry.ts';

const places = (component: string, more = ''): string =>
  `document: PLACE\nfields: { ID: { type: string(10), required: true }, NAME: string(30), REVISION: integer }\n---\ncomponent: PLACES\ntable: place\nshape: PLACE\n${component}${more}`;

const events = (registrations: string): string =>
  `${places(`keys: [ID]\nevents: ${registrations}`)}\n---\nrelated-content: AUDIT\nclass: audit\npublic: true`;

const saved = (operation: string): string =>
  places('keys: [ID]', `\n---\nservice: Places.v1\npublic: true\noperations:\n  ${operation}`);

/** Mistakes in components and related-content services. */
export const componentEntries = {
  'bad-component': error<{ component: string; reason: string }>({
    message: ({ component, reason }) => `${component} can't be saved so: ${reason}.`,
    explanation:
      'A component is a table behind a document: each field is a column, so that fields are single values. Its keys are required fields, its lock is an integer field that the gateway alone counts up.',
    wrong: places('keys: [CODE]'),
    right: places('keys: [ID]'),
  }),
  'bad-registration': error<{ component: string; reason: string }>({
    message: ({ component, reason }) => `A class can't be registered at ${component} so: ${reason}.`,
    explanation:
      'A class runs before the save (SavePreChange, `Pre Process`) or after its commit (SavePostChange, `Post Process`). Those of one event run in the order of their sequence numbers, each of which stands once.',
    wrong: events('[{ event: SavePostChange, service: AUDIT, processing: Pre Process }]'),
    right: events('[{ event: SavePostChange, service: AUDIT, processing: Post Process }]'),
  }),
  'bad-save': error<{ reason: string }>({
    message: ({ reason }) => `${reason}.`,
    explanation:
      '`save:` goes with POST, PUT, PATCH and DELETE, or with SOAP alone, and `read:` with GET. A class that is not public runs for the users that its permission lists name: where everybody may save, it would never run. A component that is granted is not for everybody either.',
    wrong: saved('PLACE_GET: { get: "Places/{ID}", save: PLACES }'),
    right: saved('PLACE_GET: { get: "Places/{ID}", read: PLACES }'),
  }),
};
