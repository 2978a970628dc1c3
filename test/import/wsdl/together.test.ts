import { describe, expect, it } from 'vitest';
import { importContracts } from '../../../src/import/index.ts';
import { declaredOf, readFrom } from '../support.ts';
import { inOut, message, service, types, wrapper, wsdl } from './wsdl-text.ts';

const MESSAGES = message('place', 'element="t:place"') + message('placeReply', 'element="t:placeResponse"');
const SERVICE = service({ place: inOut('place', 'placeReply') });

/** A version of a contract, whose request has these fields. */
function version(...fields: readonly string[]): string {
  return wsdl(types(wrapper('place', ...fields) + wrapper('placeResponse', 'number')) + MESSAGES + SERVICE);
}

async function contractsOf(files: Readonly<Record<string, string>>) {
  const all = await importContracts(Object.keys(files), readFrom(files));
  return all.map(({ roots, losses }) => ({ roots, told: losses.all().map(({ what }) => what) }));
}

describe('WSDL files that are given together', () => {
  it('are contracts of their own where they declare something by one name in different ways, as versions do', async () => {
    const files = { 'v1.wsdl': version('item'), 'v2.wsdl': version('item', 'note'), 'copy.wsdl': version('item') };
    expect(await contractsOf(files)).toEqual([
      { roots: ['v1.wsdl', 'copy.wsdl'], told: [] },
      { roots: ['v2.wsdl'], told: [] },
    ]);
  });

  it('are one contract where they have different parts of it, or the same by other prefixes and words', async () => {
    const documented = version('item')
      .replaceAll('"t:', '"other:')
      .replace('xmlns:t=', 'xmlns:other=')
      .replace('Takes orders.', 'It takes them.');
    const other = wsdl(types(wrapper('count', 'item')));
    const files = { 'a.wsdl': version('item'), 'b.wsdl': documented, 'c.wsdl': other };
    expect(await contractsOf(files)).toEqual([{ roots: Object.keys(files), told: [] }]);
  });
});

it('what a file declares otherwise than one that it imports is listed', async () => {
  const root = wsdl(`<wsdl:import namespace="urn:t" location="old.wsdl"/>${message('place', 'type="xs:string"')}`);
  const { losses } = await declaredOf({ 'new.wsdl': root, 'old.wsdl': version('item') });
  expect(losses.map(({ what, instead, place }) => [place.source, what, instead])).toContainEqual([
    'old.wsdl',
    'a second, different message "place"',
    'the first one is taken',
  ]);
});
