import { defineKind } from './kind.ts';

/** A system that is called. */
export const node = defineKind({
  members: {
    nodes: {
      word: 'node',
      pages: { title: 'Nodes', path: 'nodes', about: ({ base }) => base.map(({ source }) => source) },
    },
  },
});

/** What overrides the sender and receiver of an operation; one is generated for each operation without. */
export const routing = defineKind({ members: { routings: { word: 'routing' } } });
