import { defineKind } from './kind.ts';

/** How callers prove who they are. */
export const scheme = defineKind({ members: { schemes: { word: 'scheme', optional: true } } });

export const permissionList = defineKind({
  members: {
    permissionLists: {
      word: 'permission list',
      pages: {
        title: 'Permission lists',
        path: 'permission-lists',
        about: ({ operations, queries, processes, components }) => [
          [...operations, ...queries, ...processes, ...components].join(', '),
        ],
      },
    },
  },
});

export const role = defineKind({
  members: {
    roles: {
      word: 'role',
      pages: {
        title: 'Roles',
        path: 'roles',
        about: ({ permissionLists }) => [permissionLists.map(({ id }) => id).join(', ')],
      },
    },
  },
});

/** A user of the definitions; those of the database are shown by the area of users. */
export const user = defineKind({ members: { users: { word: 'user' } } });
