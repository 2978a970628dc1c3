import { describe, expect, it } from 'vitest';
import { placeWords } from '../../../src/import/place.ts';
import { draftsOf, draftText, filesOf } from './draft-text.ts';

const place = { source: 'a.wsdl', line: 7, column: 5 };
const named = (local: string): { namespace: string; local: string } => ({ namespace: 'urn:t', local });

describe('an element as a message', () => {
  it('is the document of its type, with all that it refers to', async () => {
    const { drafts, losses } = await draftsOf(
      filesOf(
        '<xs:element name="get" type="Get"/><xs:complexType name="Get"><xs:sequence><xs:element name="more" type="More"/></xs:sequence></xs:complexType><xs:complexType name="More"><xs:sequence><xs:element name="id" type="xs:string"/></xs:sequence></xs:complexType>',
      ),
    );
    const document = drafts.element(named('get'), place);
    expect(draftText([document], losses.all())).toBe(
      'Get xml=get\n  more: More required\nMore\n  id: string required\n',
    );
    expect(drafts.documents()).toContain(document);
  });

  it('is any XML when it is not declared, and reported at the message', async () => {
    const { drafts, losses } = await draftsOf(filesOf(''));
    const document = drafts.element(named('lost'), place);
    expect(draftText([document], losses.all())).toBe(
      'lost\n  content: xml content\n  anyAttribute: map of text attribute\n! a.wsdl:7: the element "lost" is not declared: taken as any XML\n',
    );
  });

  it('is reported when it may be nil, or others may stand for it', async () => {
    const { drafts, losses } = await draftsOf(
      filesOf(
        '<xs:element name="a" type="xs:string" nillable="true"/><xs:element name="b" type="xs:string" substitutionGroup="a"/>',
      ),
    );
    drafts.element(named('a'), place);
    expect(losses.all().map(({ what, instead, place: at }) => `${placeWords(at)}: ${what}: ${instead}`)).toEqual([
      'a.xsd:1:179: the element "a" as a message may be nil: read as an empty one',
      'a.wsdl:7:5: others may stand for the element "a" as a message: only the element itself is accepted',
    ]);
  });
});

describe('a part of a message with a type', () => {
  it('is a field of that type', async () => {
    const { drafts, losses } = await draftsOf(
      filesOf(
        '<xs:complexType name="T"><xs:sequence/></xs:complexType><xs:simpleType name="S"><xs:restriction base="xs:string"><xs:maxLength value="5"/></xs:restriction></xs:simpleType>',
      ),
    );
    const xsd = 'http://www.w3.org/2001/XMLSchema';
    const fields = [
      drafts.field('one', { namespace: xsd, local: 'boolean' }, place),
      drafts.field('two', named('T'), place),
      drafts.field('three', named('S'), place),
      drafts.field('four', named('Lost'), place),
    ];
    const document = { name: 'parts', place, named: true, options: {}, fields };
    expect(draftText([document], losses.all())).toBe(
      'parts\n  one: boolean\n  two: T\n  three: string(5)\n  four: anyType\nT\nanyType namespace=""\n  content: xml content\n  anyAttribute: map of text attribute\n! a.wsdl:7: the type "Lost" is not declared: taken as any XML\n',
    );
  });
});
