import { expect, test } from 'vitest';
import { attributesOf, startTags } from '../../src/binding/soap/start-tags.ts';
import { linkSavedQuery } from '../../src/load/query/saved-query.ts';
import { readNames } from '../../src/query/postgres/called-names.ts';
import { reservedNames } from '../../src/query/saved.ts';
import { readCookie, returnPath } from '../../src/security/sign-in/browser.ts';
import { requestIdOf } from '../../src/serve/exchange/exchange.ts';
import { certificateOfHeader } from '../../src/serve/listen/remote.ts';
import { checkTarget } from '../../src/serve/listen/request-target.ts';
import { metricsFormat } from '../../src/serve/log/metrics-text.ts';
import { acceptedCodings } from '../../src/wire/accept-encoding.ts';
import { parseRange } from '../../src/wire/byte-range.ts';
import { readContentType, shownContentType } from '../../src/wire/content-type.ts';
import { toDecimal } from '../../src/wire/decimal.ts';
import { normaliseName } from '../../src/wire/distinguished-name.ts';
import { parseEntityTags, uncodedTags } from '../../src/wire/entity-tag.ts';
import { isDate, isTime, readDate, readDatetime, readTime, toDatetime } from '../../src/wire/lexical.ts';
import { compileOffers, parseMediaType, parseQuality } from '../../src/wire/media-type.ts';
import { boundaryFault, boundaryOfText } from '../../src/wire/multipart/boundary.ts';
import { fileNameOf, formPartOf } from '../../src/wire/multipart/content-disposition.ts';
import { parseMimeHeaders } from '../../src/wire/multipart/headers.ts';
import { parseSocketAddress } from '../../src/wire/network-address.ts';
import { normalizePercent, percentDecode } from '../../src/wire/percent.ts';
import { parseForm, parseQueryString } from '../../src/wire/query-string.ts';
import { readIntent } from '../../src/wire/soap/intent.ts';
import { contentIdOf } from '../../src/wire/soap/xop.ts';
import { scanSql } from '../../src/wire/sql.ts';
import { readTraceparent, readTracestate } from '../../src/wire/trace-context.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { processorMs } from '../support/duration.ts';

/** What reads a text of a caller by regular expressions, or by hand. Any may refuse it; none may take long. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  isDate,
  isTime,
  toDatetime,
  readDate,
  readTime,
  readDatetime,
  fileNameOf,
  toDecimal: (text) => toDecimal(text, true),
  normaliseName,
  parseEntityTags,
  parseMediaType,
  accept: compileOffers(['application/json', 'application/xml']),
  parseMimeHeaders: (text) => parseMimeHeaders(Buffer.from(text), (reason) => new Error(reason)),
  boundaryFault,
  boundaryOfText,
  percentDecode: (text) => percentDecode(text, true),
  normalizePercent,
  parseForm: (text) => parseForm(text, 1_000_000),
  cookie: (text) => readCookie(text, { name: 'a' }),
  returnPath,
  requestIdOf,
  target: (text) => checkTarget(`/${text}`, 'a', 1_000_000),
  certificateOfHeader,
  metricsFormat,
  readTraceparent,
  readTracestate,
  acceptedCodings,
  uncodedTags,
  parseRange: (text) => parseRange(`bytes=${text}`, 1000),
  parseQuality,
  // A control character ends it at once, so these are left out.
  receivedType: (text) => shownContentType(`text/xml;${text.slice(0, -2)}`),
  receivedTypes: (text) => readContentType('a/b,'.repeat(text.length / 4)),
  contentType: (text) => readIntent(text, undefined),
  soapAction: (text) => readIntent('text/xml', text),
  contentIdOf,
  formPartOf,
  xml: (text) => readXml(`<a>${text}</a>`),
  attribute: (text) => readXml(`<a b='${text}'/>`),
  parseQueryString: (text) => parseQueryString(text, 1000),
  parseSocketAddress,
  // A definition with more is refused.
  scanSql: (text) => scanSql(text.slice(0, 65_536)),
  readNames: (text) => readNames(text.slice(0, 65_536)),
  reservedNames,
  attributesOf: (text) => attributesOf({ name: 'a', local: 'a', rest: text, empty: false, start: 0, end: text.length }),
  startTags: (text) => [...startTags(text)].length,
};

const LENGTH = 50_000;
const units = [
  ...' \t\n\r;,=:."\'\\/*-+<>&%$(){}[]|?!_0aA',
  ' ;',
  '; ',
  '/*',
  '--',
  '$a',
  "'a",
  '<a',
  'a=',
  'a="',
  'a;',
  ', ',
  '%4',
  '0.',
  'W/"',
];
const starts = ['', ';a="', ' a'];

test.each(Object.entries(readers))('%s takes a time that grows with the length alone', (_name, read) => {
  for (const start of starts) {
    for (const unit of units) {
      const text = `${start}${unit.repeat(LENGTH / unit.length)}\u0001x`;
      const began = processorMs();
      try {
        read(text);
      } catch {
        // Refused, as most of them are.
      }
      const took = processorMs() - began;
      if (took > 500)
        expect.fail(`${JSON.stringify(start)} and many ${JSON.stringify(unit)} took ${took.toFixed(0)} ms`);
    }
  }
  expect.assertions(0);
});

test.each([
  ['?,', { problems: ['? is a placeholder of another notation; write prompts as :NAME.'] }],
  [':a ', { problems: ['The SQL uses :a, which is not a prompt of the query.'] }],
  ['$1 ', { problems: ['$1 is a placeholder of another notation; write prompts as :NAME.'] }],
  ['limit 1 ', { query: { id: 'A' } }],
  ['a;', { problems: [expect.stringContaining('A query must be one statement, but another follows the semicolon')] }],
])('a definition of a query with many %s is read soon', (unit, read) => {
  const began = processorMs();
  const sql = `select ${unit.repeat(60_000 / unit.length)}!`;
  expect(linkSavedQuery({ query: 'A', columns: { A: 'integer' }, sql })).toMatchObject(read);
  expect(processorMs() - began).toBeLessThan(2000);
});
