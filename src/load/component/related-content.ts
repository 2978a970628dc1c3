import type { RelatedContent } from '../../model/component.ts';
import { positionOf } from '../diagnostic/place.ts';
import { given } from '../given.ts';
import type { WantedFile } from '../handlers.ts';
import { byId, declarationsOf, type Linking } from '../linking.ts';
import type { RelatedContentDeclared } from '../schema/component.ts';
import { type GrantSources, linkThingGrants } from '../security/grants.ts';

/** Links every related-content service. */
export function linkRelatedContent(linking: Linking, grants: GrantSources): Map<string, RelatedContent> {
  const services = declarationsOf<RelatedContentDeclared>(linking, 'related-content').map((declaration) => {
    const { id, value, at, incomplete } = declaration;
    const service: RelatedContent = {
      id,
      ...given({ description: value.description }),
      file: value.class,
      ...linkThingGrants(linking, grants, declaration, 'related-content'),
      at: positionOf(at),
    };
    if (incomplete) linking.incomplete.add(service);
    return service;
  });
  return byId(services);
}

/** The files of the classes. */
export function classFiles({ incomplete }: Linking, all: Iterable<RelatedContent>): WantedFile[] {
  return [...all].map((each) => ({ id: each.id, file: each.file, unsure: incomplete.has(each), at: each.at }));
}
