import type { XmlElement } from '../wire/xml/tree.ts';
import type { DraftContract } from './draft.ts';
import { readOpenApi } from './openapi/read.ts';
import { OPENAPI_LANGUAGE } from './openapi/sources.ts';
import { ImportError, Losses } from './place.ts';
import { gather, type ReadSource, type SourceLanguage, type SourceLimits, type Sources } from './source.ts';
import { readWadl } from './wadl/read.ts';
import { WADL, WADL_LANGUAGE } from './wadl/sources.ts';
import { readWsdl } from './wsdl/read.ts';
import { WSDL, WSDL_2, WSDL_LANGUAGE } from './wsdl/sources.ts';
import { Together } from './wsdl/together.ts';
import { parseXml, placeOf } from './xml.ts';
import { SchemaDrafts } from './xsd/drafts.ts';
import { schemasOf, XSD, XSD_LANGUAGE } from './xsd/sources.ts';

/** A contract, with what could not be carried. */
export interface Imported {
  readonly contract: DraftContract;
  readonly losses: Losses;
  /** The locations that it was read from, without those that it refers to. */
  readonly roots: readonly string[];
}

type Language = DraftContract['language'];

/**
 * Reads contracts. Those of one language belong together, but for OpenAPI, where each is a contract of its own, and for WSDL
 * files that declare something by one name in different ways, such as versions of a contract.
 *
 * @param roots locations, as {@link ReadSource} takes them
 * @throws ImportError for a contract that is not valid
 */
export async function importContracts(
  roots: readonly string[],
  read: ReadSource,
  limits?: SourceLimits,
): Promise<readonly Imported[]> {
  const groups: Group[] = [];
  const parsed = new Map<string, XmlElement>();
  for (const root of roots) {
    const language = await languageOf(root, read, parsed);
    const content = parsed.get(root);
    const group = groups.find((each) => each.language === language && takes(each, content));
    if (group !== undefined) group.roots.push(root);
    else groups.push(groupOf(language, root, content));
  }
  const imported: Imported[] = [];
  for (const group of groups) {
    // Schemas next to another contract are parts of it.
    if (group.language === 'xsd' && groups.length > 1) continue;
    imported.push(await READERS[group.language]({ roots: group.roots, read, limits, parsed }));
  }
  return imported;
}

/** The files of one contract. */
interface Group {
  readonly language: Language;
  readonly roots: string[];
  readonly together: Together;
}

function groupOf(language: Language, root: string, content: XmlElement | undefined): Group {
  const together = new Together();
  if (language === 'wsdl' && content !== undefined) together.add(content);
  return { language, roots: [root], together };
}

function takes({ language, together }: Group, content: XmlElement | undefined): boolean {
  if (language === 'wsdl' && content !== undefined) return together.add(content);
  return language !== 'openapi';
}

interface ReaderInput {
  readonly roots: readonly string[];
  readonly read: ReadSource;
  readonly limits: SourceLimits | undefined;
  /** The contracts that are XML, parsed to find their language. */
  readonly parsed: ReadonlyMap<string, XmlElement>;
}

type Reader = (input: ReaderInput) => Promise<Imported>;

function readerOf<Content>(
  language: SourceLanguage<Content>,
  readContract: (sources: Sources<Content>, losses: Losses) => DraftContract,
): Reader {
  return async ({ roots, read, limits }) => {
    const losses = new Losses();
    const sources = await gather(roots, language, read, losses, limits);
    return { contract: readContract(sources, losses), losses, roots };
  };
}

function xmlReaderOf(
  language: SourceLanguage<XmlElement>,
  readContract: (sources: Sources<XmlElement>, losses: Losses) => DraftContract,
): Reader {
  return (input) => {
    const parse = (bytes: Uint8Array, location: string): XmlElement =>
      input.parsed.get(location) ?? language.parse(bytes, location);
    return readerOf({ ...language, parse }, readContract)(input);
  };
}

const READERS: Readonly<Record<Language, Reader>> = {
  wsdl: xmlReaderOf(WSDL_LANGUAGE, readWsdl),
  wadl: xmlReaderOf(WADL_LANGUAGE, readWadl),
  openapi: readerOf(OPENAPI_LANGUAGE, (sources, losses) => readOpenApi(sources.roots[0] ?? '', sources, losses)),
  xsd: xmlReaderOf(XSD_LANGUAGE, readSchemas),
};

/** A contract that is schemas alone: documents, and no service. */
function readSchemas(sources: Sources<XmlElement>, losses: Losses): DraftContract {
  const parts = sources.roots.flatMap((location) => {
    const root = sources.at(location);
    return root === undefined ? [] : schemasOf(root).map((each) => ({ root: each, location }));
  });
  return { language: 'xsd', services: [], documents: new SchemaDrafts(parts, sources, losses).documents() };
}

/** Root elements by language. */
const ROOTS: Readonly<Record<string, Language>> = {
  [`{${WSDL}}definitions`]: 'wsdl',
  [`{${XSD}}schema`]: 'xsd',
  ...Object.fromEntries(WADL.map((namespace) => [`{${namespace}}application`, 'wadl'] as const)),
};

/** The language of a contract, by its content. @throws ImportError for another language */
async function languageOf(location: string, read: ReadSource, parsed: Map<string, XmlElement>): Promise<Language> {
  const found = await read(location);
  const place = { source: location, line: 0, column: 0 };
  if ('missing' in found) throw new ImportError(found.missing, place);
  if (!looksLikeXml(found.bytes)) return 'openapi';
  const root = parseXml(found.bytes, location);
  parsed.set(location, root);
  const language = ROOTS[`{${root.namespace}}${root.local}`];
  if (language !== undefined) return language;
  if (root.namespace === WSDL_2) {
    const hint = 'Ask for WSDL 1.1, which clients and servers of all makers read.';
    throw new ImportError('WSDL 2.0 is not read', placeOf(root, location), hint);
  }
  throw new ImportError(
    `the root element <${root.local}>${root.namespace === '' ? '' : ` of ${root.namespace}`} is not that of a contract`,
    placeOf(root, location),
    'Contracts are WSDL 1.1, XML Schema, WADL 2009 and OpenAPI 2.0 to 3.2.',
  );
}

/** Whether the first character behind a byte order mark and white space is `<`, in UTF-8 or UTF-16. */
function looksLikeXml(bytes: Uint8Array): boolean {
  const skipped = new Set([0, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff]);
  return bytes.find((each) => !skipped.has(each)) === 0x3c;
}
