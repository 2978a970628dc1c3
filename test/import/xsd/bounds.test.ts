import { describe, expect, it } from 'vitest';
import { draftsOf, schemaOf } from './draft-text.ts';

const many = (count: number, write: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => write(i)).join('');

async function read(text: string): Promise<number> {
  const { drafts } = await draftsOf(new Map([['a.xsd', schemaOf(text)]]));
  return drafts.documents().length;
}

describe('schemas that are small and mean much', () => {
  it('are refused when groups multiply each other', async () => {
    const doubled = many(
      40,
      (i) =>
        `<xs:group name="g${i + 1}"><xs:sequence><xs:group ref="g${i}"/><xs:group ref="g${i}"/></xs:sequence></xs:group>`,
    );
    const text = `<xs:group name="g0"><xs:sequence><xs:element name="a"/><xs:element name="b"/></xs:sequence></xs:group>${doubled}<xs:complexType name="T"><xs:group ref="g40"/></xs:complexType>`;
    await expect(read(text)).rejects.toThrow('a.xsd:1:1544: a group has more than 20000 items');
  });

  it('are refused when elements stand for each other', async () => {
    const members = many(
      1500,
      (i) => `<xs:element name="m${i}" type="xs:string" substitutionGroup="${i === 0 ? 'h' : `m${i - 1}`}"/>`,
    );
    const fields = many(300, (i) => `<xs:element ref="m${i}"/>`);
    const text = `<xs:element name="h" abstract="true"/>${members}<xs:complexType name="T"><xs:sequence>${fields}</xs:sequence></xs:complexType>`;
    await expect(read(text)).rejects.toThrow('the schemas have more than 200000 fields');
  });

  it.each([
    [
      'types are derived more than 500 times',
      `${many(
        501,
        (i) =>
          `<xs:complexType name="T${i}"><xs:complexContent><xs:extension base="T${i + 1}"/></xs:complexContent></xs:complexType>`,
      )}<xs:complexType name="T501"/>`,
    ],
    [
      'simple types are derived more than 200 times',
      many(201, (i) => `<xs:simpleType name="T${i}"><xs:restriction base="T${i + 1}"/></xs:simpleType>`) +
        '<xs:simpleType name="T201"><xs:restriction base="xs:string"/></xs:simpleType><xs:element name="e" type="T0"/>',
    ],
    [
      'groups are more than 300 levels deep',
      `${many(
        301,
        (i) =>
          `<xs:group name="g${i}"><xs:sequence minOccurs="0"><xs:element name="e${i}"/><xs:group ref="g${i + 1}" minOccurs="0"/></xs:sequence></xs:group>`,
      )}<xs:complexType name="T"><xs:group ref="g0"/></xs:complexType>`,
    ],
  ])('are refused when %s', async (reason, text) => {
    await expect(read(text)).rejects.toThrow(reason);
  });

  it('are read when lists and unions contain each other, and attribute groups refer to each other', async () => {
    const lists = many(
      30,
      (i) =>
        `<xs:simpleType name="U${i}"><xs:union memberTypes="S${i} xs:date"/></xs:simpleType><xs:simpleType name="S${i + 1}"><xs:list itemType="U${i}"/></xs:simpleType>`,
    );
    const groups = many(
      100,
      (i) =>
        `<xs:attributeGroup name="a${i + 1}"><xs:attributeGroup ref="a${i}"/><xs:attributeGroup ref="a${i}"/></xs:attributeGroup>`,
    );
    const text = `<xs:simpleType name="S0"><xs:list itemType="xs:date"/></xs:simpleType>${lists}<xs:attributeGroup name="a0"><xs:attribute name="x"/></xs:attributeGroup>${groups}<xs:complexType name="T"><xs:sequence><xs:element name="e" type="S30"/></xs:sequence><xs:attributeGroup ref="a100"/></xs:complexType>`;
    await expect(read(text)).resolves.toBe(1);
  });

  it('are read when they declare much', async () => {
    const types = many(
      3000,
      (i) =>
        `<xs:complexType name="T${i}"><xs:sequence><xs:element name="next" type="T${(i + 7) % 3000}" minOccurs="0"/></xs:sequence></xs:complexType>`,
    );
    const values = many(20_000, (i) => `<xs:enumeration value="v${i}"/>`);
    const text = `${types}<xs:simpleType name="E"><xs:restriction base="xs:string">${values}</xs:restriction></xs:simpleType><xs:element name="e" type="E"/>`;
    await expect(read(text)).resolves.toBe(3001);
  });
});
