import { compileOriginal } from '../../binding/soap/original.ts';
import type { SoapProvider } from '../../binding/soap/soap.ts';
import { originalShapes } from '../../delivered/index.ts';
import { Fault } from '../../model/fault.ts';
import { alternatives, indexByName, type OperationIdentity } from '../../model/operation-names.ts';
import type { Operation } from '../../model/service.ts';
import { SOAP_NAMESPACES } from '../../wire/soap/version.ts';
import { quote } from '../../wire/words.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import type { Compiled } from '../operations.ts';

/** Finds operations by the names in messages. */
export interface SoapRoutes {
  readonly all: readonly Compiled[];
  /**
   * The operation that a message calls. In the shape of the original, the action decides, whatever the element is called;
   * the element only decides when there is no action. When several operations have the element, the action decides, else that
   * of WS-Addressing, else the default version is used. `undefined` for an element that belongs to no operation.
   * @param payload `undefined` for an empty Body, which operations without a request document may have
   * @param action the name of the operation outside the message
   * @param addressed the action of WS-Addressing
   * @throws Fault BAD_REQUEST listing the operations when the choice is ambiguous
   */
  called(payload: XmlElement | undefined, action: string | undefined, addressed?: string): Compiled | undefined;
  /** The fault for an element that belongs to no operation. */
  unknownElement(payload: XmlElement, action: string | undefined): Fault;
  /**
   * By `<OPERATION>.<version>`, `<OPERATION>.VERSION_<n>`, `<Service>.<version>.<OPERATION>` or `<OPERATION>`. When
   * several operations have the name, the namespace of the message decides, else the default version is used. @throws
   * Fault NOT_FOUND, BAD_REQUEST
   */
  byName(name: string, root?: XmlElement): Compiled;
  /** Whether a name belongs to any operation. */
  isKnown(name: string): boolean;
  /** Whether an operation has this name. */
  isNamed(compiled: Compiled, name: string): boolean;
}

/** An operation with its SOAP name. */
interface SoapNamed extends OperationIdentity {
  readonly compiled: Compiled;
  readonly soap: SoapProvider;
}

/** The names of an operation in SOAPAction, `action=` and OperationName. `VERSION_1` is the original's spelling of `v1`. */
export function namesOf({ soap, operation }: Compiled): readonly string[] {
  const { name, action, actions = [] } = soap!.form;
  const { id, version } = operation.service;
  const original = /^v\d+$/.test(version) ? [`${name}.VERSION_${version.slice(1)}`] : [];
  return [...new Set([action, ...actions, `${name}.${version}`, name, `${id}.${name}`, ...original])];
}

/**
 * The elements of a request that call an operation. Where rpc names no namespace, PHP writes the element in that of the envelope
 * around it.
 */
function elementsOf({ soap: { form, request } }: SoapNamed): readonly (string | undefined)[] {
  if (request === undefined) return [undefined];
  const isFree = form.style === 'rpc' && request.namespace === '';
  const namespaces = isFree ? ['', ...Object.values(SOAP_NAMESPACES)] : [request.namespace];
  return namespaces.map((namespace) => qName(namespace, request.name));
}

