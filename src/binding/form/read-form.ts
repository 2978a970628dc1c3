import { compileJsonField, compileSeparated, compileText, nearest, shown, stepOf } from '../../codec/index.ts';
import { compileEntryCount, countIgnored, type Foreign, setMember } from '../../codec/value.ts';
import type { Spool, SpooledContent } from '../../model/blob.ts';
import type { Document } from '../../model/document.ts';
import { Fault } from '../../model/fault.ts';
import type { Field } from '../../model/field.ts';
import { partKind } from '../../model/form.ts';
import { isAnyText } from '../../model/scalar.ts';
import type { Attachment, Value } from '../../model/value.ts';
import { readContentType, shownContentType } from '../../wire/content-type.ts';
import { jsonPointer } from '../../wire/json-pointer.ts';
import { isJsonType } from '../../wire/media-type.ts';
import { formPartOf } from '../../wire/multipart/content-disposition.ts';
import { MultipartReader, type Part } from '../../wire/multipart/read-multipart.ts';
import { asFault, badBody, guard, RequestErrors, reading, speaking } from '../message.ts';
import { keepPart, LivePart, PART_HEADER } from '../part.ts';
import { compileTakesUndeclared, listText, pointerBelow } from './fields.ts';

// Forms with a part for each field: multipart/form-data, RFC 7578.

/** The bounds of a form, and where its files are kept until they are read. */
export interface FormLimits {
  /** Bytes of all parts that are not files. */
  readonly body: number;
  /** Bytes of one file. */
  readonly attachment: number;
  /** Files of one form. */
  readonly attachments: number;
  /** Its other parts. */
  readonly parameters: number;
}

/** A form whose values have been read; a file may still be on the connection. */
export interface OpenedForm {
  readonly values: Record<string, Value>;
  /** Errors of values that could not be read. */
  readonly errors: RequestErrors | undefined;
  /** Reads the rest, unless its file is unread. @throws Fault */
  finish(): Promise<void>;
  /** Frees the files. */
  close(): void;
}

export type FormReader = (
  source: { readonly contentType: string; readonly bytes: AsyncIterable<Uint8Array> },
  limits: FormLimits,
  spool: Spool,
) => Promise<OpenedForm>;

/**
 * Compiles the reading of a form. Its parts may have any order. A file is read from the connection as it is asked for if nothing
 * can follow it: all other fields are there, and none of them is a list. Other files are kept by the spool.
 * @param foreign how parts that the document does not declare are treated
 * @throws Fault BAD_BODY, BODY_TOO_LARGE, ATTACHMENT_TOO_LARGE, TOO_MANY_ATTACHMENTS, TOO_MANY_PARAMETERS
 */
export function compileFormReader(
  document: Pick<Document, 'id' | 'fields' | 'open'>,
  foreign: Foreign = 'refuse',
): FormReader {
  const known = new Map(document.fields.map((field) => [field.jsonName, compilePart(field)]));
  return async ({ contentType, bytes }, limits, spool) => {
    const boundary = readContentType(contentType)?.parameters.get('boundary');
    if (boundary === undefined) throw badBody(`its ${shownContentType(contentType)} has no boundary`);
    const reader = speaking(
      () =>
        new MultipartReader(bytes, boundary, {
          parts: limits.parameters + limits.attachments + 1,
          headers: PART_HEADER,
        }),
    );
    const form = new FormParts({ ...document, foreign }, known, reader, limits, spool);
    try {
      await form.read();
      return form;
    } catch (error) {
      form.close();
      throw asFault(error);
    }
  };
}

/** A field whose parts are read. */
interface PartField {
  readonly field: Field;
  readonly isFile: boolean;
  /** Whether it may have several parts. */
  readonly isList: boolean;
  /** Checks the number of files of a list. */
  readonly checkCount: (entries: number) => void;
  /** The value of its parts, `undefined` where they are empty. @throws Fault */
  readonly read: (parts: readonly TextPart[]) => Value;
}

interface TextPart {
  readonly text: string;
  readonly isJson: boolean;
}

