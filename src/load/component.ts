import { linkAfterSave } from '../messaging/link/publication.ts';
import { type Component, type ComponentEventRegistration, columnOf, type RelatedContent } from '../model/component.ts';
import { isOneOfSeveral } from '../model/derivation.ts';
import type { Document } from '../model/document.ts';
import type { Field } from '../model/field.ts';
import { CLASS_RETRY } from '../model/retry.ts';
import { primitiveOf, SCALAR_KINDS, SCALARS, traitsOf } from '../model/scalar.ts';
import type { Role } from '../model/security.ts';
import { type Place, placeOf, positionOf } from './diagnostic/diagnostic.ts';
import type { Documents } from './document/documents.ts';
import { typeWords } from './document/field-type.ts';
import type { WantedFile } from './handlers.ts';
import { byId, declarationsOf, type Linking, linkEach, resolveKey } from './linking.ts';
import { eachOnce, given, type Mutable } from './object.ts';
import type { Declaration } from './read/declaration.ts';
import {
  type ComponentDeclared,
  type ComponentEventDeclared,
  type RelatedContentDeclared,
  event as registration,
} from './schema/component.ts';
import { defaultsOf } from './schema/json-schema.ts';
import { type GrantSources, grantsOf, linkThingGrants } from './security/grants.ts';
import { linkRetry } from './value/retry.ts';

/** Links every component. One whose shape or keys are not known has been reported; it is left out. */
export function linkComponents(
  documents: Documents,
  services: ReadonlyMap<string, RelatedContent>,
  roles: ReadonlyMap<string, Role>,
  sources: GrantSources,
): Map<string, Mutable<Component>> {
  const { linking } = documents;
  return linkEach<ComponentDeclared, Component>(linking, 'component', (declaration) => {
    const { id, value, at } = declaration;
    const events = linkRegistrations(linking, id, value.events ?? [], { services, roles });
    const grants = grantsOf(linking, sources, id, value);
    const shape = linkShape(documents, declaration);
    const keys = linkKeys(documents, declaration, shape);
    const lock = value.lock === undefined ? undefined : linkLock(documents, declaration, shape);
    const columns = linkColumns(documents, declaration, shape);
    if (keys.length < value.keys.length) {
      linking.declared.reject('component', id);
      return undefined;
    }
    const saved = { id, shape, keys, ...given({ lock }), at: positionOf(at) };
    return {
      table: value.table,
      shape,
      keys,
      ...given({ lock, columns, infinity: value.infinity === undefined ? undefined : ('null' as const) }),
      events,
      ...given({ afterSave: linkAfterSave(linking, saved, value, roles) }),
      // Linked after the operations, which refer to components.
      publications: [],
      ...grants,
      // No list names it: a grant of the operation that reads or saves it is enough.
      public: grants.permissions.length === 0 && value.permission === undefined,
    };
  });
}

/** Reports why a component can't be saved. */
type Refuse = (reason: string, at: Place) => void;

function refusing({ linking }: Documents, { id }: Declaration<ComponentDeclared>): Refuse {
  return (reason, at) => linking.report.raise('bad-component', { component: id, reason }, at);
}

function linkShape(documents: Documents, declaration: Declaration<ComponentDeclared>): Document {
  const { value } = declaration;
  const at = documents.linking.places.value(value, 'shape');
  const shape = documents.resolve(value.shape, at);
  const refuse = refusing(documents, declaration);
  if (shape.open) refuse(`${shape.id} accepts undeclared fields, for which there is no column`, at);
  if (!isOneOfSeveral(shape)) checkTypes(shape, refuse);
  else refuse(`${shape.id} is one of several documents, which no table can hold`, at);
  return shape;
}

/** A column holds a single value. */
function checkTypes({ id, fields }: Document, refuse: Refuse): void {
  for (const { name, type, at } of fields) {
    const primitive = primitiveOf(type);
    if (primitive === undefined || primitive === 'binary')
      refuse(`the field ${name} of ${id} is ${typeWords(type)}, which no column can hold`, placeOf(at));
  }
}

/** Names of columns are not case-sensitive. */
function linkColumns(
  documents: Documents,
  declaration: Declaration<ComponentDeclared>,
  shape: Document,
): ReadonlyMap<string, string> | undefined {
  const { linking } = documents;
  const { columns: declared } = declaration.value;
  const refuse = refusing(documents, declaration);
  const names = Object.entries(declared ?? {});
  for (const [name] of names)
    findField(documents, shape, name, (reason) => refuse(reason, linking.places.key(declared ?? {}, name)));
  const columns = new Map(names);
  eachOnce(
    shape.fields,
    (field) => columnOf({ columns }, field).toLowerCase(),
    (field, { name: other }) => {
      const mapped = [field.name, other].find((name) => columns.has(name));
      const at = mapped === undefined ? placeOf(field.at) : linking.places.value(declared ?? {}, mapped);
      refuse(
        `the fields ${other} and ${field.name} of ${shape.id} have the same column, ${columnOf({ columns }, field)}`,
        at,
      );
    },
  );
  return declared === undefined ? undefined : columns;
}

/** The types of keys, in words. */
const KEYS = SCALAR_KINDS.filter((kind) => SCALARS[kind].takes.key)
  .join(', ')
  .replace(/, (\w+)$/, ' or $1');

