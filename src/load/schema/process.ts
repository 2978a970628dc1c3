import type { FieldsDeclared } from './field.ts';
import { description, duration, keys, matching, name, reference, refersTo, text } from './json-schema.ts';
import { permission, publicKey } from './operation.ts';

export interface ProcessDeclared {
  readonly description?: string;
  readonly type: string;
  readonly parameters?: FieldsDeclared;
  readonly handler?: string;
  readonly query?: string;
  readonly retry?: number | { readonly attempts: number; readonly first?: string; readonly longest?: string };
  readonly timeout?: string;
  readonly recurs?: string;
  readonly 'run-as'?: string;
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
}

export interface RecurrenceDeclared {
  readonly description?: string;
  readonly cron: string;
  readonly zone?: string;
}

export const process = keys<'process' | keyof ProcessDeclared>(
  {
    title: 'process',
    description: 'A program that the process scheduler runs on request.',
    required: ['process', 'type'],
    examples: [
      {
        process: 'LOCATION_EXTRACT',
        type: 'Application Engine',
        permission: 'PROCESS_USER',
        parameters: { REGION: 'string(1)' },
        retry: 3,
      },
    ],
  },
  {
    process: name('Its name, at most 30 characters.', 'LOCATION_EXTRACT'),
    description,
    type: {
      type: 'string',
      minLength: 1,
      maxLength: 30,
      description: 'Its type, a word of your own choice.',
      examples: ['Application Engine', 'SQR Report'],
    },
    parameters: { ...reference('fields'), description: 'What a request gives, by name.' },
    handler: matching(
      'the name of a file without its ending',
      '^[A-Za-z0-9][A-Za-z0-9._-]*$',
      'The file of its code, in the folder of handlers. Without it, and without `query`, its name in small letters with hyphens.',
      'location-extract',
    ),
    query: refersTo(
      'query-id',
      'A stored query that is run to a file; its prompts are the parameters.',
      'EMPLOYEES_BY_DEPT',
    ),
    retry: {
      title: 'a number of attempts or a map',
      description: 'Attempts after one that failed: their number, or with their pauses, which double each time.',
      if: { type: 'object' },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: keys(
        { required: ['attempts'], examples: [{ attempts: 3, first: '10 s', longest: '10 min' }] },
        {
          attempts: { type: 'integer', minimum: 0, maximum: 100, examples: [3] },
          first: { ...duration, description: 'The first pause.', default: '10 s' },
          longest: { ...duration, description: 'The longest pause.', default: '10 min' },
        },
      ),
      else: { type: 'integer', minimum: 0, maximum: 100 },
      default: 0,
      examples: [3, { attempts: 3, first: '10 s', longest: '10 min' }],
    },
    timeout: { ...duration, description: 'Longest time of one attempt; without it there is none.' },
    recurs: refersTo('recurrence-id', 'When it is run without a request, in the name of `run-as`.', 'DAILY_0600'),
    'run-as': refersTo('user-id', 'The user in whose name it recurs.', 'demo'),
    permission,
    public: publicKey,
  },
);

export const recurrence = keys<'recurrence' | keyof RecurrenceDeclared>(
  {
    title: 'recurrence',
    description: 'When something is run again and again.',
    required: ['recurrence', 'cron'],
    examples: [{ recurrence: 'DAILY_0600', cron: '0 6 * * *', zone: 'Europe/Berlin' }],
  },
  {
    recurrence: name('Its id, at most 30 characters.', 'DAILY_0600'),
    description,
    cron: {
      type: 'string',
      minLength: 9,
      description: 'Minute, hour, day of the month, month, day of the week.',
      examples: ['0 6 * * *', '*/15 8-18 * * 1-5'],
    },
    zone: text("IANA time zone; the gateway's where it is left out.", 'Europe/Berlin'),
  },
);
