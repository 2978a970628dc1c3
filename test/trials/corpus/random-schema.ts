// Random schemas of the constructs of XML Schema 1.0, so that an import is tried on combinations that no one has written.
import type { Pick } from '../../../src/mock/instance.ts';

/** A particle of a content model. */
interface Particle {
  readonly kind: 'element' | 'sequence' | 'choice' | 'text';
  /** Attributes of an element, or the whole markup of what has no parts. */
  readonly markup: string;
  readonly min: number;
  readonly max: number | 'unbounded';
  readonly parts: readonly Particle[];
}

interface ComplexType {
  readonly name: string;
  readonly content: Particle | undefined;
  readonly isMixed: boolean;
  readonly isSimple: boolean;
  /** Whether others may extend it without making its content ambiguous. */
  readonly isOpen: boolean;
  /** The groups and global elements in its content, each of which is there once. */
  readonly uses: ReadonlySet<string>;
}

const TEXTS = ['string', 'token', 'normalizedString', 'NMTOKEN', 'anyURI', 'language', 'Name', 'NCName'];
const WHOLE = ['int', 'long', 'short', 'byte', 'integer', 'unsignedByte', 'nonNegativeInteger', 'positiveInteger'];
const OTHERS = [
  'boolean',
  'double',
  'float',
  'date',
  'dateTime',
  'time',
  'duration',
  'gYear',
  'hexBinary',
  'base64Binary',
];
const BUILT_IN = [...TEXTS, ...WHOLE, 'decimal', ...OTHERS];

/** Deepest nesting of groups in a content model. */
const DEEPEST = 3;

/** The files of a random schema by their locations; the first is the root, `a.xsd`. */
export function randomSchema(pick: Pick): Readonly<Record<string, string>> {
  return new Random(pick).files();
}

class Random {
  readonly #pick: Pick;
  readonly #simple: string[] = [];
  readonly #complex: ComplexType[] = [];
  readonly #groups: string[] = [];
  readonly #attributeGroups: string[] = [];
  readonly #elements: string[] = [];
  readonly #components: string[] = [];
  readonly #isQualified: boolean;
  readonly #hasOther: boolean;
  /** The groups and global elements in the content that is being made. */
  #uses = new Set<string>();
  #count = 0;

  constructor(pick: Pick) {
    this.#pick = pick;
    this.#isQualified = !this.#chance(3);
    this.#hasOther = this.#chance(3);
  }

  files(): Readonly<Record<string, string>> {
    const form = this.#isQualified ? ' elementFormDefault="qualified"' : '';
    const forms = this.#chance(6) ? `${form} attributeFormDefault="qualified"` : form;
    this.#times(4, () => this.#addSimple());
    this.#times(2, () => this.#addAttributeGroup());
    this.#times(2, () => this.#addHead());
    this.#times(2, () => this.#addGroup());
    this.#times(4, () => this.#addComplex());
    for (let n = 1 + this.#pick(3); n > 0; n--) this.#addElement();
    const others = this.#hasOther ? '<xs:import namespace="urn:u" schemaLocation="b.xsd"/>' : '';
    const root = `${HEAD} xmlns:u="urn:u" targetNamespace="urn:t"${forms}>${others}${this.#components.join('\n')}</xs:schema>`;
    return this.#hasOther ? { 'a.xsd': root, 'b.xsd': this.#other() } : { 'a.xsd': root };
  }

  /** A schema of another namespace, which has the other form of local elements. */
  #other(): string {
    const form = this.#isQualified ? '' : ' elementFormDefault="qualified"';
    return `${HEAD} targetNamespace="urn:u"${form}><xs:element name="ue" type="xs:${this.#one(BUILT_IN)}"/><xs:attribute name="ua" type="xs:int"/><xs:simpleType name="US"><xs:restriction base="xs:token"><xs:maxLength value="6"/></xs:restriction></xs:simpleType><xs:complexType name="UC"><xs:sequence><xs:element name="v" type="xs:string" minOccurs="0"/><xs:element name="w" type="xs:int" maxOccurs="2"/></xs:sequence><xs:attribute name="k"/></xs:complexType></xs:schema>`;
  }

