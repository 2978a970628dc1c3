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
  SEARCH_PUT: { method: 'PUT', templates: ['search'], request: SEARCH, response: SEARCH, public: true },
  BILL_PUT: { method: 'PUT', templates: ['bills'], request: BILL, response: BILL, public: true },
  COUNT_GET: { templates: ['count'], response: bare('COUNT_GET_RESPONSE', 'integer'), public: true },
};
