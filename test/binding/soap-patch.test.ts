import { expect, it } from 'vitest';
import { compileSoap } from '../../src/binding/soap/soap.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { documentOf, load, operation } from '../load/linked.ts';

// The field called clear has another name in XML: `clear` is the element that names what to empty.
const registry = load(`document: PLACE
fields:
  ID: { type: integer, required: true }
  NAME: { type: string(30), required: true }
  STATUS: { type: string(1), xml: Status }
  CODE: { type: string, attribute: true }
  clear: { type: flag, xml: CLEARED }
---
component: PLACES
table: place
shape: PLACE
keys: [ID]
---
service: Places.v1
public: true
operations:
  PLACE_PATCH: { patch: "places/{ID}", save: PLACES, soap: true }
`);
const patch = operation(registry, 'PLACE_PATCH');
const soap = compileSoap({ service: patch.service, soap: patch.soap! }, 'urn:test');
const written = (value: Parameters<typeof soap.writeRequest>[0]): string => soap.writeRequest(value).join('');

it('names what is null in clear, and reads null again', () => {
  for (const value of [
    { ID: 1 },
    { ID: 1, STATUS: 'A', CODE: 'c', clear: 'Y' },
    { ID: 1, STATUS: null, CODE: null, clear: null },
    { ID: 1, NAME: 'n', clear: null },
  ])
    expect(soap.readRequest(readXml(written(value)))).toEqual(value);
  expect(written({ ID: 1, STATUS: null, clear: null })).toMatch(
    /<ID>1<\/ID><clear>Status<\/clear><clear>CLEARED<\/clear><\/PLACE_PATCH>$/,
  );
});

it('offers what a record can be without, by its names in XML', () => {
  expect(documentOf(patch.soap?.request).patch?.clear?.enum).toEqual(['Status', 'CODE', 'CLEARED']);
});
