import { compileDocument, type DocumentCodec } from '../../../src/codec/index.ts';
import { describeOpenApi, describeXsdFiles } from '../../../src/describe/index.ts';
import type { DraftContract, DraftDocument, DraftOperation } from '../../../src/import/draft.ts';
import { declare, update } from '../../../src/import/index.ts';
import { Losses } from '../../../src/import/place.ts';
import type { Sources } from '../../../src/import/source.ts';
import { qnameKey } from '../../../src/import/xml.ts';
import { type Component, Components, type SchemaPart } from '../../../src/import/xsd/components.ts';
import { SchemaDrafts } from '../../../src/import/xsd/drafts.ts';
import { loadTexts } from '../../../src/load/index.ts';
import type { Document } from '../../../src/model/document.ts';
import type { Registry } from '../../../src/model/registry.ts';
import { serviceNamespace } from '../../../src/model/service.ts';
import type { XmlElement } from '../../../src/wire/xml/tree.ts';

/** What the import made of one global element. */
export interface ImportedElement {
  readonly component: Component;
  /** Its place among the elements: the path of its operation is `e0`. */
  readonly index: number;
  readonly document: Document;
  readonly codec: DocumentCodec;
}

/** What the import made of schemas: a service with an operation for each global element. */
export interface ImportedSchemas {
  readonly components: Components;
  readonly elements: readonly ImportedElement[];
  /** Global elements whose documents can't be loaded, with the reason. */
  readonly skipped: ReadonlyMap<string, string>;
  /** The schemas that we describe, by file name. */
  xsd(): ReadonlyMap<string, string>;
  openApi(): string;
}

const NOWHERE = { source: 'a schema', line: 0, column: 0 };

/** Imports schemas and loads what is written, as definitions are. */
export function importSchemas(
  parts: readonly SchemaPart[],
  sources: Sources<XmlElement>,
  losses: Losses,
): ImportedSchemas {
  const components = new Components(parts, sources, losses);
  const drafts = new SchemaDrafts(parts, sources, losses);
  const skipped = new Map<string, string>();
  const roots = [...components.all()].filter(({ kind, element }) => kind === 'element' && !isAbstract(element));
  const usable = roots.map((component) => ({ component, document: drafts.element(component.name, NOWHERE) }));
  const { registry, errors } = load(
    usable.map(({ document }) => document),
    'xsd',
    drafts.documents(),
  );
  const service = registry?.services.get('INSTANCES.v1');
  if (registry === undefined || service === undefined) {
    for (const { component } of usable) skipped.set(qnameKey(component.name), errors[0] ?? 'not loaded');
    return { components, elements: [], skipped, xsd: () => new Map(), openApi: () => '' };
  }
  const namespace = serviceNamespace(service, registry.gateway.namespace);
  const elements = usable.map(({ component }, index): ImportedElement => {
    const operation = service.operations.find(({ id }) => id === `e${index}`);
    if (operation?.request.kind !== 'document') throw new Error(`e${index} has no document`);
    const { document } = operation.request;
    return { component, index, document, codec: compileDocument(document, { namespace }) };
  });
  return {
    components,
    elements,
    skipped,
    xsd: () => describeXsdFiles(registry, service),
    openApi: () => describeOpenApi(registry, service, { base: 'http://localhost/gateway' }),
  };
}

function isAbstract({ attributes }: XmlElement): boolean {
  return attributes.some(({ local, value }) => local === 'abstract' && /^(true|1)$/.test(value));
}

/** Loads a service INSTANCES.v1 whose operations `e0`, `e1` and so on have these requests; others may derive from them. */
export function load(
  documents: readonly DraftDocument[],
  language: DraftContract['language'],
  others: readonly DraftDocument[] = [],
): {
  readonly registry: Registry | undefined;
  readonly errors: readonly string[];
} {
  const operations = documents.map(
    (document, index): DraftOperation => ({
      name: `e${index}`,
      place: NOWHERE,
      rest: { method: 'POST', uris: [`e${index}`], headers: {} },
      request: { kind: 'document', document },
      responses: [{ message: { kind: 'none' } }],
      faults: [],
    }),
  );
  const contract: DraftContract = {
    language,
    services: [{ name: 'INSTANCES', place: NOWHERE, addresses: [], operations }],
    documents: [...documents, ...others],
  };
  const taken = { service: [], node: [], 'permission-list': [], scheme: [], document: [] };
  const declared = declare(contract, { as: 'provider', name: 'INSTANCES', taken }, new Losses());
  const gateway = ['definitions/gateway.yaml', 'gateway: LOCAL\n'] as const;
  const pathOf = (file: string): string => `definitions/${file}.yaml`;
  const { files } = update({ files: new Map([gateway]), before: [], after: declared, pathOf });
  const { registry, diagnostics } = loadTexts(new Map([gateway, ...files]));
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return { registry, errors: errors.map(({ code, message }) => `${code}: ${message}`) };
}
