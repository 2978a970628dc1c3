import { type Place, placeOf, positionOf } from '../../load/diagnostic/diagnostic.ts';
import type { Calls } from '../../load/flow/calls.ts';
import type { WantedFile } from '../../load/handlers.ts';
import { declarationsOf, isRejectedOperation, type Linking, resolveKey, resolveOperation } from '../../load/linking.ts';
import { given, type Mutable } from '../../load/object.ts';
import type {
  AfterSaveDeclared,
  ComponentDeclared,
  PublicationDeclared,
  SaveFilterDeclared,
} from '../../load/schema/component.ts';
import { type AfterSave, type Component, type Publication, SAVE_EFFECTS, savedFields } from '../../model/component.ts';
import type { InputSource, MessageQueue } from '../../model/message.ts';
import type { Role } from '../../model/security.ts';
import type { Operation } from '../../model/service.ts';
import { linkConditions, linkInputMap, type MapFrom } from './input-map.ts';
import { fieldsOf } from './link.ts';

// `after-save:` and `publish:` of a component: what its saves do in their transaction.

/** A component whose publications are linked after the operations, which refer to components. */
type Saved = Pick<Component, 'id' | 'shape' | 'keys' | 'lock' | 'at'>;

/** Links `on` and `when`. @returns them, and the fields that a map may refer to */
function linkFilter(linking: Linking, component: Saved, declared: SaveFilterDeclared) {
  const { on: said = SAVE_EFFECTS, when = {} } = declared;
  const on = SAVE_EFFECTS.filter((effect) => (typeof said === 'string' ? said === effect : said.includes(effect)));
  const { id, shape } = component;
  const fields = savedFields(component, on);
  const complete = !linking.doubt.about(shape) && !linking.doubt.about(shape, 'fields');
  const of = on.some((effect) => effect !== 'created') ? `a save of ${id}` : `a save of ${id} that creates its record`;
  const from: MapFrom = { byName: fields, complete, of, id };
  const { refuse } = reporting(linking, component);
  const conditions = linkConditions(linking, when, from, {
    refuse,
    unknownCondition: (name, known, at) => linking.report.raise('unknown-saved-field', { name, of, known }, at),
  });
  return { filter: { on, when: conditions }, from };
}

function reporting({ report }: Linking, { id }: Pick<Component, 'id'>) {
  return {
    refuse: (reason: string, at: Place): void => report.raise('bad-publication', { component: id, reason }, at),
  };
}

/** `after-save:`; `undefined` without it. */
export function linkAfterSave(
  linking: Linking,
  component: Saved,
  declared: ComponentDeclared,
  roles: ReadonlyMap<string, Role>,
): AfterSave | undefined {
  const said = declared['after-save'];
  if (said === undefined) return undefined;
  const at = positionOf(linking.places.value(declared, 'after-save'));
  const long: AfterSaveDeclared = typeof said === 'string' ? { handler: said } : said;
  const as = resolveKey(linking, 'role', roles, long, 'as');
  const { filter } = linkFilter(linking, component, long);
  return { ...filter, file: long.handler, ...given({ as }), at };
}

/** The files of code that run after saves. */
export function afterSaveFiles(linking: Linking): WantedFile[] {
  return declarationsOf<ComponentDeclared>(linking, 'component').flatMap(({ id, value, at }): WantedFile[] => {
    const said = value['after-save'];
    const unsure = linking.doubt.about(value, 'after-save');
    if (said === undefined) return unsure ? [{ id, file: '', unsure, at: positionOf(at) }] : [];
    const [file, place] =
      typeof said === 'string'
        ? [said, linking.places.value(value, 'after-save')]
        : [said.handler, linking.places.value(said, 'handler')];
    return [{ id, file, unsure, at: positionOf(place) }];
  });
}

/** The definitions that publications refer to. */
interface PublicationSources {
  readonly components: ReadonlyMap<string, Mutable<Component>>;
  readonly operations: ReadonlyMap<string, Operation>;
  readonly messageQueues: ReadonlyMap<string, MessageQueue>;
  readonly calls: Calls;
}

/** Links `publish:` of every component. A publication that can't be linked has been reported, and is left out. */
export function linkPublications(linking: Linking, sources: PublicationSources): void {
  for (const { id, value } of declarationsOf<ComponentDeclared>(linking, 'component')) {
    const component = sources.components.get(id);
    const { publish } = value;
    if (component === undefined || publish === undefined) continue;
    const [container, all] = Array.isArray(publish)
      ? [publish, publish as readonly (string | PublicationDeclared)[]]
      : [undefined, [publish as string | PublicationDeclared]];
    component.publications = all.flatMap((each, index): Publication[] => {
      const at =
        container === undefined ? linking.places.value(value, 'publish') : linking.places.value(container, index);
      const linked = linkPublication(linking, sources, component, each, at);
      return linked === undefined ? [] : [linked];
    });
  }
}

