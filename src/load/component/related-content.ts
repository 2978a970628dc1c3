import type { RelatedContent } from '../../model/component.ts';
import type { PermissionList } from '../../model/security.ts';
import type { RelatedContentDeclared } from '../declared.ts';
import { given } from '../given.ts';
import type { WantedFile } from '../handlers.ts';
import { declarationsOf, type Linking, mayHaveMeant, positionOf, resolveIds } from '../linking.ts';

/** Links every related-content service. */
export function linkRelatedContent(linking: Linking, lists: ReadonlyMap<string, PermissionList>): RelatedContent[] {
  const { report, places } = linking;
  return declarationsOf<RelatedContentDeclared>(linking, 'related-content').map(({ id, value, at, incomplete }) => {
    const permissions = resolveIds(linking, 'permission-list', lists, value, 'permission');
    if (value.public === true && value.permission !== undefined) {
      const clash = { first: 'permission', second: 'public', reason: 'what is public needs no grant' };
      report.raise('conflicting-options', clash, places.key(value, 'public'));
    } else if (value.public !== true && value.permission === undefined) {
      if (!mayHaveMeant(linking, value, ['permission', 'public']))
        report.raise('not-granted', { what: id, kind: 'related-content' }, at);
    }
    const service: RelatedContent = {
      id,
      ...given({ description: value.description }),
      file: value.class,
      permissions,
      public: value.public ?? false,
      at: positionOf(at),
    };
    if (incomplete) linking.incomplete.add(service);
    return service;
  });
}

/** The files of the classes. */
export function classFiles({ incomplete }: Linking, all: Iterable<RelatedContent>): WantedFile[] {
  return [...all].map((each) => ({ id: each.id, file: each.file, unsure: incomplete.has(each), at: each.at }));
}
