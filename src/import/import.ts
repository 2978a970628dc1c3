import { decodeText } from '../wire/charset.ts';
import type { XmlElement } from '../wire/xml/tree.ts';
import type { DraftContract, Purpose } from './draft.ts';
import { readOpenApi } from './openapi/read-openapi.ts';
import { OPENAPI_LANGUAGE } from './openapi/sources.ts';
import { ImportError, Losses, refuseInvalid } from './place.ts';
import { gather, type ReadSource, type SourceLanguage, type SourceLimits, type Sources } from './source.ts';
import { readWadl } from './wadl/read-wadl.ts';
import { WADL, WADL_LANGUAGE } from './wadl/sources.ts';
import { readWsdl } from './wsdl/read-wsdl.ts';
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

/** How contracts are read. */
export interface ImportContractsOptions {
  readonly limits?: SourceLimits;
  /**
   * `comparison` keeps types that definitions can't say in a form in which two contracts are compared, and which is never served or
   * called.
   */
  readonly purpose?: Purpose;
  /** Whether what is not valid is left out and recorded, and the rest taken. */
  readonly tolerant?: boolean;
}

/**
 * Reads contracts. Those of one language belong together, but for OpenAPI, where each is a contract of its own, and for WSDL
 * files that declare something by one name in different ways, such as versions of a contract.
 *
 * @param roots locations, as {@link ReadSource} takes them
 * @throws ImportError for contracts that are not valid, with everything that is not valid in them
 */
