import {
  type Content,
  clashesIn,
  contentModel,
  needsOrder,
  type Particle,
  type Position,
  unlikeIn,
} from '../../model/attribution.ts';
import { type Document, namespaceOf } from '../../model/document.ts';
import { type Field, isCollection, singleType } from '../../model/field.ts';
import { inlineDocument } from '../../model/particles.ts';
import { placeOf } from '../diagnostic/diagnostic.ts';
import type { Linking } from '../linking.ts';

/** A field with elements, in its place in the content of a document. */
interface FieldParticle extends Particle<FieldParticle> {
  readonly field: Field;
}

/** In place of the namespace of the service, which is not known. */
const SERVICE = '*';

/** @param namespace of the document */
function contentOf(document: Document, namespace: string): Content<FieldParticle> {
  return {
    of: document,
    isChoice: document.choice !== undefined,
    particles: () =>
      document.fields
        .filter(
          ({ attribute, content, header, attachment }) =>
            !attribute && !content && !header && !Array.isArray(attachment),
        )
        .map((field) => particleOf(field, namespace)),
  };
}

function particleOf(field: Field, around: string): FieldParticle {
  const { xmlName: name, namespace = around, any, type, required, absent, minimum, maximum } = field;
  const isFlat = type.kind === 'list' && type.flat;
  const single = singleType(type);
  const inner = inlineDocument(field);
  return {
    ...{ field, name, namespace, any },
    required: required && absent !== 'blank',
    repeated: isFlat ? { minimum: minimum ?? 0, maximum: maximum ?? Number.POSITIVE_INFINITY } : undefined,
    type: single.kind === 'document' ? single.document : single.kind,
    collection: isCollection(type) && !isFlat ? type.kind : '',
    inline: inner && contentOf(inner, namespaceOf(inner, around, SERVICE)),
  };
}

/** Refuses documents that can't stand without an element of their own where they do, and elements of which it is not clear what they are. */
export function checkParticles(linking: Linking, documents: ReadonlyMap<string, Document>): void {
  const { report, doubt } = linking;
  for (const document of documents.values()) {
    if (doubt.about(document)) continue;
    const refuse: Refuse = (reason, { at }) =>
      report.raise('bad-structure', { document: document.id, reason }, placeOf(at));
    checkAny(document, refuse);
    if (checkInline(document, refuse)) checkOrder(linking, document, refuse);
  }
}

type Refuse = (reason: string, field: Field) => void;

/** A document that is open keeps what it does not declare, so nothing is left for a field; and one map takes all attributes. */
function checkAny({ fields, open }: Document, refuse: Refuse): void {
  const [first, ...others] = fields.filter(({ any }) => any !== undefined);
  if (first === undefined) return;
  if (open) refuse(`takes undeclared elements and attributes as \`open\`, and ${first.name} takes them too`, first);
  const attributes = [first, ...others].filter(({ attribute }) => attribute);
  for (const each of attributes.slice(1))
    refuse(`has two maps of attributes of any name, ${attributes[0]?.name} and ${each.name}`, each);
}

/** @returns whether each inline document can be one */
function checkInline(document: Document, refuse: Refuse): boolean {
  let isSound = true;
  for (const field of document.fields) {
    const inner = inlineDocument(field);
    if (inner === undefined) continue;
    const reason = whyNotInline(document, field, inner);
    if (reason === undefined) continue;
    refuse(reason, field);
    isSound = false;
  }
  return isSound;
}

function whyNotInline(document: Document, { name }: Field, inner: Document): string | undefined {
  const has = `has ${name} inline`;
  if (document.open) return `${has}, and is \`open\`: its elements could be undeclared ones`;
  if (inner.open) return `${has}, and ${inner.id} is \`open\`: its elements could be those of any field`;
  if (inner.kinds !== undefined || inner.abstract)
    return `${has}, and others derive from ${inner.id}: only an element of its own says which of them it is`;
  const other = inner.fields.find(({ attribute, content }) => attribute || content);
  if (other !== undefined)
    return `${has}, and ${other.name} of ${inner.id} needs an element of its own: it is ${other.content ? 'the text' : 'an attribute'} of it`;
  return holds(inner, document, new Set()) ? `${has}, and ${inner.id} has it inline again` : undefined;
}

/** Whether a document is inline in another, or the other itself. */
function holds(outer: Document, sought: Document, seen: Set<Document>): boolean {
  if (outer === sought) return true;
  if (seen.has(outer)) return false;
  seen.add(outer);
  return outer.fields.some((field) => {
    const inner = inlineDocument(field);
    return inner !== undefined && holds(inner, sought, seen);
  });
}

function checkOrder({ report }: Linking, document: Document, refuse: Refuse): void {
  const content = contentOf(document, document.namespace ?? SERVICE);
  if (!needsOrder(content.particles())) return;
  const model = contentModel(content);
  const reported = new Set<string>();
  for (const clash of clashesIn(model)) {
    const [first, second] = clash.sort((a, b) => orderOf(document, a) - orderOf(document, b));
    const [one, other] = [pathOf(first), pathOf(second)];
    const key = `${one} ${other}`;
    if (reported.has(key)) continue;
    reported.add(key);
    const { field } = second.particle;
    const outermost = outermostOf(second);
    if (clash.some(({ particle }) => particle.any !== undefined)) {
      refuse(
        `has elements that may be ${one} or ${other}: write the namespaces that \`any\` takes, as in "##other", or require a field between them`,
        outermost,
      );
    } else if (clash.every(({ path }) => path.length === 1)) {
      report.raise('duplicate-name', { name: field.xmlName, where: 'XML', other: one }, placeOf(field.at));
    } else {
      refuse(
        `has an element ${field.xmlName} in ${one} and in ${other}, and their order does not tell which one it is`,
        outermost,
      );
    }
  }
  for (const [one, other] of unlikeIn(model))
    refuse(
      `has elements ${other.particle.name} of different types in ${pathOf(one)} and in ${pathOf(other)}`,
      outermostOf(other),
    );
}

/** The names of the fields on the way to a position. */
function pathOf({ path }: Position<FieldParticle>): string {
  return path.map(({ field }) => field.name).join('.');
}

/** The field of the document itself that a position is in. */
function outermostOf({ path, particle }: Position<FieldParticle>): Field {
  return (path[0] ?? particle).field;
}

/** The place of a position among the fields of a document. */
function orderOf({ fields }: Document, position: Position<FieldParticle>): number {
  return fields.indexOf(outermostOf(position));
}
