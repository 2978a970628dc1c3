import { didYouMean } from '../load/diagnostic/suggest.ts';
import type { Place } from '../load/index.ts';
import { isTreeMap, type Places, type TreeMap, type TreeValue } from '../load/mocks.ts';
import { kindName, kindsOf } from '../model/derivation.ts';
import { bareField, type Document } from '../model/document.ts';
import { type Field, singleType } from '../model/field.ts';
import { isNumeric, primitiveOf } from '../model/scalar.ts';

/** Where a value is in a tree. */
export interface Spot {
  readonly container: TreeMap | TreeValue[];
  readonly key: string | number;
}

interface Writing {
  readonly places: Places;
  readonly raise: (reason: string, at: Place, hint?: string) => void;
}

const valueAt = ({ container, key }: Spot): TreeValue => (container as TreeMap)[key as string] as TreeValue;

/** The JSON of a document whose value is written with the names of its fields. Numbers keep their digits. */
export function fixtureJson(document: Document, spot: Spot, writing: Writing): string {
  const whole = bareField(document);
  if (whole !== undefined) return fieldJson(whole, spot, writing);
  const inner = membersJson(document, spot, writing);
  return document.root ? `{${JSON.stringify(document.id)}:${inner}}` : inner;
}

function membersJson(document: Document, spot: Spot, writing: Writing): string {
  const { places, raise } = writing;
  const map = valueAt(spot);
  // The reader of the document says what is wrong with it.
  if (!isTreeMap(map)) return JSON.stringify(map);
  const { choice, kinds } = document;
  const by = kinds?.by.name;
  const kind = by === undefined ? undefined : kindsOf(document).find((each) => kindName(each) === map[by]);
  const { fields } = kind ?? document;
  const byName = new Map(fields.map((field) => [field.name, field]));
  const members: string[] = [];
  if (by !== undefined && by in map) members.push(`${JSON.stringify(by)}:${JSON.stringify(map[by])}`);
  for (const name of Object.keys(map)) {
    if (name === by) continue;
    const field = byName.get(name);
    if (field !== undefined) {
      const json = fieldJson(field, { container: map, key: name }, writing);
      if (choice !== undefined && !choice.named) {
        const tag = choice.tag === undefined ? '' : `${JSON.stringify(choice.tag)}:${JSON.stringify(field.jsonName)}`;
        return tag === '' ? json : `{${[tag, json.slice(1, -1)].filter((part) => part !== '').join(',')}}`;
      }
      members.push(`${JSON.stringify(field.jsonName)}:${json}`);
    } else if (document.open) members.push(`${JSON.stringify(name)}:${JSON.stringify(map[name])}`);
    else {
      const named = fields.find(({ jsonName }) => jsonName === name);
      const hint = named === undefined ? didYouMean(name, byName.keys()) : `Its name here is ${named.name}.`;
      raise(`${name} is not a field of ${document.id}`, places.key(map, name), hint);
    }
  }
  return `{${members.join(',')}}`;
}

function fieldJson(field: Field, spot: Spot, writing: Writing): string {
  const value = valueAt(spot);
  const item = singleType(field.type);
  const one = (at: Spot): string =>
    item.kind === 'document' ? membersJson(item.document, at, writing) : singleJson(field, at, writing.places);
  if (field.type.kind === 'map' && isTreeMap(value))
    return `{${Object.keys(value)
      .map((key) => `${JSON.stringify(key)}:${one({ container: value, key })}`)
      .join(',')}}`;
  if (field.type.kind === 'list' && Array.isArray(value))
    return `[${value.map((_, key) => one({ container: value, key })).join(',')}]`;
  return one(spot);
}

/** A number is written with its digits; a text that YAML read as something else is the text that stands there. */
function singleJson(field: Field, spot: Spot, places: Places): string {
  const value = valueAt(spot);
  const type = singleType(field.type);
  const primitive = primitiveOf(type);
  if (value === null || typeof value === 'object' || primitive === 'json') return JSON.stringify(value);
  const written = typeof value === 'string' ? value : (places.written(spot.container, spot.key) ?? String(value));
  if (isNumeric(type)) return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(written) ? written : JSON.stringify(value);
  return primitive === 'boolean' ? JSON.stringify(value) : JSON.stringify(written);
}