export async function importContracts(
  roots: readonly string[],
  read: ReadSource,
  { limits, purpose = 'definitions', tolerant = false }: ImportContractsOptions = {},
): Promise<readonly Imported[]> {
  const groups: Group[] = [];
  const parsed = new Map<string, Parsed>();
  for (const root of roots) {
    const language = await languageOf(root, read, parsed).catch((error) => rethrown(error, root, read));
    const content = parsed.get(root)?.root;
    const group = groups.find((each) => each.language === language && takes(each, content));
    if (group !== undefined) group.roots.push(root);
    else groups.push(groupOf(language, root, content));
  }
  const imported: Imported[] = [];
  for (const group of groups) {
    // Schemas next to another contract are parts of it.
    if (group.language === 'xsd' && groups.length > 1) continue;
    const reading = READERS[group.language]({ roots: group.roots, read, limits, purpose, parsed });
    // A description has one root; XML is known by its root element.
    imported.push(await reading.catch((error) => rethrown(error, group.roots[0] as string, read)));
  }
  if (!tolerant) refuseInvalid(imported.flatMap(({ losses }) => losses.all()));
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

/** Throws an error of a contract again; what is not a contract at all is named by its format. */
async function rethrown(error: unknown, root: string, read: ReadSource): Promise<never> {
  const found = error instanceof ImportError && error.place.source === root ? await read(root) : undefined;
  if (!(error instanceof ImportError) || found === undefined || 'missing' in found) throw error;
  throw namingFormat(error, found.bytes);
}

interface ReaderInput {
  readonly roots: readonly string[];
  readonly read: ReadSource;
  readonly limits: SourceLimits | undefined;
  readonly purpose: Purpose;
  /** The contracts that are XML, parsed to find their language. */
  readonly parsed: ReadonlyMap<string, Parsed>;
}

/** A root that is XML, with what was recorded while it was parsed. */
interface Parsed {
  readonly root: XmlElement;
  readonly losses: Losses;
}

type Reader = (input: ReaderInput) => Promise<Imported>;

function readerOf<Content>(
  language: SourceLanguage<Content>,
  readContract: (sources: Sources<Content>, losses: Losses, purpose: Purpose) => DraftContract,
): Reader {
  return async ({ roots, read, limits, purpose }) => {
    const losses = new Losses();
    const sources = await gather(roots, language, read, losses, limits);
    return { contract: readContract(sources, losses, purpose), losses, roots };
  };
}

function xmlReaderOf(
  language: SourceLanguage<XmlElement>,
  readContract: (sources: Sources<XmlElement>, losses: Losses) => DraftContract,
): Reader {
  return (input) => {
    const parse = (bytes: Uint8Array, location: string, losses: Losses): XmlElement => {
      const known = input.parsed.get(location);
      if (known === undefined) return language.parse(bytes, location, losses);
      losses.take(known.losses);
      return known.root;
    };
    return readerOf({ ...language, parse }, readContract)(input);
  };
}

const READERS: Readonly<Record<Language, Reader>> = {
  wsdl: xmlReaderOf(WSDL_LANGUAGE, readWsdl),
  wadl: xmlReaderOf(WADL_LANGUAGE, readWadl),
  openapi: readerOf(OPENAPI_LANGUAGE, (sources, losses, purpose) =>
    readOpenApi(sources.roots[0] ?? '', sources, losses, purpose),
  ),
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
async function languageOf(location: string, read: ReadSource, parsed: Map<string, Parsed>): Promise<Language> {
  const found = await read(location);
  const place = { source: location, line: 0, column: 0 };
  if ('missing' in found) throw new ImportError(found.missing, place);
  if (!looksLikeXml(found.bytes)) return 'openapi';
  const losses = new Losses();
  const root = parseXml(found.bytes, location, losses);
  parsed.set(location, { root, losses });
  const language = ROOTS[`{${root.namespace}}${root.local}`];
  if (language !== undefined) return language;
  if (root.namespace === WSDL_2) {
    const hint = 'Ask for WSDL 1.1, which clients and servers of all makers read.';
    throw new ImportError('WSDL 2.0 is not read', placeOf(root, location), hint);
  }
  throw new ImportError(
    `the root element <${root.local}>${root.namespace === '' ? '' : ` of ${root.namespace}`} is not that of a contract`,
    placeOf(root, location),
    CONTRACTS,
  );
}

/** Whether the first character behind a byte order mark and white space is `<`, in UTF-8 or UTF-16. */
function looksLikeXml(bytes: Uint8Array): boolean {
  const skipped = new Set([0, 0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf, 0xfe, 0xff]);
  return bytes.find((each) => !skipped.has(each)) === 0x3c;
}

/** A format that is not that of a contract we read. */
interface Foreign {
  readonly begins: RegExp;
  /** "an HTML page" */
  readonly what: string;
  readonly hint: string;
}

const CONTRACTS = 'Contracts are WSDL 1.1, XML Schema, WADL 2009 and OpenAPI 2.0 to 3.2.';
/** A declaration and comments. No comment can be read as several, or a text of many would be read in all ways. */
const XML_START = String.raw`^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*`;

/** What people have instead of a contract, by how the text begins. The first that matches counts. */
const FORMATS: readonly Foreign[] = [
  {
    begins: new RegExp(`${XML_START}(?:<!doctype html|<html[\\s>])`, 'i'),
    what: 'an HTML page',
    hint: 'Open its address in a browser: it may be a login page (--header gives credentials), or a page with a link to the contract.',
  },
  {
    begins: new RegExp(`${XML_START}<(?:[\\w.-]+:)?Envelope\\b`),
    what: 'a SOAP message',
    hint: 'Ask for the WSDL of the service, which most have at their address with ?wsdl.',
  },
  { begins: new RegExp(`${XML_START}<(?:[\\w.-]+:)?Edmx\\b`), what: 'OData metadata', hint: CONTRACTS },
  {
    begins: new RegExp(`${XML_START}<(?:[\\w.-]+:)?discovery\\b`),
    what: 'a discovery document (DISCO)',
    hint: 'Import the address in its contractRef.',
  },
  {
    begins: /^PK\p{Cc}{2}/u,
    what: 'a compressed archive',
    hint: 'Extract it, and import its folder.',
  },
  { begins: /^\s*#%RAML\b/, what: 'RAML', hint: CONTRACTS },
  {
    begins: /"_postman_id"|schema\.getpostman\.com/,
    what: 'a Postman collection',
    hint: 'Export the API as OpenAPI instead.',
  },
  { begins: /^\s*(?:\{\s*)?["']?asyncapi["']?\s*:/m, what: 'AsyncAPI', hint: CONTRACTS },
  {
    begins: /^\s*(?:\{\s*)?["']?\$schema["']?\s*:\s*["'][^"']*json-schema\.org/m,
    what: 'JSON Schema',
    hint: CONTRACTS,
  },
  { begins: /"kind"\s*:\s*"discovery#restDescription"/, what: 'a Google API discovery document', hint: CONTRACTS },
  { begins: /^\s*syntax\s*=\s*["']proto[23]["']/m, what: 'Protocol Buffers', hint: CONTRACTS },
  {
    begins: /^\s*(?:schema|(?:extend\s+)?(?:type|interface|input|enum)\s+\w+)[^\n:]*\{/m,
    what: 'a GraphQL schema',
    hint: CONTRACTS,
  },
];

const COMMENTED: Foreign = {
  begins: /^\s*(?:[{[]\s*)?\/[/*]/,
  what: 'JSON with comments',
  hint: 'Remove the comments: JSON has none.',
};

/** The version of OpenAPI, which a description has that is not valid otherwise. */
const VERSION = /(?:^\uFEFF?|[{,])[ \t{]*["']?(?:openapi|swagger)["']?[ \t]*:/m;

/** Characters at the begin of a text by which its format is known. */
const HEAD = 4096;

/** The error for a contract that could not be read, which names its format if it is another one. */
function namingFormat(error: ImportError, bytes: Uint8Array): ImportError {
  const text = characters(bytes);
  const head = text.slice(0, HEAD);
  const found = [...(VERSION.test(text) ? [] : FORMATS), COMMENTED].find(({ begins }) => begins.test(head));
  if (found === undefined) return error;
  return new ImportError(`${found.what} is not read`, { ...error.place, line: 1, column: 1 }, found.hint);
}

/** A text in Unicode, or each byte as a character. */
function characters(bytes: Uint8Array): string {
  try {
    return decodeText(bytes, undefined, false).replace(/^\uFEFF/, '');
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}
