import type { Document } from '../../src/model/document.ts';
import type { FieldType } from '../../src/model/field.ts';
import { compound, decimal, document, field, listOf, type OperationOptions } from '../support/registry.ts';

/** Messages and fields of the shapes that JSON has: lists and single values as messages, null as a value, maps. */

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
  COUNT_GET: { templates: ['count'], response: bare('COUNT_GET_RESPONSE', 'integer'), public: true },
};