  #chance(of: number): boolean {
    return this.#pick(of) === 0;
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#pick(list.length)] as T;
  }

  #times(most: number, act: () => void): void {
    for (let n = this.#pick(most + 1); n > 0; n--) act();
  }

  #name(letter: string): string {
    this.#count += 1;
    return `${letter}${this.#count}`;
  }

  #addSimple(): void {
    const name = this.#name('S');
    this.#components.push(`<xs:simpleType name="${name}">${this.#simpleContent()}</xs:simpleType>`);
    this.#simple.push(`t:${name}`);
  }

  /** The QName of a simple type. */
  #simpleName(): string {
    if (this.#hasOther && this.#chance(8)) return 'u:US';
    return this.#simple.length > 0 && this.#chance(2) ? this.#one(this.#simple) : `xs:${this.#one(BUILT_IN)}`;
  }

  #simpleContent(): string {
    if (this.#chance(5)) return this.#list();
    if (this.#chance(5)) return this.#union();
    return this.#restriction();
  }

  #list(): string {
    const list = `<xs:list itemType="xs:${this.#one(['int', 'token', 'NMTOKEN', 'date', 'decimal', 'boolean'])}"/>`;
    if (this.#chance(2)) return list;
    const facets = `<xs:minLength value="${this.#pick(3)}"/><xs:maxLength value="${2 + this.#pick(4)}"/>`;
    return `<xs:restriction><xs:simpleType>${list}</xs:simpleType>${this.#chance(3) ? '<xs:length value="2"/>' : facets}</xs:restriction>`;
  }

  #union(): string {
    const members = Array.from({ length: 1 + this.#pick(2) }, () => this.#simpleName());
    const inPlace = this.#chance(2) ? `<xs:simpleType>${this.#restriction()}</xs:simpleType>` : '';
    return `<xs:union memberTypes="${members.join(' ')}">${inPlace}</xs:union>`;
  }

  #restriction(): string {
    const [base, facets] = this.#one([
      () => [this.#one(TEXTS.slice(0, 3)), this.#textFacets()] as const,
      () => [this.#one(WHOLE), this.#one(WHOLE_FACETS)] as const,
      () => ['decimal', this.#one(DECIMAL_FACETS)] as const,
      () => this.#one(OTHER_FACETS),
    ])();
    return `<xs:restriction base="xs:${base}">${facets}</xs:restriction>`;
  }

  #textFacets(): string {
    return this.#one([
      '<xs:maxLength value="8"/>',
      '<xs:length value="3"/>',
      '<xs:minLength value="2"/><xs:maxLength value="2"/>',
      '<xs:pattern value="[A-Z]{2}\\d*"/><xs:pattern value="x|yy"/>',
      '<xs:pattern value="\\i\\c*"/><xs:maxLength value="10"/>',
      '<xs:enumeration value="a"/><xs:enumeration value="b c"/><xs:enumeration value="1"/>',
      '<xs:whiteSpace value="collapse"/><xs:minLength value="1"/>',
      '',
    ]);
  }

  #addAttributeGroup(): void {
    const name = this.#name('AG');
    this.#components.push(`<xs:attributeGroup name="${name}">${this.#attributes(2)}</xs:attributeGroup>`);
    this.#attributeGroups.push(name);
  }

  #attributes(most: number): string {
    let attributes = '';
    this.#times(most, () => {
      attributes += this.#attribute();
    });
    return attributes;
  }

  #attribute(): string {
    const name = this.#name('a');
    const type = this.#simpleName();
    return this.#one([
      `<xs:attribute name="${name}" type="${type}"/>`,
      `<xs:attribute name="${name}" type="${type}" use="required"/>`,
      `<xs:attribute name="${name}" type="xs:int" default="7"/>`,
      `<xs:attribute name="${name}" type="xs:token" fixed="x y"/>`,
      `<xs:attribute name="${name}" form="${this.#one(['qualified', 'unqualified'])}" type="${type}"/>`,
      `<xs:attribute name="${name}"><xs:simpleType>${this.#simpleContent()}</xs:simpleType></xs:attribute>`,
    ]);
  }

  /** The attributes of a complex type. */
  #attributesOfType(): string {
    const group =
      this.#attributeGroups.length > 0 && this.#chance(3)
        ? `<xs:attributeGroup ref="t:${this.#one(this.#attributeGroups)}"/>`
        : '';
    const other = this.#hasOther && this.#chance(6) ? '<xs:attribute ref="u:ua"/>' : '';
    const any = this.#chance(12)
      ? `<xs:anyAttribute namespace="${this.#one(['##other', '##any'])}" processContents="lax"/>`
      : '';
    return `${this.#attributes(2)}${other}${group}${any}`;
  }

  /** A head of a substitution group, and its members. */
  #addHead(): void {
    this.#uses = new Set();
    const name = this.#name('H');
    const isAbstract = this.#chance(2);
    const type = this.#chance(2) ? 'xs:string' : 'xs:anyType';
    if (type === 'xs:anyType') {
      const base = this.#name('C');
      const of = `<xs:complexType name="${base}"><xs:sequence>${this.#localText()}</xs:sequence></xs:complexType>`;
      this.#components.push(of, `<xs:element name="${name}" type="t:${base}"${isAbstract ? ' abstract="true"' : ''}/>`);
      const more = `<xs:extension base="t:${base}"><xs:sequence>${this.#localText()}</xs:sequence></xs:extension>`;
      this.#components.push(
        `<xs:element name="${this.#name('M')}" substitutionGroup="t:${name}"><xs:complexType><xs:complexContent>${more}</xs:complexContent></xs:complexType></xs:element>`,
      );
    } else this.#components.push(`<xs:element name="${name}" type="${type}"${isAbstract ? ' abstract="true"' : ''}/>`);
    this.#components.push(
      `<xs:element name="${this.#name('M')}" substitutionGroup="t:${name}"${this.#chance(2) ? '' : ` type="${type === 'xs:string' ? 'xs:token' : ''}"`.replace(' type=""', '')}/>`,
    );
    this.#elements.push(`t:${name}`);
  }

  #localText(): string {
    return written(this.#local(1));
  }

  #addGroup(): void {
    const name = this.#name('G');
    // No group refers to others: the content around may have these, too.
    this.#uses = new Set([...this.#groups, ...this.#elements, 'u:ue']);
    const content = this.#modelGroup(1, false);
    if (content.parts.length === 0) return;
    this.#components.push(`<xs:group name="${name}">${written({ ...content, min: 1, max: 1 })}</xs:group>`);
    this.#groups.push(name);
  }

  #addComplex(): void {
    this.#uses = new Set();
    const name = this.#name('C');
    const simple = this.#complex.filter(({ isSimple }) => isSimple);
    const bases = this.#complex.filter((each) => !each.isSimple && each.content !== undefined);
    const kind = this.#pick(10);
    const isAbstract = this.#chance(12) ? ' abstract="true"' : '';
    if (kind === 0) this.#addSimpleContent(name, simple);
    else if (kind <= 2 && bases.length > 0) this.#addExtension(name, this.#one(bases), isAbstract);
    else if (kind === 3 && bases.length > 0) this.#addRestriction(name, this.#one(bases));
    else {
      const isMixed = this.#chance(12);
      const content = this.#chance(10) ? undefined : this.#content(isMixed);
      const mixed = isMixed ? ' mixed="true"' : '';
      this.#components.push(
        `<xs:complexType name="${name}"${mixed}${isAbstract}>${content === undefined ? '' : written(content)}${this.#attributesOfType()}</xs:complexType>`,
      );
      const isOpen = content === undefined || content.kind === 'sequence';
      this.#complex.push({ name, content, isMixed, isSimple: false, isOpen, uses: this.#uses });
    }
  }

  #addSimpleContent(name: string, bases: readonly ComplexType[]): void {
    const base = bases.length > 0 && this.#chance(2) ? `t:${this.#one(bases).name}` : this.#simpleName();
    this.#components.push(
      `<xs:complexType name="${name}"><xs:simpleContent><xs:extension base="${base}">${this.#attributes(2)}</xs:extension></xs:simpleContent></xs:complexType>`,
    );
    this.#complex.push({ name, content: undefined, isMixed: false, isSimple: true, isOpen: false, uses: new Set() });
  }

  #addExtension(name: string, base: ComplexType, isAbstract: string): void {
    if (!base.isOpen || base.content === undefined) return;
    this.#uses = new Set(base.uses);
    const own = this.#modelGroup(1, true);
    const mixed = base.isMixed ? ' mixed="true"' : '';
    this.#components.push(
      `<xs:complexType name="${name}"${mixed}${isAbstract}><xs:complexContent><xs:extension base="t:${base.name}">${written(own)}${this.#attributes(2)}</xs:extension></xs:complexContent></xs:complexType>`,
    );
    const content: Particle = { kind: 'sequence', markup: '', min: 1, max: 1, parts: [base.content, own] };
    this.#complex.push({ name, content, isMixed: base.isMixed, isSimple: false, isOpen: true, uses: this.#uses });
  }

  /** The content of the base without some of what may be absent, and with what may be absent required. */
  #addRestriction(name: string, base: ComplexType): void {
    const content = this.#narrowed(base.content as Particle);
    const mixed = base.isMixed ? ' mixed="true"' : '';
    this.#components.push(
      `<xs:complexType name="${name}"${mixed}><xs:complexContent><xs:restriction base="t:${base.name}">${written(content)}</xs:restriction></xs:complexContent></xs:complexType>`,
    );
    this.#complex.push({ name, content, isMixed: base.isMixed, isSimple: false, isOpen: base.isOpen, uses: base.uses });
  }

  #narrowed(particle: Particle): Particle {
    if (particle.kind !== 'sequence') return particle;
    const parts = particle.parts.flatMap((each): Particle[] => {
      if (each.kind !== 'element' || each.min > 0) return [this.#narrowed(each)];
      if (this.#chance(3)) return [];
      return [this.#chance(2) ? { ...each, min: 1 } : each];
    });
    return { ...particle, parts };
  }

  #content(isMixed: boolean): Particle {
    if (this.#chance(8) && !isMixed) return this.#all();
    return this.#modelGroup(0, true);
  }

  #all(): Particle {
    const parts = Array.from({ length: 1 + this.#pick(3) }, () => ({
      ...this.#local(DEEPEST),
      min: this.#pick(2),
      max: 1,
    }));
    const markup = `<xs:all>${parts.map(written).join('')}</xs:all>`;
    return { kind: 'text', markup, min: 1, max: 1, parts: [] };
  }

  #modelGroup(depth: number, mayEnd: boolean): Particle {
    const kind = this.#chance(3) ? 'choice' : 'sequence';
    const parts = Array.from({ length: 1 + this.#pick(4) }, () => this.#particle(depth + 1));
    const isRepeated = this.#chance(6);
    if (kind === 'sequence' && mayEnd && !isRepeated && this.#chance(8)) parts.push(this.#any());
    return { kind, markup: '', parts, ...(isRepeated ? this.#occurs() : { min: this.#chance(6) ? 0 : 1, max: 1 }) };
  }

  #any(): Particle {
    const namespace = this.#one(['##other', 'urn:z', 'urn:y urn:z']);
    const markup = `<xs:any namespace="${namespace}" processContents="lax" minOccurs="0" maxOccurs="${this.#one(['1', 'unbounded'])}"/>`;
    return { kind: 'text', markup, min: 1, max: 1, parts: [] };
  }

  #particle(depth: number): Particle {
    if (depth < DEEPEST && this.#chance(5)) return this.#modelGroup(depth, false);
    const group = this.#unused(this.#groups);
    if (group !== undefined && this.#chance(6)) {
      this.#uses.add(group);
      const markup = `<xs:group ref="t:${group}"${this.#chance(3) ? ' minOccurs="0"' : ''}/>`;
      return { kind: 'text', markup, min: 1, max: 1, parts: [] };
    }
    const element = this.#unused([...this.#elements, ...(this.#hasOther ? ['u:ue'] : [])]);
    if (element !== undefined && this.#chance(6)) {
      this.#uses.add(element);
      return this.#element(`ref="${element}"`);
    }
    return this.#local(depth);
  }

  /** One that the content does not have yet. */
  #unused(names: readonly string[]): string | undefined {
    const free = names.filter((name) => !this.#uses.has(name));
    return free.length === 0 ? undefined : this.#one(free);
  }

  #local(depth: number): Particle {
    const name = `name="${this.#name('e')}"`;
    const nil = this.#chance(8) ? ' nillable="true"' : '';
    const form = this.#chance(10) ? ` form="${this.#one(['qualified', 'unqualified'])}"` : '';
    const value = this.#chance(12) ? ` type="xs:token" ${this.#one(['default', 'fixed'])}="d e"` : undefined;
    if (value !== undefined) return this.#element(`${name}${form}${value}`);
    if (this.#hasOther && this.#chance(10)) return this.#element(`${name}${form} type="u:UC"${nil}`);
    if (this.#complex.length > 0 && this.#chance(3))
      return this.#element(`${name}${form} type="t:${this.#one(this.#complex).name}"${nil}`);
    if (depth < DEEPEST && this.#chance(8)) {
      const content = written(this.#modelGroup(DEEPEST - 1, true));
      return this.#element(
        `${name}${form}${nil}><xs:complexType>${content}${this.#attributes(1)}</xs:complexType></xs:element`,
      );
    }
    if (this.#chance(8))
      return this.#element(`${name}${form}${nil}><xs:simpleType>${this.#simpleContent()}</xs:simpleType></xs:element`);
    return this.#element(`${name}${form} type="${this.#simpleName()}"${nil}`);
  }

  #element(markup: string): Particle {
    return { kind: 'element', markup, parts: [], ...this.#occurs() };
  }

  #occurs(): Pick2 {
    return this.#one<Pick2>([
      { min: 1, max: 1 },
      { min: 1, max: 1 },
      { min: 0, max: 1 },
      { min: 0, max: 1 },
      { min: 0, max: 'unbounded' },
      { min: 1, max: 'unbounded' },
      { min: 1, max: 3 },
    ]);
  }

  #addElement(): void {
    this.#uses = new Set();
    const name = this.#name('E');
    if (this.#complex.length > 0 && this.#chance(2)) {
      const type = this.#one(this.#complex).name;
      this.#components.push(`<xs:element name="${name}" type="t:${type}"/>`);
      return;
    }
    const content = this.#content(false);
    const again = this.#chance(5) ? `<xs:element ref="t:${name}" minOccurs="0"/>` : '';
    const inside =
      again === '' ? written(content) : `<xs:sequence>${written(this.#modelGroup(1, false))}${again}</xs:sequence>`;
    this.#components.push(
      `<xs:element name="${name}"><xs:complexType>${inside}${this.#attributesOfType()}</xs:complexType></xs:element>`,
    );
  }
}

