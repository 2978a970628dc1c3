import { areApart } from '../../model/choice.ts';
import { isOneOfSeveral } from '../../model/derivation.ts';
import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { type Place, placeOf } from '../diagnostic/diagnostic.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import type { Mutable } from '../object.ts';
import type { ChoiceDeclared, FieldDeclared, FieldsDeclared, InPlaceDeclared } from '../schema/document.ts';
import { linkField } from './field.ts';
import { type DerivedName, type DocumentSource, typeWords } from './field-type.ts';

/** A document with `one-of:`. */
export type DeclaredChoice = InPlaceDeclared & Required<Pick<ChoiceDeclared, 'one-of'>>;

/** Options of a field that a branch can't have: exactly one branch has a value, and it is an element. */
const NOT_AT_BRANCHES = ['required', 'default', 'fixed', 'absent', 'attribute', 'url'] as const;

/** Links the branches of a choice, as fields of which each value has one. */
export function linkBranches(
  source: DocumentSource,
  document: Mutable<Document>,
  declared: DeclaredChoice,
  owner: DerivedName,
): Field[] {
  const { linking } = source;
  const { report, places, doubt } = linking;
  const branches = declared['one-of'];
  refuseBoth(linking, declared, 'one-of', 'fields', 'a document has fields, or is one of several things');
  refuseBoth(linking, declared, 'one-of', 'open', 'a choice has no fields of its own');
  refuseBoth(linking, declared, 'by', 'named', 'each of them sets how JSON names the branch');
  if (declared.by === '__proto__') {
    const why = 'it has another meaning in JavaScript';
    report.raise('reserved-name', { name: declared.by, why }, places.value(declared, 'by'));
  }
  const names = Object.keys(branches);
  if (names.length < 2 && !doubt.about(declared)) {
    const reason = `has ${names.length === 0 ? 'no branch' : 'a single branch'}; name two or more`;
    report.raise('bad-choice', { document: document.id, reason }, places.key(declared, 'one-of'));
  }
  const fields = names.flatMap((name) => {
    checkBranchOptions(linking, document, branches, name);
    const field = linkField(source, branches, name, owner);
    return field === undefined ? [] : asBranch(field);
  });
  if (fields.length < names.length || doubt.about(branches)) doubt.mark(document);
  return fields;
}

/** A branch without an element for the whole list has at least one entry: otherwise nothing says that it was chosen. */
function asBranch(field: Field): Field {
  const isFlat = field.type.kind === 'list' && field.type.flat;
  return isFlat ? { ...field, minimum: Math.max(1, field.minimum ?? 1) } : field;
}

function checkBranchOptions(
  { report, places }: Linking,
  { id, choice }: Document,
  branches: FieldsDeclared,
  name: string,
): void {
  const declared = branches[name] as string | FieldDeclared;
  if (typeof declared === 'string') return;
  const hasNoEffect = (option: keyof FieldDeclared, why: string): void => {
    if (declared[option] === undefined) return;
    const owner = `the branch ${name} of ${id}`;
    report.raise('key-without-effect', { key: option, owner, why }, places.key(declared, option));
  };
  for (const option of NOT_AT_BRANCHES) hasNoEffect(option, 'exactly one branch has a value, which is an element');
  if (!choice?.named && choice?.tag === undefined)
    hasNoEffect('json', 'JSON has the name of a branch with `named: true` or `by` only');
}

/** Checks that each branch of a choice can be one, and that its values in JSON are no values of another. */
export function checkChoice(linking: Linking, { id, choice, fields }: Document, declared: ChoiceDeclared): void {
  const { report, places, doubt } = linking;
  if (choice?.named) return;
  const sound = fields.flatMap(({ name, type, nullable, at }) => {
    const refuse = (reason: string, place: Place = placeOf(at)): void =>
      report.raise('bad-choice', { document: id, reason }, place);
    if (type.kind !== 'document' || nullable) {
      const words = nullable ? 'may be null' : `is ${typeWords(type)}`;
      refuse(`has the branch ${name}, which ${words}: JSON has no room for it without \`named: true\``);
      return [];
    }
    const { document } = type;
    if (doubt.about(document)) return [];
    if (document.choice !== undefined)
      refuse(`has the branch ${name}, and ${document.id} is a choice itself: name its documents instead`);
    if (document.kinds !== undefined)
      refuse(`has the branch ${name}, and others derive from ${document.id}: JSON needs \`named: true\` for these`);
    if (document.open)
      refuse(`has the branch ${name}, and ${document.id} accepts undeclared fields, so that it could be any other`);
    const taken = document.fields.find(({ jsonName }) => jsonName === choice?.tag);
    if (taken !== undefined)
      refuse(`has \`by: ${choice?.tag}\`, which is a field of ${document.id}`, places.value(declared, 'by'));
    return isOneOfSeveral(document) || document.open ? [] : { name, at, document };
  });
  if (choice?.tag !== undefined) return;
  for (const [index, one] of sound.entries()) {
    const other = sound.slice(0, index).find((each) => !areApart(each.document.fields, one.document.fields));
    if (other === undefined) continue;
    const same = other.document === one.document ? one.document.id : undefined;
    report.raise('choice-not-clear', { document: id, one: other.name, other: one.name, same }, placeOf(one.at));
  }
}
