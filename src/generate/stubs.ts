import type { Component, RelatedContent } from '../model/component.ts';
import { codeOfSubscription } from '../model/message.ts';
import type { Registry } from '../model/registry.ts';
import { GENERATED_FOLDER } from './files.ts';
import { comment, quoted, sentence } from './typescript.ts';
import { type Vocabulary, vocabulary } from './vocabulary.ts';
import { waysTo } from './words.ts';

/**
 * Stubs for missing files: handlers, code after saves, of processes and of subscriptions, and classes of related-content services.
 * When several of these share a file, the first one decides.
 * @param existing paths of existing files relative to the project's folder, with `/`; none of them gets a stub
 */
export function handlerStubs(registry: Registry, existing: ReadonlySet<string>): Map<string, string> {
  const words = vocabulary(registry);
  const stubs = new Map<string, string>();
  for (const { file, text } of [
    ...operationStubs(words),
    ...classStubs(registry.relatedContent.values(), words),
    ...afterSaveStubs(words),
    ...processStubs(words),
    ...subscriptionStubs(words),
  ]) {
    const path = `${registry.gateway.handlers}/${file}.ts`;
    const up = '../'.repeat(path.split('/').length - 1);
    if (!existing.has(path) && !stubs.has(path)) stubs.set(path, text(`${up}${GENERATED_FOLDER}`));
  }
  return new Map([...stubs].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The first version of a source file of the project: it compiles, and reports that its code is not written yet. */
interface Stub {
  /** Path below the handlers' folder, without extension. */
  readonly file: string;
  /** @param generated the folder of generated files, relative to the file */
  text(generated: string): string;
}

/** Handlers of active operations, which answer 501. Operations that share a file share its handler. */
function operationStubs({ operations, names }: Vocabulary): Stub[] {
  const active = operations.filter((each) => each.active);
  const byFile = Map.groupBy(active, ({ answer }) => (answer.kind === 'handler' ? answer.file : ''));
  return [...byFile].map(([file, sharing]) => {
    const lines = sharing.flatMap((operation) => [
      sentence(operation.description),
      ...waysTo(operation).map((way) => `${operation.id}: ${way}`),
    ]);
    const requests = sharing.map((operation) => names.request(operation)).join(' or ');
    const types = `The type of the request is ${requests}, in ${GENERATED_FOLDER}/types.ts.`;
    const ids = sharing.map(({ id }) => quoted(id)).join(', ');
    // With its type, the compiler reports an error of a reply at the member that is wrong.
    const [only] = sharing.length === 1 ? sharing.map((operation) => names.answer(operation)) : [];
    const imported = only === undefined ? 'defineHandler' : `defineHandler, type ${only}`;
    const head =
      only === undefined ? 'onRequest(_request, context)' : `async onRequest(_request, context): Promise<${only}>`;
    return {
      file,
      text: (generated) => `import { Fault } from 'signalbox';
import { ${imported} } from '${generated}/handlers.ts';

${comment('', [...lines, types])}export default defineHandler(${sharing.length === 1 ? ids : `[${ids}]`}, {
  ${head} {
    throw Fault.custom('NOT_WRITTEN', 501, \`\${context.operation.id} is declared, but its code is not written yet.\`);
  },
});
`,
    };
  });
}

/** Code after saves. It undoes none while it is not written. */
function afterSaveStubs({ components, names }: Vocabulary): Stub[] {
  return components.flatMap((component): Stub[] => {
    const { id, description, afterSave } = component;
    if (afterSave === undefined) return [];
    const types = `The type of the record is ${names.record(component)}, in ${GENERATED_FOLDER}/types.ts.`;
    return [
      {
        file: afterSave.file,
        text: (generated) => `import { defineAfterSave } from '${generated}/handlers.ts';

${comment('', [sentence(description), `Runs in the transaction of the saves of ${id}, after the record was written.`, types])}export default defineAfterSave(${quoted(id)}, {
  onSave(_save, context) {
    context.log('warn', \`after-save of \${context.component} is declared, but its code is not written yet.\`);
  },
});
`,
      },
    ];
  });
}

const LOGS =
  'context.progress and context.message appear with the request; context.log writes to the log of the gateway.';

/** Code of processes, whose requests end as unsuccessful. */
function processStubs({ processes, names }: Vocabulary): Stub[] {
  return processes.flatMap((process): Stub[] => {
    if (process.answer.kind !== 'handler') return [];
    const types = `The type of the parameters is ${names.parameters(process)}, in ${GENERATED_FOLDER}/types.ts.`;
    return [
      {
        file: process.answer.file,
        text: (generated) => `import { Fault } from 'signalbox';
import { defineProcess } from '${generated}/handlers.ts';

${comment('', [sentence(process.description), types, LOGS])}export default defineProcess(${quoted(process.id)}, {
  run(_parameters, context) {
    throw Fault.custom('NOT_WRITTEN', 400, \`\${context.process.id} is declared, but its code is not written yet.\`);
  },
});
`,
      },
    ];
  });
}

/** Code of subscriptions. A delivery fails and is attempted again, so that no message is lost while the code is written. */
function subscriptionStubs({ subscriptions, names }: Vocabulary): Stub[] {
  return subscriptions.flatMap(({ id, description, operation, target }): Stub[] => {
    const call = target.kind === 'call' && !('steps' in target.call) ? target.call : undefined;
    const types =
      call === undefined
        ? `The type of the message is ${names.request(operation)}, in ${GENERATED_FOLDER}/types.ts.`
        : `The type of the reply is ${names.reply(call)}, in ${GENERATED_FOLDER}/types.ts.`;
    const code = call === undefined ? 'onMessage(_message, context)' : 'onReply(_reply, context)';
    return codeOfSubscription({ target }).map((file) => ({
      file,
      text: (generated) => `import { defineSubscription } from '${generated}/handlers.ts';

${comment('', [sentence(description), `Messages of ${operation.id}.`, types])}export default defineSubscription(${quoted(id)}, {
  ${code} {
    throw new Error(\`\${context.subscription} is declared, but its code is not written yet.\`);
  },
});
`,
    }));
  });
}

/** Classes of related-content services. */
function classStubs(services: Iterable<RelatedContent>, { components, names }: Vocabulary): Stub[] {
  return [...services].map((service) => {
    const used = components.filter(({ events }) => events.some((each) => each.service === service));
    const types = used.map((component) => names.event(component));
    const type = types.join(' | ') || 'ComponentEvent';
    const lines = [sentence(service.description), ...used.flatMap((component) => eventsOf(component, service))];
    return {
      file: service.file,
      text: (generated) => `${importsOf(types, generated)}
${comment('', lines)}export default class extends ServiceInterface<${type}> {
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

function eventsOf({ id, events }: Component, service: RelatedContent): string[] {
  return events.flatMap((each) =>
    each.service === service ? `${each.event} of ${id}, sequence number ${each.sequence}` : [],
  );
}
