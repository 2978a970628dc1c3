import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeContract } from '../../src/describe/index.ts';
import { loadFiles } from '../../src/load/load.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Service } from '../../src/model/service.ts';
import { projectOf } from '../load/project-text.ts';

/** Words that mean something in Java, C# or TypeScript, and classes that generated code refers to. */
const WORDS = 'class int return default namespace operator string async export null true'.split(' ');
const CLASSES = (
  'Object String Integer Boolean BigInteger Class Enum Exception Throwable Override List ArrayList URL QName Service Holder ' +
  'BindingProvider WebServiceFeature Endpoint JAXBElement XmlType XmlElement XmlAccessType DataHandler Response ' +
  'RequestWrapper Logger ObjectFactory OBJECT_FACTORY Object_Factory package_info Type Task Date Array Promise'
).split(' ');
/** Names that are one where punctuation or letter case does not count, and classes that are written beside those of types. */
const LIKE = (
  'A_B AB A-B a.b aB a_b_2 OWNERRESULTITEM owner Collide_PortType CollideService COLLIDE_FAULTMessage OWNER_GETResponse ' +
  'LIKE_GETResponse TEXTECHO TEXT_ECHOResponse empty data RunStatus key'
).split(' ');

const fieldsOf = (names: readonly string[], type: string): string =>
  names.map((name) => `  ${name}: ${type}\n`).join('');

/** A declared document for each name, and one that holds all of them. */
const documentsOf = (holder: string, names: readonly string[]): string =>
  `document: ${holder}\nfields:\n${names.map((name, index) => `  f${index}: ${name}\n`).join('')}` +
  names.map((name) => `---\ndocument: ${name}\nfields: { x: string, y: list of string }\n`).join('');