/** Compiles the routing of every active operation with a SOAP form. */
export function compileSoapRoutes(operations: ReadonlyMap<Operation, Compiled>): SoapRoutes {
  const all = [...operations.values()].flatMap((compiled): SoapNamed[] => {
    const { soap, operation } = compiled;
    if (soap === undefined) return [];
    const { id, service } = operation;
    return [{ id, service, name: soap.form.name, compiled, soap }];
  });
  const elements = new Map<string | undefined, SoapNamed[]>();
  for (const each of all)
    for (const name of elementsOf(each)) elements.set(name, [...(elements.get(name) ?? []), each]);
  const names = new Map<string, SoapNamed[]>();
  for (const each of all)
    for (const name of namesOf(each.compiled)) names.set(name, [...(names.get(name) ?? []), each]);
  const meant = indexByName(all);
  const originals = compileOriginals(all.map(({ compiled }) => compiled));

  function only(asked: string, found: readonly SoapNamed[], why = ''): Compiled {
    const [first, another] = found;
    if (first !== undefined && another === undefined) return first.compiled;
    throw Fault.of('BAD_REQUEST', { reason: `${quote(asked)} may be ${alternatives(found)}${why}` });
  }

  return {
    all: all.map(({ compiled }) => compiled),
    called(payload, action, addressed) {
      const own = elements.get(payload && qName(payload.namespace, payload.local));
      if (own !== undefined) {
        if (own.length === 1) return own[0]!.compiled;
        const given = [action, addressed].filter((name) => name !== undefined);
        const byAction = (given.length === 0 ? [''] : given).map((name) =>
          own.filter((each) => namesOf(each.compiled).includes(name)),
        );
        const byDefault = own.filter((each) => meant.get(each.name)?.includes(each));
        const found = [...byAction, byDefault].find((each) => each.length === 1) ?? own;
        const why = given[0] === undefined ? ', and it has no action' : `, and its action is ${quote(given[0])}`;
        const ids = new Set(found.map(({ service }) => service.id));
        const remedy =
          ids.size === found.length ? `; each service has an address of its own, such as /${[...ids][0]}` : '';
        return only(payload?.local ?? 'an empty Body', found, `${why}${remedy}`);
      }
      if (payload === undefined) return undefined;
      const { namespace } = payload;
      const found = action === undefined ? originals.byRoot(payload) : originals.byName(action);
      // An element in the service's own namespace is meant for the service's own WSDL.
      return found?.soap?.namespace === namespace ? undefined : found;
    },
    unknownElement(payload, action) {
      const { namespace, local } = payload;
      if (action !== undefined && originals.byRoot(payload) !== undefined)
        return Fault.of('NOT_FOUND', { what: `operation for the action ${quote(action)}` });
      const namespaces = names.get(local)?.map(({ soap }) => soap.request?.namespace ?? soap.namespace);
      const hint = namespaces === undefined ? '' : `; ${local} is in ${namespaces.map(inNamespace).join(' and ')}`;
      return Fault.of('NOT_FOUND', { what: `operation for the element ${quote(qName(namespace, local))}${hint}` });
    },
    byName(name, root) {
      const found = names.get(name);
      if (found === undefined) {
        const spoken = originals.byName(name);
        const compiled = spoken && operations.get(spoken.operation);
        if (compiled === undefined) throw Fault.of('NOT_FOUND', { what: `operation ${quote(name)} over SOAP` });
        return compiled;
      }
      const ofBody = found.filter(({ soap }) => soap.namespace === root?.namespace);
      return only(name, ofBody.length === 1 ? ofBody : (meant.get(name) ?? found));
    },
    isKnown: (name) => names.has(name) || originals.byName(name) !== undefined,
    isNamed: (compiled, name) =>
      namesOf(compiled).includes(name) || originals.byName(name)?.operation === compiled.operation,
  };
}

const inNamespace = (namespace: string): string => (namespace === '' ? 'no namespace' : `the namespace ${namespace}`);

const qName = (namespace: string, local: string): string => `{${namespace}}${local}`;

/** Finds operations for callers that use the shapes of the original. The result reads and writes those shapes. */
interface Originals {
  /** By `<OPERATION>.VERSION_<n>`, `<OPERATION>.<version>` or `<OPERATION>`. */
  byName(name: string): Compiled | undefined;
  /** By the root element of the request, when nothing names the operation. */
  byRoot(root: XmlElement): Compiled | undefined;
}

/** The prefix of the namespaces of the original's messages; some of its clients send none. */
const NAMESPACES = 'http://xmlns.oracle.com/Enterprise/Tools/schemas/';

/** Compiles the original shapes of the delivered operations. */
function compileOriginals(operations: Iterable<Compiled>): Originals {
  const names = new Map<string, Compiled>();
  const roots = new Map<string, Compiled>();
  for (const compiled of operations) {
    const { soap, operation } = compiled;
    const shape = operation.service.delivered && soap !== undefined ? originalShapes.get(soap.form.name) : undefined;
    if (soap === undefined || shape === undefined) continue;
    for (const version of shape.versions.toReversed()) {
      const spoken: Compiled = Object.create(compiled, {
        original: { value: true },
        soap: { value: compileOriginal(soap, shape, version) },
      });
      for (const name of [soap.form.name, ...(shape.aliases ?? [])]) {
        names.set(`${name}.VERSION_${version}`, spoken);
        names.set(`${name}.${operation.service.version}`, spoken);
        names.set(name, spoken);
      }
      for (const root of shape.request.roots) roots.set(root, spoken);
    }
  }
  return {
    byName: (name) => names.get(name),
    byRoot: ({ local, namespace }) =>
      namespace === '' || namespace.startsWith(NAMESPACES) ? roots.get(local) : undefined,
  };
}
