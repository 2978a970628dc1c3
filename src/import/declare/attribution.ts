// Content in which the order of elements does not tell which field each belongs to. Schemas must not have it (Unique Particle
// Attribution, Element Declarations Consistent: XML Schema 1.0 Part 1, section 3.8.6), and many have it all the same, since
// hardly a tool checks that. `check` refuses it in definitions, so that what causes it is changed here, and reported.
import {
  type Content,
  clashesIn,
  contentModel,
  needsOrder,
  type Particle,
  type Position,
  unlikeIn,
} from '../../model/attribution.ts';
import type { DraftDocument, DraftField, FieldOptions } from '../draft.ts';
import type { Losses } from '../place.ts';

/** A field with elements, and the document that declares it. */
interface DraftParticle extends Particle<DraftParticle> {
  readonly field: DraftField;
  readonly owner: DraftDocument;
}

type Found = Position<DraftParticle>;

/** Changes the fields of documents until each element has one field. */
export function settleAttribution(documents: readonly DraftDocument[], losses: Losses): void {
  const restricting = documents.filter(({ restricts }) => restricts !== undefined);
  for (const document of documents) {
    if (!needsOrder(particlesOf(document))) continue;
    // Each change takes a field, or namespaces of one.
    while (settleOne(document, { losses, restricting }));
  }
}

interface Settling {
  readonly losses: Losses;
  /** The documents that restrict others. */
  readonly restricting: readonly DraftDocument[];
}

function settleOne(document: DraftDocument, settling: Settling): boolean {
  const model = contentModel(contentOf(document));
  const [clash] = clashesIn(model);
  if (clash !== undefined) {
    const [one, other] = clash;
    if (one.particle.any !== undefined) narrow(one, other, settling);
    else drop(other, one, `a second element "${other.particle.name}", whose place is not clear`, settling);
    return true;
  }
  const [unlike] = unlikeIn(model);
  if (unlike !== undefined) loosen(unlike, settling.losses);
  return unlike !== undefined;
}

/** A document with the fields that it extends. */
function contentOf(document: DraftDocument): Content<DraftParticle> {
  return { of: document, isChoice: document.choice === true, particles: () => particlesOf(document) };
}

function particlesOf(document: DraftDocument): readonly DraftParticle[] {
  const chain = [document];
  for (let base = document.extends; base !== undefined && !chain.includes(base); base = base.extends) chain.push(base);
  return chain.reverse().flatMap((owner) => owner.fields.filter(isInContent).map((field) => particleOf(field, owner)));
}

/** Whether a field is among the elements of its document: no attribute, header block or attachment. */
function isInContent({ options: { attribute, content, header, attachment } }: DraftField): boolean {
  return !attribute && !content && !header && (attachment === undefined || attachment === 'reference');
}

function particleOf(field: DraftField, owner: DraftDocument): DraftParticle {
  const { name, type, options } = field;
  const single = 'item' in type ? type.item : type;
  const isRepeated = type.kind === 'list' && options.flat === true;
  const isInline = options.inline === true && single.kind === 'document';
  return {
    ...{ field, owner, name: options.xml ?? name, namespace: namespaceOf(options, owner) },
    any: options.any === undefined ? undefined : anyOf(options),
    required: options.required === true,
    repeated: isRepeated
      ? { minimum: Number(options.minimum ?? 0), maximum: Number(options.maximum ?? Number.POSITIVE_INFINITY) }
      : undefined,
    type: single.kind === 'document' ? single.document : single.word.replace(/\(.*/, ''),
    collection: type.kind === 'map' || (type.kind === 'list' && !isRepeated) ? type.kind : '',
    inline: isInline ? contentOf(single.document) : undefined,
  };
}

function namespaceOf({ any, namespace }: FieldOptions, { options }: DraftDocument): string {
  const own = options.namespace ?? '';
  if (any !== undefined) return own;
  return namespace ?? (options.unqualified ? '' : own);
}

function anyOf({ any }: FieldOptions): string {
  return any === true ? '##any' : String(any);
}

/** Takes namespaces from elements of any name, or leaves them out, beside an element that may be one of them. */
function narrow(wild: Found, other: Found, settling: Settling): void {
  const { field, owner, namespace, any } = wild.particle;
  const isNamed = other.particle.any === undefined;
  const beside = isNamed ? `the element "${other.particle.name}"` : 'others of any name';
  const what = `elements of any name beside ${beside} in "${owner.name}", which may be either`;
  if (any === '##any' && isNamed && other.particle.namespace === namespace && namespace !== '') {
    field.options.any = '##other';
    settling.losses.add(what, 'accepted in other namespaces only', field.place);
    return;
  }
  drop(wild, other, what, settling);
}

/** Leaves out an element, with the groups that it is in and the other is not: other content may have the groups too. */
function drop(one: Found, other: Found, what: string, { losses, restricting }: Settling): void {
  const { field, owner } = one.path.find((each, index) => each.field !== other.path[index]?.field) ?? one.particle;
  losses.add(what, 'left out', field.place);
  const { name } = field;
  // What restricts a document has no field that it has not, and has each that it needs.
  const without = new Set([owner]);
  for (const each of restricting) if (each.restricts !== undefined && without.has(each.restricts)) without.add(each);
  for (const each of without) each.fields = each.fields.filter((own) => own.name !== name);
  for (let base = owner.restricts; base !== undefined; base = base.restricts)
    for (const own of base.fields) if (own.name === name) delete own.options.required;
  if (!owner.choice || owner.fields.length > 1) return;
  // What is left is no choice.
  owner.choice = false;
  delete owner.options.named;
  for (const { options } of owner.fields) options.required = true;
}

/** What a field keeps that becomes XML of any content. */
const KEPT = ['description', 'required', 'nullable', 'json', 'xml', 'namespace', 'flat', 'minimum', 'maximum'] as const;

function loosen(unlike: readonly [Found, Found], losses: Losses): void {
  const { field, name } = unlike[0].particle;
  losses.add(`elements "${name}" of different types in one content`, 'taken as any XML', field.place);
  for (const { field: each } of unlike.map(({ particle }) => particle)) {
    const isRepeated = each.options.flat === true;
    const kept = KEPT.filter((key) => isRepeated || (key !== 'minimum' && key !== 'maximum'));
    each.options = Object.fromEntries(
      kept.flatMap((key) => (each.options[key] === undefined ? [] : [[key, each.options[key]]])),
    ) as FieldOptions;
    const item = { kind: 'scalar', word: 'xml' } as const;
    each.type = isRepeated ? { kind: 'list', item } : item;
  }
}
