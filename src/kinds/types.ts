import { typeWords } from '../model/field.ts';
import { defineKind } from './kind.ts';

/** A named simple type. */
export const type = defineKind({
  // A process has a type, which is a word of its own; a document with one is a mistake that is explained there.
  alsoKeyOf: ['process', 'document'],
  members: {
    types: {
      word: 'type',
      optional: true,
      hint: ({ base }) => typeWords(base),
      pages: {
        title: 'Types',
        path: 'types',
        about: ({ base, enum: listed = [] }) => [typeWords(base), listed.join(', ')],
      },
    },
  },
});