function linkKeys(documents: Documents, declaration: Declaration<ComponentDeclared>, shape: Document): Field[] {
  const { linking } = documents;
  const { value } = declaration;
  const refuse = refusing(documents, declaration);
  return value.keys.flatMap((name, index) => {
    const at = linking.places.value(value.keys, index);
    const field = findField(documents, shape, name, (reason) => refuse(reason, at));
    if (field === undefined) return [];
    if (traitsOf(field.type)?.takes.key !== true)
      refuse(`the key ${name} is ${typeWords(field.type)}; a key must be ${KEYS}`, at);
    else if (field.nullable) refuse(`the key ${name} is nullable, and a record without its keys can't be found`, at);
    else if (!field.required) refuse(`the key ${name} is not a required field of ${shape.id}`, at);
    return field;
  });
}

function linkLock(
  documents: Documents,
  declaration: Declaration<ComponentDeclared>,
  shape: Document,
): Field | undefined {
  const { value } = declaration;
  const at = documents.linking.places.value(value, 'lock');
  const refuse = refusing(documents, declaration);
  const name = value.lock as string;
  const field = findField(documents, shape, name, (reason) => refuse(reason, at));
  if (field === undefined) return undefined;
  const { type, required, nullable, default: standard, fixed, enum: listed } = field;
  if (primitiveOf(type) !== 'integer')
    refuse(`the lock ${name} is ${typeWords(type)}; it counts saves, so it must be integer`, at);
  else if (value.keys.includes(name)) refuse(`the lock ${name} is also a key, but it changes with every save`, at);
  else if (required || nullable || standard !== undefined || fixed !== undefined || listed !== undefined)
    refuse(
      `the lock ${name} counts saves by itself, so it can't be required or nullable, or have a default, fixed or enum`,
      at,
    );
  return field;
}

/** The field that a component names. One that does not exist is reported. */
function findField(
  { linking }: Documents,
  shape: Document,
  name: string,
  refuse: (reason: string) => void,
): Field | undefined {
  const field = shape.fields.find((each) => each.name === name);
  if (field === undefined && !linking.doubt.about(shape) && !linking.doubt.about(shape, 'fields')) {
    const known = shape.fields.map((each) => each.name).join(', ');
    refuse(`${name} is not a field of ${shape.id}, which has ${known}`);
  }
  return field;
}

/** The processing type of each event. */
const PROCESSING = { SavePreChange: 'Pre Process', SavePostChange: 'Post Process' } as const;

/** The definitions that registrations refer to. */
interface EventSources {
  readonly services: ReadonlyMap<string, RelatedContent>;
  readonly roles: ReadonlyMap<string, Role>;
}

/** A class that its role may not use would never run. */
function checkRole(
  { report, places, doubt }: Linking,
  declared: ComponentEventDeclared,
  role: Role,
  service: RelatedContent,
): void {
  const isGranted = service.public || service.permissions.some((list) => role.permissionLists.includes(list));
  if (isGranted || doubt.about(service)) return;
  const reason = { operation: service.id, role: role.id, thing: `related-content ${service.id}` };
  report.raise('role-not-granted', reason, places.value(declared, 'as'));
}

const REGISTRATION = defaultsOf(registration);

/** Links the classes that are registered for a component: those before the save first, each group by sequence number. */
function linkRegistrations(
  linking: Linking,
  component: string,
  declared: readonly ComponentEventDeclared[],
  { services, roles }: EventSources,
): ComponentEventRegistration[] {
  const { report, places } = linking;
  const refuse = (reason: string, at: Place): void => report.raise('bad-registration', { component, reason }, at);
  eachOnce(
    declared,
    ({ event, sequence = REGISTRATION.sequence }) => `${event} ${sequence}`,
    (each, { event, sequence = REGISTRATION.sequence, service }) => {
      const at =
        each.sequence === undefined ? places.value(declared, declared.indexOf(each)) : places.value(each, 'sequence');
      refuse(`${service} already has the sequence number ${sequence} at ${event}`, at);
    },
  );
  const found = declared.flatMap((each, index) => {
    const { event, sequence, enabled, processing } = { ...REGISTRATION, processing: PROCESSING[each.event], ...each };
    if (processing !== PROCESSING[event]) {
      refuse(`${event} is ${PROCESSING[event]}, not ${processing}`, places.value(each, 'processing'));
    }
    const service = resolveKey(linking, 'related-content', services, each, 'service');
    const as = resolveKey(linking, 'role', roles, each, 'as');
    if (as !== undefined && service !== undefined) checkRole(linking, each, as, service);
    if (each.retry !== undefined && event === 'SavePreChange')
      refuse(
        '`retry` only applies to SavePostChange: a class before the save fails the save',
        places.key(each, 'retry'),
      );
    const retry = linkRetry(linking, each, CLASS_RETRY);
    const at = positionOf(places.value(declared, index));
    const facts = { enabled, event, sequence, processing: PROCESSING[event], ...given({ as, retry }), at };
    return service === undefined ? [] : { ...facts, service };
  });
  const isAfter = ({ event }: ComponentEventRegistration): number => Number(event === 'SavePostChange');
  return found.sort((a, b) => isAfter(a) - isAfter(b) || a.sequence - b.sequence);
}

/** Links every related-content service. */
export function linkRelatedContent(linking: Linking, grants: GrantSources): Map<string, RelatedContent> {
  const services = declarationsOf<RelatedContentDeclared>(linking, 'related-content').map((declaration) => {
    const { id, value, at } = declaration;
    const service: RelatedContent = {
      id,
      ...given({ description: value.description }),
      file: value.class,
      ...linkThingGrants(linking, grants, declaration, 'related-content'),
      at: positionOf(at),
    };
    if (linking.doubt.about(value)) linking.doubt.mark(service);
    return service;
  });
  return byId(services);
}

/** The handler files of the classes. */
export function classFiles({ doubt }: Linking, all: Iterable<RelatedContent>): WantedFile[] {
  return [...all].map((each) => ({ id: each.id, file: each.file, unsure: doubt.about(each), at: each.at }));
}
