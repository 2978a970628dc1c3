import { Losses } from '../../../../src/import/place.ts';
import type { Sources } from '../../../../src/import/source.ts';
import { type Component, Components, type Schema } from '../../../../src/import/xsd/components.ts';
import { schemasOf } from '../../../../src/import/xsd/sources.ts';
import { type Pick, seeded } from '../../../../src/mock/instance.ts';
import type { XmlElement } from '../../../../src/wire/xml/tree.ts';
import { Instances } from '../instances.ts';
import { type Node, nodeText } from '../node.ts';
import { Unmakeable } from '../simple-text.ts';
import type { Part, ZeepMessage } from './zeep.ts';

/** The Body and the header blocks of a message, as XML. */
export interface MessageXml {
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes messages that are valid by the schemas of a contract. */
export class MessageMaker {
  readonly #components: Components;
  readonly #instances: Instances;
  readonly #pick: Pick;
  readonly #schema: Schema;

  constructor(sources: Sources<XmlElement>, seed: string) {
    const parts = [...sources.entries()].flatMap(([location, root]) =>
      schemasOf(root).map((each) => ({ root: each, location })),
    );
    this.#components = new Components(parts, sources, new Losses());
    this.#pick = seeded(seed);
    this.#instances = new Instances(this.#components, this.#pick);
    const root = [...this.#components.all()][0]?.schema ?? { root: emptyElement('schema', ''), location: '' };
    this.#schema = { ...root, namespace: '', chameleon: false };
  }

  /** Local names of attributes with a default. */
  get presets(): ReadonlySet<string> {
    return this.#instances.defaults;
  }

  /** @throws Unmakeable, NotSimple */
  make({ kind, element, type, parts = [], headers }: ZeepMessage): MessageXml {
    const blocks = headers.filter(() => this.#pick(4) > 0).map((each) => [each.part, this.#text(each)] as const);
    const body = (): string | null => {
      if (kind === 'none') return null;
      if (kind === 'document') return this.#text({ part: '', element: element ?? null, type: type ?? null });
      if (kind === 'several') throw new Unmakeable('a Body of several parts');
      const [, namespace = '', local = ''] = NAME.exec(element ?? '') ?? [];
      return nodeText({ namespace, local, attributes: [], children: parts.map((each) => this.#node(each)) });
    };
    return { body: body(), headers: Object.fromEntries(blocks) };
  }

  #text(part: Part): string {
    return nodeText(this.#node(part));
  }

  #node({ part, element, type }: Part): Node {
    const [, namespace = '', local = ''] = NAME.exec(element ?? '') ?? [];
    const component = this.#components.find('element', { namespace, local });
    if (component !== undefined) return this.#instances.root(component);
    const name = { namespace: element === part ? '' : namespace, local: local === '' ? part : local };
    if (type === null) throw new Unmakeable(`a part without a type`);
    return this.#instances.root({ kind: 'element', name, element: typed(type), schema: this.#schema } as Component);
  }
}

const NAME = /^(?:\{(.*)\})?(.*)$/;

function emptyElement(local: string, type: string): XmlElement {
  const [, namespace = ''] = NAME.exec(type) ?? [];
  return {
    ...{ local, namespace: 'http://www.w3.org/2001/XMLSchema', prefix: 'xs', content: [], line: 0, column: 0 },
    attributes: [],
    namespaceOf: (prefix) => (prefix === 'p' ? namespace : undefined),
  };
}

/** A declaration of an element with a type. */
function typed(type: string): XmlElement {
  const [, , local = ''] = NAME.exec(type) ?? [];
  return { ...emptyElement('element', type), attributes: [{ local: 'type', namespace: '', value: `p:${local}` }] };
}