function compilePart(field: Field): PartField {
  const { type, name, jsonName } = field;
  const isList = type.kind === 'list';
  const at = { pointer: jsonPointer([jsonName]) };
  const kind = partKind(field);
  const isFile = kind === 'file';
  const facts = { field, isList, isFile, checkCount: compileEntryCount(field) };
  const json = isFile ? undefined : compileJsonField(field);
  const readJson = (text: string): Value =>
    reading(
      () => json!(text),
      undefined,
      ({ steps }) => ({ pointer: steps.length === 0 ? at.pointer : pointerBelow(field, steps) }),
    );
  if (isFile) return { ...facts, read: () => undefined };
  if (kind === 'json')
    return {
      ...facts,
      read: (parts) => readJson(isList ? listText(parts.map(({ text }) => text)) : (parts[0] as TextPart).text),
    };
  if (isList) {
    const read = compileSeparated(field);
    return {
      ...facts,
      read(parts) {
        const [first] = parts;
        if (first?.isJson && parts.length === 1 && first.text.trimStart().startsWith('[')) return readJson(first.text);
        return guard(
          jsonName,
          read,
          parts.map(({ text }) => text),
          at,
        );
      },
    };
  }
  const read = compileText(field);
  const isFree = isAnyText(type);
  return {
    ...facts,
    read: ([part]) => (part?.text === '' && !isFree ? undefined : guard(name, read, part?.text ?? '', at)),
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The document of a form, and how other parts are treated. */
interface FormDocument extends Pick<Document, 'id' | 'fields' | 'open'> {
  readonly foreign: Foreign;
}

/** The parts of one form in the order of arrival. */
class FormParts implements OpenedForm {
  readonly values: Record<string, Value> = {};
  errors: RequestErrors | undefined;
  readonly #document: FormDocument;
  readonly #takesUndeclared: (name: string) => boolean;
  readonly #fields: ReadonlyMap<string, PartField>;
  readonly #reader: MultipartReader;
  readonly #limits: FormLimits;
  readonly #spool: Spool;
  readonly #kept: SpooledContent[] = [];
  readonly #texts = new Map<PartField, TextPart[]>();
  readonly #files = new Map<PartField, Attachment[]>();
  /** Fields that have a part, and names that have none. */
  readonly #seen = new Set<string>();
  #live: LivePart | undefined;
  #bytes = 0;
  #count = 0;
  #parameters = 0;

  constructor(
    document: FormDocument,
    fields: ReadonlyMap<string, PartField>,
    reader: MultipartReader,
    limits: FormLimits,
    spool: Spool,
  ) {
    this.#document = document;
    this.#takesUndeclared = compileTakesUndeclared(document);
    this.#fields = fields;
    this.#reader = reader;
    this.#limits = limits;
    this.#spool = spool;
  }

  /** Reads up to a file that nothing follows, or to the end. */
  async read(): Promise<void> {
    while (this.#live === undefined) {
      const part = await this.#reader.next();
      if (part === undefined) break;
      await this.#take(part);
    }
    for (const [{ field, read }, parts] of this.#texts)
      this.#try(() => {
        const value = read(parts);
        if (value !== undefined) setMember(this.values, field.name, value);
      });
    for (const [{ field, isList, checkCount }, files] of this.#files) {
      if (isList)
        this.#try(() => guard(field.name, checkCount, files.length, { pointer: jsonPointer([field.jsonName]) }));
      setMember(this.values, field.name, isList ? files : files[0]);
    }
  }

  async finish(): Promise<void> {
    if (this.#live !== undefined && !this.#live.done) return;
    await this.#expectEnd();
  }

  close(): void {
    this.#reader.close();
    for (const each of this.#kept) each.dispose();
  }

  async #take(part: Part): Promise<void> {
    const { name, filename } = formPartOf(part.headers.get('content-disposition') ?? '');
    if (name === undefined) throw badBody('one of its parts has no name in Content-Disposition');
    // A page may say so which charset it writes (HTML, section 4.10.21.5); it is always UTF-8.
    if (name === '_charset_') return;
    const found = this.#fields.get(name);
    if (found?.isFile !== true) this.#countParameter();
    const isAgain = this.#seen.has(name);
    this.#seen.add(name);
    if (found === undefined) return this.#takeUndeclared(part, name, filename);
    if (isAgain && !found.isList) return this.#refuse(name, 'is there more than once');
    if (found.isFile) return this.#takeFile(part, found, filename);
    const text = await this.#text(part, name);
    const type = readContentType(part.headers.get('content-type') ?? '');
    const parts = this.#texts.get(found) ?? [];
    parts.push({ text, isJson: type !== undefined && isJsonType(type.essence) });
    this.#texts.set(found, parts);
  }

  #countParameter(): void {
    const { parameters: limit } = this.#limits;
    if (++this.#parameters > limit) throw Fault.of('TOO_MANY_PARAMETERS', { what: 'The form', limit });
  }

  async #takeFile(part: Part, found: PartField, filename: string | undefined): Promise<void> {
    if (++this.#count > this.#limits.attachments)
      throw Fault.of('TOO_MANY_ATTACHMENTS', { limit: this.#limits.attachments });
    const isNamed = filename !== undefined && filename !== '';
    if (isNamed && this.#isLast(found)) {
      this.#live = new LivePart(part, this.#limits.attachment, () => this.#expectEnd(), filename);
      this.#files.set(found, [this.#live]);
      return;
    }
    const { received, kept } = await keepPart(part, this.#limits.attachment, this.#spool, filename);
    this.#kept.push(kept);
    // A page sends such a part for a file that was not chosen.
    if (!isNamed && kept.length === 0) return;
    this.#files.set(found, [...(this.#files.get(found) ?? []), received]);
  }

  /** Whether no other part can follow. */
  #isLast({ field }: PartField): boolean {
    if (this.#document.open) return false;
    return (
      [...this.#fields.values()].every(
        (each) => each.field === field || (this.#seen.has(each.field.jsonName) && !each.isList),
      ) && field.type.kind !== 'list'
    );
  }

  async #takeUndeclared(part: Part, name: string, filename: string | undefined): Promise<void> {
    const { id, foreign } = this.#document;
    if (filename === undefined && this.#takesUndeclared(name)) {
      if (foreign === 'refuse' && Object.hasOwn(this.values, name))
        return this.#refuse(name, 'is there more than once');
      setMember(this.values, name, await this.#text(part, name));
      return;
    }
    if (foreign !== 'refuse') {
      countIgnored(foreign, 1);
      return;
    }
    const meant = nearest(name, this.#fields.keys());
    const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
    this.#refuse(name, `is not a field of ${id}${hint}`);
  }

  async #text(part: Part, name: string): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of part.body()) {
      this.#bytes += chunk.length;
      if (this.#bytes > this.#limits.body)
        throw Fault.of('BODY_TOO_LARGE', { limit: this.#limits.body, key: '`limits.body`' });
      chunks.push(Buffer.from(chunk));
    }
    const charset = readContentType(part.headers.get('content-type') ?? '')
      ?.parameters.get('charset')
      ?.toLowerCase();
    if (charset !== undefined && charset !== 'utf-8' && charset !== 'us-ascii')
      throw badBody(`its part ${shown(stepOf(name))} is in ${shown(stepOf(charset))}, not in UTF-8`);
    try {
      return utf8.decode(Buffer.concat(chunks));
    } catch {
      throw badBody(`its part ${shown(stepOf(name))} is not UTF-8`);
    }
  }

  /** Reads to the end behind the file that is read from the connection. */
  async #expectEnd(): Promise<void> {
    for (let part = await this.#reader.next(); part !== undefined; part = await this.#reader.next()) {
      const { name = '' } = formPartOf(part.headers.get('content-disposition') ?? '');
      if (name === '_charset_' || (this.#document.foreign !== 'refuse' && !this.#seen.has(name))) continue;
      throw badBody(
        `its part ${shown(stepOf(name))} is ${this.#seen.has(name) ? 'there more than once' : 'not a field'}`,
      );
    }
  }

  #refuse(name: string, reason: string): void {
    this.#try(() => {
      throw Fault.of(
        'BAD_PARAMETER',
        { name: shown(stepOf(name)), reason },
        { at: { pointer: jsonPointer([name.slice(0, 200)]) } },
      );
    });
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.errors = (this.errors ?? new RequestErrors()).add(error);
    }
  }
}
