import { defineKind } from './kind.ts';

/** A table whose records are read and saved, with the classes that run at a save. */
export const component = defineKind({
  code: true,
  granted: 'components',
  members: {
    components: {
      word: 'component',
      optional: true,
      hint: ({ shape }) => shape.id,
      pages: {
        title: 'Components',
        path: 'components',
        about: ({ table }) => [`table ${table}`],
        fields: ({ shape }) => shape.fields,
      },
    },
  },
});

/** A class that components name as a service of theirs. */
export const relatedContent = defineKind({
  code: true,
  members: {
    relatedContent: {
      word: 'class',
      optional: true,
      pages: { title: 'Classes', path: 'classes', about: ({ file }) => [file] },
    },
  },
});
