import type { DraftDocument, DraftField, DraftType } from '../../../src/import/draft.ts';
import { type Loss, Losses, placeWords } from '../../../src/import/place.ts';
import { gather } from '../../../src/import/source.ts';
import { SchemaDrafts } from '../../../src/import/xsd/drafts.ts';
import { schemasOf, XSD_LANGUAGE } from '../../../src/import/xsd/sources.ts';

/** The namespace of a schema that states none. */
const NAMESPACE = 'urn:t';

const HEAD = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="${NAMESPACE}" targetNamespace="${NAMESPACE}"`;

/** A whole schema around declarations, on the same line, so that places keep their lines. */
export function schemaOf(text: string): string {
  return text.includes('<xs:schema') ? text : `${HEAD} elementFormDefault="qualified">${text}</xs:schema>`;
}

/** Schemas by their file names: a line `== name ==` begins a file; the first one is `a.xsd`. */
export function filesOf(text: string): ReadonlyMap<string, string> {
  const [first = '', ...others] = text.split(/^== (\S+) ==\n/m);
  const files = new Map([['a.xsd', schemaOf(first)]]);
  for (let i = 0; i < others.length; i += 2) files.set(others[i] as string, schemaOf(others[i + 1] as string));
  return files;
}

/** The drafts of the schema `a.xsd`, and what could not be carried. */
export async function draftsOf(
  files: ReadonlyMap<string, string>,
): Promise<{ readonly drafts: SchemaDrafts; readonly losses: Losses }> {
  const losses = new Losses();
  const read = async (location: string): Promise<{ bytes: Uint8Array } | { missing: string }> => {
    const text = files.get(location);
    return text === undefined ? { missing: 'does not exist' } : { bytes: new TextEncoder().encode(text) };
  };
  const sources = await gather(['a.xsd'], XSD_LANGUAGE, read, losses);
  const content = sources.at('a.xsd');
  const parts = content === undefined ? [] : schemasOf(content).map((root) => ({ root, location: 'a.xsd' }));
  return { drafts: new SchemaDrafts(parts, sources, losses), losses };
}

/** Documents, each with those that it refers to, and losses, as a text. */
export function draftText(documents: readonly DraftDocument[], losses: readonly Loss[]): string {
  const all = new Set(documents);
  for (const { fields } of all) for (const { type } of fields) for (const each of documentsIn(type)) all.add(each);
  return [
    ...[...all].map(documentText),
    ...losses.map(({ what, instead, place }) => `! ${placeWords(place).replace(/:\d+$/, '')}: ${what}: ${instead}\n`),
  ].join('');
}

function documentsIn(type: DraftType): DraftDocument[] {
  const item = 'item' in type ? type.item : type;
  return item.kind === 'document' ? [item.document] : [];
}

function documentText(document: DraftDocument): string {
  const { name, named, description, options, extends: base, restricts, fields, choice } = document;
  const words = [
    named ? name : `(${name})`,
    ...(choice === true ? ['one-of'] : []),
    ...(base === undefined ? [] : [`extends ${base.name}`]),
    ...(restricts === undefined ? [] : [`restricts ${restricts.name}`]),
    ...Object.entries(options).flatMap(([key, value]) => optionText(key, value, name)),
    ...(description === undefined ? [] : [`# ${description}`]),
  ];
  return `${words.join(' ')}\n${fields.map(fieldText).join('')}`;
}

function fieldText({ name, type, options }: DraftField): string {
  const { description, ...others } = options;
  const words = Object.entries(others).flatMap(([key, value]) => optionText(key, value));
  const described = description === undefined ? [] : [`# ${description}`];
  return `  ${[`${name}:`, typeText(type), ...words, ...described].join(' ')}\n`;
}

/** The usual ones are left out: the namespace of all, and names of the document itself. */
function optionText(key: string, value: unknown, name?: string): string[] {
  if (name !== undefined && ((key === 'namespace' && value === NAMESPACE) || value === name)) return [];
  return [value === true ? key : `${key}=${typeof value === 'string' ? value || '""' : JSON.stringify(value)}`];
}

function typeText(type: DraftType): string {
  if ('item' in type) return `${type.kind} of ${typeText(type.item)}`;
  if (type.kind === 'scalar') return type.word;
  return type.document.named ? type.document.name : `(${type.document.name})`;
}
