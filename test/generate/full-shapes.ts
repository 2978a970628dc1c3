import type { Document } from '../../src/model/document.ts';
import type { FieldType } from '../../src/model/field.ts';
import { compound, decimal, document, field, listOf, type OperationOptions } from '../support/registry.ts';

/** Messages and fields of the shapes that JSON has: lists and single values as messages, null as a value, maps, choices. */

export const PET = document('PET', [field('NAME', 'string', { required: true }), field('LEGS', 'integer')]);

const NOTE = document('NOTE', [
  field('TEXT', 'text', { required: true, nullable: true }),
  field('PET', compound(PET), { nullable: true }),
  field('LEVEL', 'integer', { enum: [1, 2], nullable: true }),
]);

const PRICES = document('PRICES', [
  field('AMOUNTS', { kind: 'map', item: decimal(10, 2) }, { required: true, maximum: 10 }),
  field('PETS', { kind: 'map', item: { kind: 'document', document: PET } }),
]);

const CARD = document('CARD', [field('NUMBER', 'string', { required: true })]);
const TRANSFER = document('TRANSFER', [
  field('IBAN', 'string', { required: true }),
  field('DUE', 'date', { default: '2026-01-01' }),
]);

const PAYMENT = document('PAYMENT', [field('card', compound(CARD)), field('bank-transfer', compound(TRANSFER))], {
  choice: { tag: 'kind' },
});

const SEARCH = document(
  'SEARCH',
  [
    field('id', 'integer', { nullable: true }),
    field('names', listOf('string', true), { minimum: 1 }),
    field('payment', compound(PAYMENT)),
  ],
  { choice: { named: true } },
);

const derived: Document[] = [];
const ofPerson: Document[] = [];
const PARTY: Document = document('PARTY', [field('ID', 'integer', { required: true }), field('NOTE')], {
  kinds: { by: field('kind', 'string', { enum: ['PARTY', 'PERSON', 'EMPLOYEE'] }), derived },
});
const PERSON: Document = document(
  'PERSON',
  [...PARTY.fields, field('BORN', 'date', { required: true }), field('PARENTS', listOf(PARTY))],
  {
    derivation: { base: PARTY, by: 'extension' },
    kinds: { by: field('kind', 'string', { enum: ['PERSON', 'EMPLOYEE'] }), derived: ofPerson },
  },
);
const EMPLOYEE = document('EMPLOYEE', [...PERSON.fields, field('PAY', compound(PAYMENT))], {
  derivation: { base: PERSON, by: 'extension' },
});
derived.push(PERSON, EMPLOYEE);
ofPerson.push(EMPLOYEE);

const parts: Document[] = [];
const PART: Document = document('PART', [field('SIZE', 'integer')], {
  abstract: true,
  kinds: { by: field('type', 'string', { enum: ['SCREW'] }), derived: parts },
});
parts.push(
  document('SCREW', [field('SIZE', 'integer', { required: true })], { derivation: { base: PART, by: 'restriction' } }),
);

const BILL = document('BILL', [field('PAID', listOf(PAYMENT), { required: true }), field('REST', compound(PAYMENT))]);

const bare = (id: string, type: FieldType | string): Document =>
  document(id, [field('content', type, { required: true })], { inPlace: true, bare: true });

export const SHAPES: Readonly<Record<string, OperationOptions>> = {
  PETS_PUT: {
    method: 'PUT',
    templates: ['pets'],
    request: bare('PETS_PUT_REQUEST', listOf(PET, true)),
    response: bare('PETS_PUT_RESPONSE', listOf(PET, true)),
    public: true,
  },
  NOTE_PUT: { method: 'PUT', templates: ['notes'], request: NOTE, response: NOTE, public: true },
  PRICES_PUT: { method: 'PUT', templates: ['prices'], request: PRICES, response: PRICES, public: true },
  PAYMENT_PUT: { method: 'PUT', templates: ['payments'], request: PAYMENT, response: PAYMENT, public: true },
  PARTY_PUT: { method: 'PUT', templates: ['parties'], request: PARTY, response: PARTY, public: true },
  PARTS_PUT: {
    method: 'PUT',
    templates: ['parts'],
    request: bare('PARTS_PUT_REQUEST', listOf(PART, true)),
    response: bare('PARTS_PUT_RESPONSE', listOf(PART, true)),
    public: true,
  },
  SEARCH_PUT: { method: 'PUT', templates: ['search'], request: SEARCH, response: SEARCH, public: true },
  BILL_PUT: { method: 'PUT', templates: ['bills'], request: BILL, response: BILL, public: true },
  COUNT_GET: { templates: ['count'], response: bare('COUNT_GET_RESPONSE', 'integer'), public: true },
};
