import { compileOriginal } from '../../binding/soap/original.ts';
import { originalShapes } from '../../delivered/index.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import type { Compiled } from '../operations.ts';

/** Finds operations for callers who speak the shapes of the original. What is found writes and reads in those. */
export interface Originals {
  /** By `<OPERATION>.VERSION_<n>`, `<OPERATION>.<version>` or `<OPERATION>`. */
  byName(name: string): Compiled | undefined;
  /** By the root of the request, where nothing names the operation. */
  byRoot(root: XmlElement): Compiled | undefined;
}

/** The namespaces of the original's messages begin so; some of its clients send none. */
const NAMESPACES = 'http://xmlns.oracle.com/Enterprise/Tools/schemas/';

/** Compiles the shapes of the delivered operations among these. */
export function compileOriginals(operations: Iterable<Compiled>): Originals {
  const names = new Map<string, Compiled>();
  const roots = new Map<string, Compiled>();
  for (const compiled of operations) {
    const { soap, operation } = compiled;
    const shape = operation.service.delivered && soap !== undefined ? originalShapes.get(soap.form.name) : undefined;
    if (soap === undefined || shape === undefined) continue;
    for (const version of shape.versions.toReversed()) {
      const spoken: Compiled = { ...compiled, original: true, soap: compileOriginal(soap, shape, version) };
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