interface Pick2 {
  readonly min: number;
  readonly max: number | 'unbounded';
}

const HEAD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"';

const WHOLE_FACETS = [
  '<xs:minInclusive value="1"/><xs:maxInclusive value="99"/>',
  '<xs:minExclusive value="1"/><xs:maxExclusive value="4"/>',
  '<xs:totalDigits value="2"/>',
  '<xs:enumeration value="1"/><xs:enumeration value="2"/>',
  '<xs:pattern value="[1-9]"/>',
];

const DECIMAL_FACETS = [
  '<xs:totalDigits value="5"/><xs:fractionDigits value="2"/>',
  '<xs:fractionDigits value="1"/>',
  '<xs:minInclusive value="-0.5"/><xs:maxExclusive value="10.25"/>',
  '<xs:enumeration value="1.5"/><xs:enumeration value="2"/>',
];

const OTHER_FACETS = [
  ['date', '<xs:minInclusive value="2000-01-01"/>'],
  ['hexBinary', '<xs:length value="2"/>'],
  ['base64Binary', '<xs:maxLength value="9"/>'],
  ['double', '<xs:minExclusive value="0"/>'],
  ['time', '<xs:maxInclusive value="12:00:00"/>'],
  ['boolean', '<xs:pattern value="true|false"/>'],
  ['anyURI', '<xs:maxLength value="30"/>'],
  ['dateTime', ''],
] as const;

function written({ kind, markup, min, max, parts }: Particle): string {
  const occurs = `${min === 1 ? '' : ` minOccurs="${min}"`}${max === 1 ? '' : ` maxOccurs="${max}"`}`;
  if (kind === 'text') return markup;
  if (kind !== 'element') return `<xs:${kind}${occurs}>${parts.map(written).join('')}</xs:${kind}>`;
  const [, start = markup, rest = '/'] = /^([^>]*)(>.*)$/s.exec(markup) ?? [];
  return `<xs:element ${start}${occurs}${rest}>`;
}