function linkPublication(
  linking: Linking,
  sources: PublicationSources,
  component: Component,
  said: string | PublicationDeclared,
  at: Place,
): Publication | undefined {
  const { report, places } = linking;
  const { id } = component;
  const long: PublicationDeclared = typeof said === 'string' ? { operation: said } : said;
  const named = typeof said === 'string' ? at : places.value(said, 'operation');
  const { filter, from } = linkFilter(linking, component, long);
  const { refuse } = reporting(linking, component);
  const operation = linkPublished(linking, sources, long.operation, named, (reason) => refuse(reason, named));
  if (operation === undefined) return undefined;
  const message = fieldsOf(linking, operation);
  const to = {
    id: operation.id,
    fields: [...message.byName.values()],
    complete: message.complete && !linking.doubt.about(long),
    noun: 'field',
  } as const;
  const input = linkInputMap(
    linking,
    long.map ?? {},
    { from, to, at: named, verb: 'publishes' },
    {
      refuse,
      unknown: (name, known, where) =>
        report.raise('unknown-message-field', { name, operation: operation.id, known }, where),
      mayNotFit: (field, reason, where) =>
        report.raise('publication-may-not-fit', { component: id, field, reason }, where),
    },
  );
  for (const { field, from: source } of input) {
    const secret = secretIn(source);
    if (secret === undefined || field.sensitive) continue;
    const where = long.map?.[field.name] === undefined ? named : places.value(long.map, field.name);
    refuse(
      `fills the field ${field.name} of ${operation.id}, which is not \`sensitive\`, with ${secret} of ${id}, which is`,
      where,
    );
  }
  return { ...filter, operation, input, at: positionOf(at) };
}

/** The name of a sensitive value in what fills a field. */
function secretIn(source: InputSource): string | undefined {
  if (source.kind === 'field') return source.field.sensitive ? source.field.name : undefined;
  const parts = source.kind === 'built' ? source.text.parts : [];
  for (const part of parts) if (part.kind === 'value' && part.field.sensitive) return part.field.name;
  return undefined;
}

/** The operation by which a save publishes: that of the name, or the only one that publishes to the queue of the name. */
function linkPublished(
  linking: Linking,
  { operations, messageQueues, calls: { names } }: PublicationSources,
  name: string,
  at: Place,
  refuse: (reason: string) => void,
): Operation | undefined {
  const { report, declared, doubt } = linking;
  const publishing = [...operations.values()].filter(({ answer }) => answer.kind === 'queue');
  const queue = messageQueues.get(name);
  if (names.has(name) || isRejectedOperation(linking, name)) {
    const found = resolveOperation(linking, names, name, at);
    if (found === undefined) return undefined;
    const operation = operations.get(found.id);
    if (operation === undefined) refuse(`publishes ${found.id}, which is a call to another system`);
    else if (operation.answer.kind === 'queue') return operation;
    else if (!doubt.about(operation.answer))
      refuse(`publishes ${operation.id}, which has no \`queue\`, so it publishes nothing`);
    return undefined;
  }
  if (queue === undefined) {
    const isLost = declared.rejected('queue').has(name) || declared.rejected('service').size > 0;
    const known = [...publishing.map((each) => each.id), ...messageQueues.keys()];
    if (!isLost) report.raise('unknown-reference', { what: 'operation or queue', id: name, known }, at);
    return undefined;
  }
  const [only, ...others] = publishing.filter(({ answer }) => answer.kind === 'queue' && answer.queue === queue);
  if (only !== undefined && others.length === 0) return only;
  const all = [only, ...others].flatMap((each) => each?.id ?? []);
  if (only === undefined && declared.rejected('operation').size > 0) return undefined;
  refuse(
    only === undefined
      ? `publishes to the queue ${name}, but no operation does, so that its messages have no form; add one with \`queue: ${name}\``
      : `publishes to the queue ${name}, to which ${all.join(' and ')} publish; name one of them`,
  );
  return undefined;
}

/** Reports publications by operations that are switched off. */
export function checkPublications(linking: Linking, components: Iterable<Component>): void {
  for (const component of components)
    for (const { operation, at } of component.publications)
      if (!operation.active || !operation.service.active)
        reporting(linking, component).refuse(`publishes ${operation.id}, which is not active`, placeOf(at));
}
