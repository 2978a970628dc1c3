import type { Component, RelatedContent } from '../../model/component.ts';
import type { Registry } from '../../model/registry.ts';
import { comment, sentence } from '../comment.ts';
import { GENERATED_FOLDER } from '../header.ts';
import { type Vocabulary, vocabulary } from '../vocabulary.ts';

/**
 * A first version of each class of a related-content service that is missing: it compiles, and says in the log that its
 * code is not written yet.
 * @param existing paths under the project's folder, with `/`, of the files that are there; none of them is written
 */
export function classStubs(registry: Registry, existing: ReadonlySet<string>): Map<string, string> {
  const words = vocabulary(registry);
  const stubs = new Map<string, string>();
  for (const service of registry.relatedContent.values()) {
    const path = `${registry.gateway.handlers}/${service.file}.ts`;
    if (!existing.has(path) && !stubs.has(path)) stubs.set(path, stubText(path, service, words));
  }
  return new Map([...stubs].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function stubText(path: string, service: RelatedContent, { components, names }: Vocabulary): string {
  const used = components.filter(({ events }) => events.some((each) => each.service === service));
  const types = used.map((component) => names.event(component));
  const type = types.length === 0 ? 'ComponentEvent' : types.join(' | ');
  const imports =
    types.length === 0
      ? `import { type ComponentEvent, ServiceInterface } from 'signalbox';\n`
      : `import { ServiceInterface } from 'signalbox';\nimport type { ${types.join(', ')} } from '${'../'.repeat(path.split('/').length - 1)}${GENERATED_FOLDER}/handlers.ts';\n`;
  const said = [sentence(service.description), ...used.flatMap((component) => waysTo(component, service))];
  return `${imports}
${comment('', said)}export default class extends ServiceInterface<${type}> {
  override execute(event: ${type}): void {
    event.log('warn', '${service.id} is declared, but its code is not written yet.');
  }
}
`;
}

function waysTo({ id, events }: Component, service: RelatedContent): string[] {
  return events.flatMap((each) =>
    each.service === service ? `${each.event} of ${id}, sequence number ${each.sequence}` : [],
  );
}
