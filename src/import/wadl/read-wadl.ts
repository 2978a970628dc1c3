import { attributeOf, type XmlElement } from '../../wire/xml/tree.ts';
import { fileName } from '../declare/documents.ts';
import type { DraftContract, DraftOperation, DraftService } from '../draft.ts';
import { ImportError, type Losses, type Place } from '../place.ts';
import type { Sources } from '../source.ts';
import { attribute } from '../xml.ts';
import { SchemaDrafts, type SchemaPart } from '../xsd/drafts.ts';
import { schemasOf } from '../xsd/sources.ts';
import { methodOf, readMethod } from './method.ts';
import { type Param, readParams, type WadlContext } from './params.ts';
import { WADL } from './sources.ts';
import { documentationOf, elementsOf, type Node, placeIn, WadlTree } from './tree.ts';

/** Reads WADL files with their grammars. */
export function readWadl(sources: Sources<XmlElement>, losses: Losses): DraftContract {
  const files = [...sources.entries()].filter(([, { namespace }]) => WADL.includes(namespace));
  const tree = new WadlTree(sources, losses);
  const schemas = new SchemaDrafts(
    files.flatMap((file) => grammarsOf(file, sources, tree)),
    sources,
    losses,
  );
  const context: WadlContext = { tree, schemas, losses };
  const reading = new Reading(context);
  const services = files.flatMap(([location, element]) => reading.application({ location, element }));
  reading.reportUnused(files);
  return { language: 'wadl', services, documents: schemas.documents() };
}

/** The schemas in the grammars of a file, and in the files that these include. */
function grammarsOf(
  [location, root]: readonly [string, XmlElement],
  sources: Sources<XmlElement>,
  tree: WadlTree,
): SchemaPart[] {
  return tree.children({ element: root, location }, 'grammars').flatMap((grammars) =>
    tree.contentOf(grammars).flatMap((each) => {
      const isReference = each.element.namespace === root.namespace && each.element.local === 'include';
      if (!isReference) return schemasOf(each.element).map((schema) => ({ root: schema, location: each.location }));
      const to = attribute(each.element, 'href');
      const found = to === undefined ? undefined : sources.referred(each.location, to);
      if (found === undefined) return [];
      return schemasOf(found.content).map((schema) => ({ root: schema, location: found.location }));
    }),
  );
}

/** Where a resource is: its path from the base, and the parameters on the way. */
interface ResourcePath {
  readonly path: string;
  readonly params: readonly Param[];
}

/** Deepest nesting of resources, types included: types may refer to each other in circles. */
const DEEPEST = 50;

/** Most resources, each counted as often as its types are used. */
const MOST_RESOURCES = 20_000;

class Reading {
  readonly #context: WadlContext;
  /** Methods and resource types that were read. */
  readonly #used = new Set<XmlElement>();
  #resources = 0;
  /** Methods OPTIONS of the service that is read. */
  readonly #options: { readonly path: string; readonly place: Place }[] = [];

  constructor(context: WadlContext) {
    this.#context = context;
  }

  /** A service for each `resources`, and one for the resource types that no resource has. */
  application(application: Node): DraftService[] {
    const { tree } = this.#context;
    const name = fileName(application.location).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    const services = tree.children(application, 'resources').map((node): DraftService => {
      const { element } = node;
      const description = documentationOf(node) ?? documentationOf(application);
      const base = attribute(element, 'base') ?? '';
      const operations = tree
        .children(node, 'resource')
        .flatMap((each) => this.#resource(each, { path: '', params: [] }, 0));
      return {
        name,
        place: placeIn(node),
        ...(description === undefined ? {} : { description }),
        addresses: base === '' ? [] : [base],
        operations,
        options: this.#options.splice(0),
      };
    });
    const types = tree.children(application, 'resource_type').filter(({ element }) => !this.#used.has(element));
    const operations = types.flatMap((each) => this.#inside(each, { path: '', params: [] }, 0));
    if (operations.length === 0) return services;
    return [
      ...services,
      { name, place: placeIn(application), addresses: [], operations, options: this.#options.splice(0) },
    ];
  }

  #resource(resource: Node, around: ResourcePath, depth: number): DraftOperation[] {
    const own = attributeOf(resource.element, 'path') ?? '';
    const path = [around.path, own.trim()].map((each) => each.replace(/^\/+|\/+$/g, '')).filter((each) => each !== '');
    const spot = { path: path.join('/'), params: around.params };
    return this.#inside(resource, spot, depth);
  }

  /** The operations of a resource or a resource type, and of what is below it. */
  #inside(node: Node, around: ResourcePath, depth: number): DraftOperation[] {
    const { tree, losses } = this.#context;
    if (depth > DEEPEST) {
      losses.operation('resources are nested too deeply', 'what is below is left out', placeIn(node));
      return [];
    }
    if (++this.#resources > MOST_RESOURCES)
      throw new ImportError(`there are more than ${MOST_RESOURCES} resources`, placeIn(node));
    this.#used.add(node.element);
    const spot = { path: around.path, params: [...around.params, ...readParams(this.#context, node)] };
    const types = node.element.local === 'resource' ? (attribute(node.element, 'type') ?? '').split(/\s+/) : [];
    const fromTypes = types.flatMap((href) => {
      const type = href === '' ? undefined : tree.referred(href, node);
      return type === undefined ? [] : this.#inside(type, spot, depth + 1);
    });
    const own = tree.children(node, 'method');
    const hasOthers = own.some((each) => methodOf(each) !== 'OPTIONS');
    const methods = own.flatMap((method) => {
      this.#used.add(method.element);
      if (hasOthers && methodOf(method) === 'OPTIONS') {
        this.#options.push({ path: spot.path, place: placeIn(method) });
        return [];
      }
      return readMethod(this.#context, method, spot);
    });
    const below = tree.children(node, 'resource').flatMap((each) => this.#resource(each, spot, depth + 1));
    return [...methods, ...fromTypes, ...below];
  }

  /** Methods that nothing refers to have no address, so that they can't be called. */
  reportUnused(files: readonly (readonly [string, XmlElement])[]): void {
    for (const [location, root] of files) {
      for (const element of elementsOf(root)) {
        if (element.local !== 'method' || attribute(element, 'href') !== undefined || this.#used.has(element)) continue;
        const what = `the method "${attribute(element, 'id') ?? attribute(element, 'name') ?? ''}" belongs to no resource`;
        this.#context.losses.operation(what, 'left out', placeIn({ element, location }));
      }
    }
  }
}
