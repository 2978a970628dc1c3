import type { Component, RelatedContent } from '../../model/component.ts';
import { comment, sentence } from '../comment.ts';
import type { Vocabulary } from '../vocabulary.ts';
import type { Stub } from './stub.ts';

/** Of classes of related-content services. */
export function classStubs(services: Iterable<RelatedContent>, { components, names }: Vocabulary): Stub[] {
  return [...services].map((service) => {
    const used = components.filter(({ events }) => events.some((each) => each.service === service));
    const types = used.map((component) => names.event(component));
    const type = types.join(' | ') || 'ComponentEvent';
    const said = [sentence(service.description), ...used.flatMap((component) => waysTo(component, service))];
    return {
      file: service.file,
      text: (generated) => `${importsOf(types, generated)}
${comment('', said)}export default class extends ServiceInterface<${type}> {
  override execute(event: ${type}): void {
    event.log('warn', '${service.id} is declared, but its code is not written yet.');
  }
}
`,
    };
  });
}

function importsOf(types: readonly string[], generated: string): string {
  if (types.length === 0) return `import { type ComponentEvent, ServiceInterface } from 'signalbox';\n`;
  return `import { ServiceInterface } from 'signalbox';\nimport type { ${types.join(', ')} } from '${generated}/handlers.ts';\n`;
}

function waysTo({ id, events }: Component, service: RelatedContent): string[] {
  return events.flatMap((each) =>
    each.service === service ? `${each.event} of ${id}, sequence number ${each.sequence}` : [],
  );
}