/** Names that are each right by itself, chosen so that what is derived from them meets in generated code. */
const text = `service: Collide.v1
description: Names that meet in generated code.
public: true
fault: COLLIDE_FAULT
operations:
  OWNER_GET: { get: "Owners/{ID}", soap: true, request: { fields: { ID: { type: integer, required: true } } }, response: { application/xml: OWNER } }
  OWNER_PUT: { put: Owners, soap: true, request: OWNER, response: { application/xml: OWNER } }
  LIKE_GET: { get: Like, soap: true, response: { application/xml: LIKE } }
  CLASSES_GET: { get: Classes, soap: true, response: { application/xml: CLASSES } }
  WORDS_POST: { post: Words, soap: true, request: { fields: { words: WORDS } }, response: { application/xml: WORDS } }
  TEXT_ECHO: { soap: true, request: text, response: text }
  BYTES_TO_TEXT: { soap: true, request: binary, response: text }
  XML_ECHO: { soap: true, request: xml, response: xml }
  EMPTY: { soap: true, response: EMPTY_REPLY }
  TYPES_PUT: { soap: true, request: TYPES_IN, response: TYPES_OUT }
  FACETS_PUT: { soap: true, request: FACETS_IN, response: FACETS_OUT }
  FACETS_GET: { soap: true, request: FACETS_KEY, response: FACETS_OUT }
  PUNCTUATION_PUT: { soap: true, request: { fields: { a_b: string } }, response: { fields: { a-b: string, other: string } } }
  LISTS_PUT: { soap: true, request: LISTS_IN, response: LISTS_OUT }
  VALUES_GET: { get: "Values/{V}", soap: true, request: { fields: { V: { type: string, enum: [a_b, a-b, A B, a.b, "", "1", class] } } }, response: { application/xml: VALUES } }
  OPEN_GET: { get: Open, response: { application/xml: OPEN } }
  FOREIGN_GET: { get: Foreign, soap: true, response: { application/xml: FOREIGN } }
  NAMED_PUT: { soap: true, request: NAMED_IN, response: NAMED_OUT }
  NAMED_GET: { get: "Named/{kind}{?size,list}", soap: true, request: NAMED_KEY, response: { application/xml: NAMED_OUT } }
  WRAPPED_GET: { get: Wrapped, response: LIKE, wrapper: psnonxml }
---
document: COLLIDE_FAULT
fields: { MESSAGE: { type: text, default: "{fault.message}" } }
---
document: OWNER
fields:
  result: { list: { fields: { status: string, result: { list: { fields: { status: string } } } } } }
  OWNER: { list: { fields: { OWNER: string } } }
  level1: { fields: { level2: { fields: { level3: { list: { fields: { level1: string } } }, owner: list of string } } } }
  level1level2: list of string
  Name: { type: string, attribute: true }
  like: OWNERresult
  likes: list of Owner-result
  loop: list of OWNER
---
document: OWNERresult
fields: { result: list of OWNER }
---
document: Owner-result
fields: { item: list of Owner-result }
---
${documentsOf('LIKE', LIKE)}---
${documentsOf('CLASSES', CLASSES)}---
document: WORDS
fields:
${fieldsOf(WORDS, 'string')}---
document: EMPTY_REPLY
fields: {}
---
document: TYPES_IN
fields: { a: string, b: { type: boolean, required: true }, c: OWNERresult, d: { type: list of string, flat: true }, e: date }
---
document: TYPES_OUT
fields: { a: integer, b: boolean, c: Owner-result, d: string, e: date }
---
document: FACETS_IN
fields: { RunStatus: { type: string, enum: [HOLD, RUN] }, key: string(10), count: { type: integer, minimum: 0 }, rows: { type: list of string(3), flat: true } }
---
document: FACETS_OUT
fields: { RunStatus: string, key: string, count: integer, rows: { type: list of string, flat: true }, more: string }
---
document: FACETS_KEY
fields: { key: string(20) }
---
document: LISTS_IN
fields: { items: list of string, more: string }
---
document: LISTS_OUT
fields: { items: list of string, other: string }
---
document: VALUES
fields: { V: { type: string, enum: [a_b, A-B] }, W: { type: string, enum: [x] } }
---
type: KIND_OF
base: string(5)
enum: [a_b, a-b, A B, "", class]
---
type: KINDOF
xml-type: KindType
base: string
enum: [x, y]
---
type: SIZE
base: integer
minimum: 1
maximum: 100
---
type: DAY_TYPE
xml-type: Named_Key
namespace: "urn:foreign"
base: date
---
document: NAMED_IN
fields: { kind: KIND_OF, size: SIZE, other: KIND_OF, name: string, one: KINDOF, day: DAY_TYPE, many: list of KIND_OF }
---
document: NAMED_OUT
fields:
  kind: KIND_OF
  size: { type: SIZE, required: true }
  other: { type: string, enum: [a_b] }
  name: KIND_OF
  one: KINDOF
  day: DAY_TYPE
  many: { type: list of KIND_OF, spaced: true }
  mark: { type: KINDOF, attribute: true }
---
document: NAMED_KEY
fields: { kind: { type: KIND_OF, required: true }, size: SIZE, list: list of KINDOF }
---
document: OPEN
open: true
fields: { known: { type: string, required: true } }
---
document: FOREIGN
fields: { rows: { type: list of string, namespace: "urn:foreign" }, FOREIGN: { type: list of string, namespace: "urn:foreign" }, plain: { type: string, namespace: "" } }
`;

/** The registry of those names. It has no mistake, and nothing to warn of. */
function collidingRegistry(): Registry {
  const { registry, diagnostics } = loadFiles(projectOf(text), 'ignore-missing');
  if (registry === undefined || diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics, undefined, 2));
  return registry;
}

/** Writes a contract of that registry into a folder: `Collide.v1.wsdl` and so on. */
export function writeColliding(folder: string, form: 'wsdl' | 'wadl' | 'xsd' | 'openapi'): void {
  const registry = collidingRegistry();
  const service = registry.services.get('Collide.v1') as Service;
  for (const [name, content] of describeContract(registry, form, { service }, 'http://127.0.0.1:8080/gateway'))
    writeFileSync(join(folder, name), content);
}
