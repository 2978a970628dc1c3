import { describe, expect, it } from 'vitest';
import { readXml, valueByKey } from '../../src/index.ts';
import { childrenOf } from '../../src/wire/xml/tree.ts';

const root = readXml(`<root xmlns="urn:x"><level1><level2><level3>
  <item><key>COLOUR</key><value>red</value><type>string</type></item>
  <item><key> SIZE </key><!-- in metres --><value>7</value><type>number</type></item>
  <item><key>EMPTY</key><value/><type>string</type></item>
  <item><key>LAST</key></item>
  <item><key>LAST</key><other>found</other></item>
  <item><key>SIZE</key><value>8</value><type>number</type></item>
</level3></level2></level1></root>`);

describe('valueByKey', () => {
  it.each([
    ['COLOUR', 'red'],
    ['SIZE', '7'],
    ['EMPTY', ''],
    ['LAST', 'found'],
    ['red', undefined],
    ['colour', undefined],
  ])('finds what follows %s', (key, value) => {
    expect(valueByKey(root, key)).toBe(value);
  });

  it('searches the elements that it is given', () => {
    const [level3] = childrenOf(childrenOf(childrenOf(root)[0]!)[0]!);
    const items = childrenOf(level3!);
    expect(valueByKey(items.slice(2), 'SIZE')).toBe('8');
    expect(valueByKey([], 'SIZE')).toBeUndefined();
  });

  it('takes other names of elements', () => {
    const other = readXml('<r><p:row xmlns:p="urn:p"><id>0</id><p:name>A</p:name><v>1</v></p:row></r>');
    expect(valueByKey(other, 'A', { item: 'row', key: 'name' })).toBe('1');
    expect(valueByKey(other, 'A')).toBeUndefined();
  });
});
