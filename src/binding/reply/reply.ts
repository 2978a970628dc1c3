import { CodecError, compileCheck, compileDocument, type DocumentCodec, readJsonMember } from '../../codec/index.ts';
import type { Ignored } from '../../codec/value.ts';
import type { RestConsumer } from '../../model/consumer.ts';
import type { Document } from '../../model/document.ts';
import { isFormType } from '../../model/form.ts';
import { type MediaMessage, type RawKind, serviceNamespace } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import { closestType, isJsonType, isXmlType, type MediaType, parseMediaType } from '../../wire/media-type.ts';
import { compileFormReader, type FormReader, type OpenedForm } from '../form/read-form.ts';
import { CONTENT } from '../message.ts';
import { compileReplyFaults, type ReplyFaults } from './fault.ts';
import { asReceived } from './received.ts';
import { ReplyText, readDocument, unwrapPsnonxml } from './text.ts';

/** How a reply of one media type is read. */
export interface ReplyReader {
  readonly kind: 'none' | 'multipart' | RawKind;
  /** The value of an empty body; `undefined` when a body is required. */
  readonly empty: DocumentValue | undefined;
  /**
   * Reads the value of a body; not to be called for `none`, `binary` and `multipart`.
   * @throws CodecError, without a path when it is about the whole body
   */
  read(reply: ReplyText): DocumentValue;
  /** How many parts of the reply that was read last were ignored, where they are counted (`lenient`). */
  readonly ignored?: () => number;
  /** Of `multipart`: reads the parts up to a file that is read later. @throws Fault, CodecError */
  readonly open?: FormOpener;
}

/** Opens a reply with a part for each field. */
type FormOpener = (
  ...given: Parameters<FormReader>
) => Promise<{ readonly value: DocumentValue; readonly form: OpenedForm }>;

/** One consumer operation's replies, compiled once: they are read by it. */
export interface RestReplyBinding {
  /**
   * The form of a reply of this media type, or of one without a type; of every reply, where nothing is declared to come back.
   * @returns `undefined` if it is not declared
   */
  formOf(type: ReplyType | undefined): ReplyReader | undefined;
  /** Media types that are declared, for a message. */
  readonly declared: string;
  readonly faults: ReplyFaults;
}

/** The media type of a reply, whose parameters may be unreadable. */
export type ReplyType = Pick<MediaType, 'essence'> & Partial<Pick<MediaType, 'parameters'>>;

interface DeclaredForm extends ReplyReader, Pick<MediaType, 'essence' | 'parameters'> {}

const NO_PARAMETERS: MediaType['parameters'] = new Map();

/** Compiles an operation. `namespace`: of `gateway.yaml`. */
export function compileRestReply(
  { responses, service, fault, lenient = false }: RestConsumer,
  namespace: string,
): RestReplyBinding {
  const forms = responses.map((each) => compileForm(each, serviceNamespace(service, namespace), lenient));
  const wrapped = forms.filter(({ kind }) => kind === 'json').map(compileWrapped)[0];
  const catchAll = forms.find(({ essence, kind }) => kind === 'binary' && essence === 'application/octet-stream');
  const isSilent = forms.every(({ kind }) => kind === 'none');
  return {
    formOf(type) {
      if (isSilent) return NOTHING;
      if (type === undefined) return forms[0];
      const { essence, parameters = NO_PARAMETERS } = type;
      const named = closestType(forms, { essence, parameters });
      return (
        (named === undefined ? undefined : forms[named]) ??
        forms.find((form) => form.kind === familyOf(essence)) ??
        (familyOf(essence) === 'xml' ? wrapped : undefined) ??
        catchAll
      );
    },
    declared: forms.map(({ essence }) => essence).join(', '),
    faults: compileReplyFaults(fault),
  };
}

/** What a media type is a kind of; an unknown text is taken for plain text (RFC 2046 section 4.1.4), but not a page for people. */
export function familyOf(essence: string): RawKind | undefined {
  if (isJsonType(essence) || essence === 'text/json') return 'json';
  if (essence === 'text/html' || essence === 'application/xhtml+xml') return undefined;
  if (isXmlType(essence)) return 'xml';
  return essence.startsWith('text/') ? 'text' : undefined;
}

function compileForm({ mediaType, message }: MediaMessage, namespace: string, lenient: boolean): DeclaredForm {
  const { essence, parameters } = parseMediaType(mediaType) ?? { essence: mediaType, parameters: NO_PARAMETERS };
  const type = { essence, parameters };
  if (message.kind === 'none') return { ...type, ...NOTHING };
  if (message.kind === 'raw') return { ...type, ...rawForms[message.raw] };
  const document = asReceived(message.document);
  const ignored: Ignored = { count: 0, anyNamespace: true };
  const codec = compileDocument(document, { namespace, foreign: lenient ? ignored : 'pass' });
  if (isFormType(essence)) return { ...type, ...formReader(document, emptyValue(codec)) };
  const isXml = familyOf(essence) === 'xml';
  return {
    ...type,
    kind: isXml ? 'xml' : 'json',
    empty: emptyValue(codec),
    ignored: () => ignored.count,
    read(reply) {
      ignored.count = 0;
      return ofWhole(document, () => readDocument(codec, document, reply, isXml));
    },
  };
}

function formReader(document: Document, none: DocumentValue | undefined): ReplyReader {
  const read = compileFormReader(document, 'pass');
  const check = compileCheck(document.fields, document);
  return {
    kind: 'multipart',
    empty: none,
    read() {
      throw new TypeError('a form is read part by part');
    },
    async open(...given) {
      const form = await read(...given);
      try {
        form.errors?.throwIfAny();
        return { value: check(form.values), form };
      } catch (error) {
        form.close();
        throw error;
      }
    },
  };
}

/** The value of a document without any member; `undefined` when a member is required. */
function emptyValue(codec: DocumentCodec): DocumentValue | undefined {
  try {
    return codec.fromJson('{}');
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

/** A complaint about all of a document is one about the reply; unless it may be one about a field of the same name. */
function ofWhole({ id, fields }: Document, read: () => DocumentValue): DocumentValue {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodecError && error.path === id && fields.every(({ name }) => name !== id))
      throw new CodecError('', error.reason);
    throw error;
  }
}

/** Accepts JSON in its XML wrapper, unless XML itself is declared. */
function compileWrapped(form: ReplyReader): ReplyReader {
  return {
    ...form,
    kind: 'xml',
    read({ root }) {
      const json = unwrapPsnonxml(root);
      if (json === undefined) throw new CodecError('', "is XML, which is not declared, and no <data psnonxml='Yes'>");
      return form.read(new ReplyText(json));
    },
  };
}

const NOTHING: ReplyReader = { kind: 'none', empty: {}, read: () => ({}) };

const rawForms: Readonly<Record<RawKind, ReplyReader>> = {
  json: { kind: 'json', empty: undefined, read: ({ text }) => readJsonMember(CONTENT, text, 'pass') },
  xml: {
    kind: 'xml',
    empty: undefined,
    read(reply) {
      // Rejects a text that is not well-formed.
      void reply.root;
      return { [CONTENT]: reply.text };
    },
  },
  text: { kind: 'text', empty: { [CONTENT]: '' }, read: ({ text }) => ({ [CONTENT]: text }) },
  binary: {
    kind: 'binary',
    empty: undefined,
    read() {
      throw new TypeError('binary content is a stream');
    },
  },
};
