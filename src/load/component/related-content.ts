import type { RelatedContent } from '../../model/component.ts';
import type { PermissionList } from '../../model/security.ts';
import type { RelatedContentDeclared } from '../declared.ts';
import { given } from '../given.ts';
import { checkGrant } from '../grants.ts';
import type { WantedFile } from '../handlers.ts';
import { declarationsOf, type Linking, positionOf, resolveIds } from '../linking.ts';

/** Links every related-content service. */
export function linkRelatedContent(linking: Linking, lists: ReadonlyMap<string, PermissionList>): RelatedContent[] {
  return declarationsOf<RelatedContentDeclared>(linking, 'related-content').map((declaration) => {
    const { id, value, at, incomplete } = declaration;
    const permissions = resolveIds(linking, 'permission-list', lists, value, 'permission');
    checkGrant(linking, declaration, 'related-content');
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
