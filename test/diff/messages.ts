import { CodecError, compileDocument } from '../../src/codec/index.ts';
import type { Change } from '../../src/diff/changes.ts';
import { Changes } from '../../src/diff/changes.ts';
import { compareDocuments, messageScope } from '../../src/diff/document.ts';
import { isAtLeast, type Role, type Verdict, type WireLanguage } from '../../src/diff/verdict.ts';
import type { Document } from '../../src/model/document.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';

/** The messages of a document: what others may send, and what the gateway writes. */
export interface Messages {
  readonly document: Document;
  /** Messages that others may send. */
  readonly valid: Readonly<Record<WireLanguage, readonly string[]>>;
  /** Messages that the gateway writes: they have what is filled in, and values in one spelling. */
  readonly written: Readonly<Record<WireLanguage, readonly string[]>>;
  readonly reads: (text: string, language: WireLanguage) => boolean;
  /** Reads replies of others, in which undeclared members are ignored. */
  readonly takes: (text: string, language: WireLanguage) => boolean;
}

export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

/** @param texts candidates in JSON, of which those that are valid are taken */
export function messagesOf(document: Document, texts: readonly string[]): Messages {
  const strict = compileDocument(document, { namespace: 'urn:test' });
  const lax = compileDocument(document, { namespace: 'urn:test', foreign: 'pass' });
  const read = (codec: typeof strict, text: string, language: WireLanguage): DocumentValue | undefined =>
    attempt(() => (language === 'json' ? codec.fromJson(text) : codec.fromXml(readXml(text))));
  const values = texts.map((each) => read(strict, each, 'json')).filter((each) => each !== undefined);
  const written = (write: (value: DocumentValue) => string): string[] => [
    ...new Set(values.flatMap((value) => attempt(() => write(value)) ?? [])),
  ];
  const [json, xml] = [written(strict.toJson), written(strict.toXml)];
  return {
    document,
    valid: { json: [...json, ...texts.filter((each) => read(strict, each, 'json') !== undefined)], xml },
    written: { json, xml },
    reads: once((each, language) => read(strict, each, language) !== undefined),
    takes: once((each, language) => read(lax, each, language) !== undefined),
  };
}

/** Reads each text once: in every role and beside every other definition, the same texts are tried. */
function once(reads: Messages['reads']): Messages['reads'] {
  const known = { json: new Map<string, boolean>(), xml: new Map<string, boolean>() };
  return (text, language) => {
    const found = known[language].get(text) ?? reads(text, language);
    known[language].set(text, found);
    return found;
  };
}

/** The changes of a message in a role, for one language. */
export function changesOf(before: Document, after: Document, role: Role, language: WireLanguage): readonly Change[] {
  const changes = new Changes();
  const scope = messageScope({ changes, role, languages: [language], at: 'X', what: '' }, 'message', 'the message');
  compareDocuments({ before, after }, scope);
  return changes.list;
}

export function hasAtLeast(changes: readonly Change[], language: WireLanguage, least: Verdict): boolean {
  return changes.some(({ verdicts }) => isAtLeast(verdicts[language] ?? 'compatible', least));
}

/** The first message of one side that the other refuses. Requests that others send are read here; what is written here is read there. */
export function refusedOf(before: Messages, after: Messages, role: Role, language: WireLanguage): string | undefined {
  const isRead = role === 'request' || role === 'received';
  const [writer, reader] = isRead ? [before, after] : [after, before];
  const accepts = role === 'request' ? reader.reads : reader.takes;
  return writer[isRead ? 'valid' : 'written'][language].find(
    // A blank text that a pattern or a minimum refuses is written and not read, whatever changes.
    (text) => !accepts(text, language) && writer.takes(text, language),
  );
}
