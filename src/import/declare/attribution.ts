// Content in which the order of elements does not tell which field each belongs to. Schemas must not have it (Unique Particle
// Attribution, Element Declarations Consistent: XML Schema 1.0 Part 1, section 3.8.6), and many have it all the same, since
// hardly a tool checks that. `check` refuses it in definitions, so that what causes it is changed here, and reported.
import { overlap, takesNamespace } from '../../model/wildcard.ts';
import type { DraftDocument, DraftField, FieldOptions } from '../draft.ts';
import type { Losses } from '../place.ts';

/** A field with an element of its own, or with elements of any name. */
interface Position {
  readonly field: DraftField;
  /** The document that declares it. */
  readonly owner: DraftDocument;
  /** Of its element; of its document for elements of any name. */
  readonly namespace: string;
}

/** What a part of the content begins and ends with. */
interface Part {
  readonly first: readonly Position[];
  readonly last: readonly Position[];
  readonly mayBeEmpty: boolean;
}

type Follow = Map<Position, Set<Position>>;

const NOTHING: Part = { first: [], last: [], mayBeEmpty: true };

/** Changes the fields of documents until each element has one field. */
export function settleAttribution(documents: readonly DraftDocument[], losses: Losses): void {
  const restricting = documents.filter(({ restricts }) => restricts !== undefined);
  for (const document of documents) {
    if (!mayBeUnclear(document)) continue;
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
  const { losses } = settling;
  const follow: Follow = new Map();
  const whole = partOf(document, follow, []);
  const clash = [whole.first, ...follow.values()].map(clashIn).find((each) => each !== undefined);
  if (clash !== undefined) {
    const [one, other] = clash;
    if (one.field.options.any !== undefined) narrow(one, other, settling);
    else drop(other, `a second element "${wireName(other)}", whose place is not clear`, settling);
    return true;
  }
  const unlike = unlikeIn(follow.keys());
  if (unlike !== undefined) loosen(unlike, losses);
  return unlike !== undefined;
}

/** Whether elements are told apart by more than their names. */
function mayBeUnclear(document: DraftDocument): boolean {
  const names = new Set<string>();
  return fieldsOf(document).some(({ field, owner }) => {
    if (!isInContent(field.options)) return false;
    const { inline, any } = field.options;
    const name = nameOf({ field, owner, namespace: namespaceOf(field, owner) });
    return inline === true || any !== undefined || names.size === names.add(name).size;
  });
}

/** Whether a field is among the elements of its document: no attribute, header block or attachment. */
function isInContent({ attribute, content, header, attachment }: FieldOptions): boolean {
  return !attribute && !content && !header && (attachment === undefined || attachment === 'reference');
}

/** The fields of a document and of those that it extends. */
function fieldsOf(document: DraftDocument): readonly { readonly field: DraftField; readonly owner: DraftDocument }[] {
  const chain = [document];
  for (let base = document.extends; base !== undefined && !chain.includes(base); base = base.extends) chain.push(base);
  return chain.reverse().flatMap((owner) => owner.fields.map((field) => ({ field, owner })));
}

/** Two of the positions that may come next and take the same element; an element of any name is the first. */
function clashIn(next: Iterable<Position>): readonly [Position, Position] | undefined {
  const positions = [...next];
  const byName = new Map<string, Position>();
  const wild = positions.filter(({ field }) => field.options.any !== undefined);
  for (const each of positions) {
    const taking = wild.find((other) => other !== each && bothTake(other, each));
    if (taking !== undefined) return [taking, each];
    if (each.field.options.any !== undefined) continue;
    const other = byName.get(nameOf(each));
    if (other !== undefined && other !== each) return [other, each];
    byName.set(nameOf(each), each);
  }
  return undefined;
}

function bothTake(wild: Position, other: Position): boolean {
  const one = { any: anyOf(wild), target: wild.namespace };
  if (other.field.options.any !== undefined) return overlap(one, { any: anyOf(other), target: other.namespace });
  return takesNamespace(one.any, other.namespace, one.target);
}

function anyOf({ field: { options } }: Position): string {
  return options.any === true ? '##any' : String(options.any);
}

/** Takes namespaces from elements of any name, or leaves them out, beside an element that may be one of them. */
function narrow(wild: Position, other: Position, settling: Settling): void {
  const { field, owner, namespace } = wild;
  const isNamed = other.field.options.any === undefined;
  const beside = isNamed ? `the element "${wireName(other)}"` : 'others of any name';
  if (anyOf(wild) === '##any' && isNamed && other.namespace === namespace && namespace !== '') {
    field.options.any = '##other';
    const what = `elements of any name beside ${beside} in "${owner.name}", which may be either`;
    settling.losses.add(what, 'accepted in other namespaces only', field.place);
    return;
  }
  drop(wild, `elements of any name beside ${beside} in "${owner.name}", which may be either`, settling);
}

function drop({ field, owner }: Position, what: string, { losses, restricting }: Settling): void {
  losses.add(what, 'left out', field.place);
  const { name } = field;
  // What restricts a document has no field that it has not, and has each that it needs.
  const without = new Set([owner]);
  for (const each of restricting) if (each.restricts !== undefined && without.has(each.restricts)) without.add(each);
  for (const each of without) each.fields = each.fields.filter((own) => own.name !== name);
  for (let base = owner.restricts; base !== undefined; base = base.restricts)
    for (const own of base.fields) if (own.name === name) delete own.options.required;
}

/** Elements of one name that have different types. */
function unlikeIn(positions: Iterable<Position>): readonly [Position, Position] | undefined {
  const byName = new Map<string, Position>();
  for (const each of positions) {
    if (each.field.options.any !== undefined) continue;
    const other = byName.get(nameOf(each));
    if (other === undefined) byName.set(nameOf(each), each);
    else if (typeOf(other.field) !== typeOf(each.field)) return [other, each];
  }
  return undefined;
}

function typeOf({ type, options }: DraftField): unknown {
  if (options.spaced) return 'spaced';
  const single = 'item' in type ? type.item : type;
  return single.kind === 'document' ? single.document : single.word.replace(/\(.*/, '');
}

/** What a field keeps that becomes XML of any content. */
const KEPT = ['description', 'required', 'nullable', 'json', 'xml', 'namespace', 'flat', 'minimum', 'maximum'] as const;

function loosen(unlike: readonly Position[], losses: Losses): void {
  const [{ field }] = unlike as readonly [Position];
  const what = `elements "${wireName(unlike[0] as Position)}" of different types in one content`;
  losses.add(what, 'taken as any XML', field.place);
  for (const { field: each } of unlike) {
    const isRepeated = each.options.flat === true;
    const kept = KEPT.filter((key) => isRepeated || (key !== 'minimum' && key !== 'maximum'));
    each.options = Object.fromEntries(
      kept.flatMap((key) => (each.options[key] === undefined ? [] : [[key, each.options[key]]])),
    ) as FieldOptions;
    const item = { kind: 'scalar', word: 'xml' } as const;
    each.type = isRepeated ? { kind: 'list', item } : item;
  }
}

function wireName({ field: { name, options } }: Position): string {
  return options.xml ?? name;
}

function nameOf(position: Position): string {
  return `${position.namespace} ${wireName(position)}`;
}

function namespaceOf({ options }: DraftField, owner: DraftDocument): string {
  if (options.any !== undefined) return owner.options.namespace ?? '';
  return options.namespace ?? (owner.options.unqualified ? '' : (owner.options.namespace ?? ''));
}

function partOf(document: DraftDocument, follow: Follow, around: readonly DraftDocument[]): Part {
  const within = [...around, document];
  const parts = fieldsOf(document)
    .filter(({ field: { options } }) => isInContent(options))
    .map(({ field, owner }) => fieldPart(field, owner, document.choice === true, follow, within));
  if (document.choice) {
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      mayBeEmpty: parts.some(({ mayBeEmpty }) => mayBeEmpty),
    };
  }
  return parts.reduce((before, next) => {
    connect(before.last, next.first, follow);
    return {
      first: before.mayBeEmpty ? [...before.first, ...next.first] : before.first,
      last: next.mayBeEmpty ? [...before.last, ...next.last] : next.last,
      mayBeEmpty: before.mayBeEmpty && next.mayBeEmpty,
    };
  }, NOTHING);
}

function fieldPart(
  field: DraftField,
  owner: DraftDocument,
  isBranch: boolean,
  follow: Follow,
  within: readonly DraftDocument[],
): Part {
  const { type, options } = field;
  const inner = options.inline ? inlineOf(field) : undefined;
  if (inner !== undefined && within.includes(inner)) return NOTHING;
  const part =
    inner === undefined
      ? position({ field, owner, namespace: namespaceOf(field, owner) }, follow)
      : partOf(inner, follow, within);
  const isRepeated = type.kind === 'list' && options.flat === true;
  if (isRepeated && (options.maximum ?? 2) !== 1) connect(part.last, part.first, follow);
  const isOptional = (!isBranch && !options.required) || (isRepeated && (options.minimum ?? 0) === 0);
  return { ...part, mayBeEmpty: part.mayBeEmpty || isOptional };
}

function inlineOf({ type }: DraftField): DraftDocument | undefined {
  const single = 'item' in type ? type.item : type;
  return single.kind === 'document' ? single.document : undefined;
}

function position(found: Position, follow: Follow): Part {
  follow.set(found, new Set());
  return { first: [found], last: [found], mayBeEmpty: false };
}

function connect(from: readonly Position[], to: readonly Position[], follow: Follow): void {
  for (const each of from) for (const next of to) follow.get(each)?.add(next);
}
