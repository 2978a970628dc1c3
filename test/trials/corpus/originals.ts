import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sources } from '../../../src/import/source.ts';
import { attribute, childrenNamed } from '../../../src/import/xml.ts';
import { schemasOf, XSD } from '../../../src/import/xsd/sources.ts';
import type { XmlAttribute, XmlElement } from '../../../src/wire/xml/tree.ts';
import { writeXml } from '../../../src/wire/xml/write-xml.ts';

const HEAD = `<xs:schema xmlns:xs="${XSD}"`;

/** What schemas refer to without a place where it is. */
const KNOWN: Readonly<Record<string, string>> = {
  'http://www.w3.org/XML/1998/namespace': `${HEAD} targetNamespace="http://www.w3.org/XML/1998/namespace"><xs:attribute name="lang"><xs:simpleType><xs:union memberTypes="xs:language"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value=""/></xs:restriction></xs:simpleType></xs:union></xs:simpleType></xs:attribute><xs:attribute name="base" type="xs:anyURI"/><xs:attribute name="space" type="xs:NCName"/><xs:attribute name="id" type="xs:ID"/></xs:schema>`,
  ...Object.fromEntries(
    ['http://www.w3.org/2005/05/xmlmime', 'http://www.w3.org/2004/11/xmlmime'].map((namespace) => [
      namespace,
      `${HEAD} xmlns="${namespace}" targetNamespace="${namespace}"><xs:attribute name="contentType" type="xs:string"/><xs:attribute name="expectedContentTypes" type="xs:string"/><xs:complexType name="base64Binary"><xs:simpleContent><xs:extension base="xs:base64Binary"><xs:attribute ref="contentType"/></xs:extension></xs:simpleContent></xs:complexType></xs:schema>`,
    ]),
  ),
};

/**
 * Writes the schemas of a contract as files that xmllint reads: those inside a WSDL with the prefixes that are declared
 * around them.
 * @returns the path of a schema that has all of them
 */
export function writeOriginals(sources: Sources<XmlElement>, folder: string): string {
  const all = [...sources.entries()].flatMap(([location, root]) =>
    schemasOf(root).map((schema) => ({ location, schema })),
  );
  const files = new Map(all.map(({ schema }, index) => [schema, `s${index}.xsd`]));
  // A schema that another includes has its namespace, and is no part of its own.
  const included = new Set(all.flatMap(({ location, schema }) => referredSchemas(schema, location, sources)));
  const namespaces = new Map<string, string[]>();
  for (const { schema } of all) {
    if (included.has(schema)) continue;
    const namespace = attribute(schema, 'targetNamespace') ?? '';
    namespaces.set(namespace, [...(namespaces.get(namespace) ?? []), files.get(schema) as string]);
  }
  const entries = new Map([...namespaces.keys()].map((namespace, index) => [namespace, `n${index}.xsd`]));
  for (const [index, [namespace, text]] of Object.entries(KNOWN).entries()) {
    if (entries.has(namespace)) continue;
    entries.set(namespace, `k${index}.xsd`);
    writeFileSync(join(folder, `k${index}.xsd`), text);
  }
  for (const { location, schema } of all) {
    const rewritten = rewrite(schema, (element) => placed(element, location, sources, files, entries));
    const content = [...missingImports(rewritten, entries), ...rewritten.content];
    writeFileSync(
      join(folder, files.get(schema) as string),
      writeXml(changed(rewritten, rewritten.attributes, content)),
    );
  }
  for (const [namespace, parts] of namespaces) {
    const target = namespace === '' ? '' : ` targetNamespace="${namespace.replaceAll('&', '&amp;')}"`;
    const includes = parts.map((each) => `<xs:include schemaLocation="${each}"/>`).join('');
    writeFileSync(join(folder, entries.get(namespace) as string), `${HEAD}${target}>${includes}</xs:schema>`);
  }
  const imports = [...namespaces.keys()].map((namespace) =>
    namespace === ''
      ? `<xs:include schemaLocation="${entries.get('')}"/>`
      : `<xs:import namespace="${namespace.replaceAll('&', '&amp;')}" schemaLocation="${entries.get(namespace)}"/>`,
  );
  writeFileSync(join(folder, 'all.xsd'), `${HEAD}>${imports.join('')}</xs:schema>`);
  return join(folder, 'all.xsd');
}

/** Imports of the namespaces that a schema does not import: many refer to these all the same, and only xmllint minds. */
function missingImports(schema: XmlElement, entries: ReadonlyMap<string, string>): XmlElement[] {
  const known = new Set(childrenNamed(schema, XSD, 'import').map((each) => attribute(each, 'namespace') ?? ''));
  known.add(attribute(schema, 'targetNamespace') ?? '');
  return [...entries].flatMap(([namespace, file]): XmlElement[] => {
    if (known.has(namespace)) return [];
    const name = namespace === '' ? [] : [{ local: 'namespace', namespace: '', value: namespace }];
    const attributes = [...name, { local: 'schemaLocation', namespace: '', value: file }];
    return [{ ...changed(schema, attributes, []), local: 'import' }];
  });
}

function referredSchemas(schema: XmlElement, location: string, sources: Sources<XmlElement>): XmlElement[] {
  return childrenNamed(schema, XSD, 'include', 'redefine').flatMap((each) => {
    const found = sources.referred(location, attribute(each, 'schemaLocation') ?? '#');
    const [first] = found === undefined ? [] : schemasOf(found.content);
    return first === undefined || found?.location === location ? [] : [first];
  });
}

/** An element of a schema with the file that it refers to; `undefined` to leave it out. */
function placed(
  element: XmlElement,
  location: string,
  sources: Sources<XmlElement>,
  files: ReadonlyMap<XmlElement, string>,
  entries: ReadonlyMap<string, string>,
): XmlElement | undefined {
  if (element.namespace !== XSD || !['import', 'include', 'redefine'].includes(element.local)) return element;
  const others = element.attributes.filter(({ local }) => local !== 'schemaLocation');
  const at = (file: string | undefined): XmlAttribute[] =>
    file === undefined ? [] : [{ local: 'schemaLocation', namespace: '', value: file }];
  if (element.local === 'import')
    return changed(element, [...others, ...at(entries.get(attribute(element, 'namespace') ?? ''))], element.content);
  const found = sources.referred(location, attribute(element, 'schemaLocation') ?? '#');
  const [schema] = found === undefined ? [] : schemasOf(found.content);
  return schema === undefined ? undefined : changed(element, [...others, ...at(files.get(schema))], element.content);
}

function rewrite(element: XmlElement, change: (element: XmlElement) => XmlElement | undefined): XmlElement {
  const content = element.content
    .map((each) => (typeof each === 'string' ? each : change(each)))
    .filter((each) => each !== undefined);
  return changed(element, element.attributes, content);
}

function changed(
  element: XmlElement,
  attributes: XmlElement['attributes'],
  content: XmlElement['content'],
): XmlElement {
  const { local, namespace, prefix, line, column } = element;
  return {
    local,
    namespace,
    prefix,
    attributes,
    content,
    line,
    column,
    namespaceOf: (each) => element.namespaceOf(each),
  };
}
