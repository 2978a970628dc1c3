import { isAttachment, withMediaType } from '../../codec/binary.ts';
import { addError, CodecError } from '../../codec/index.ts';
import type { Field } from '../../model/field.ts';
import type { Message } from '../../model/service.ts';
import { attachmentFields } from '../../model/soap.ts';
import type { Attachment, DocumentValue } from '../../model/value.ts';
import { sentMediaType } from '../../wire/file-type.ts';
import type { Attached } from './message.ts';

// SOAP Messages with Attachments (W3C Note, 11 December 2000) as WSDL 1.1, section 5, and the WS-I Attachments Profile 1.0 bind it:
// fields of a message whose content is beside the envelope.

/** An attachment, and the name of the part of WSDL whose content it is. */
export interface NamedAttachment {
  readonly part: string;
  readonly attachment: Attachment;
}

/** The attachments of a message. Both throw a CodecError. */
export interface AttachmentCodec {
  readAttachments(attached: Attached | undefined): DocumentValue;
  writeAttachments(value: DocumentValue): readonly NamedAttachment[];
}

/** The names in WSDL of the fields of a message that are attachments. */
export function partsOf(message: Message): readonly string[] {
  return attachmentFields(message).map(({ xmlName }) => xmlName);
}

/** @param fields whose content is beside the envelope. Its media type is as it is given: contracts name what is usual. */
export function compileAttachments(fields: readonly Field[]): AttachmentCodec {
  return {
    readAttachments: (attached) =>
      Object.fromEntries(eachOf(fields, ({ name, xmlName }) => [name, attached?.(xmlName)] as const)),
    writeAttachments: (value) =>
      eachOf(fields, (field) => {
        const given = value[field.name];
        if (given === undefined || given === null) return [field.xmlName, undefined];
        if (!isAttachment(given)) throw new CodecError(field.name, 'is not an attachment');
        return [field.xmlName, typed(given, field)] as const;
      }).map(([part, attachment]) => ({ part, attachment })),
  };
}

/** The attachments that there are. @throws CodecError for those that are required and missing */
function eachOf(
  fields: readonly Field[],
  find: (field: Field) => readonly [string, Attachment | undefined],
): (readonly [string, Attachment])[] {
  let errors: CodecError | undefined;
  const found = fields.flatMap((field) => {
    try {
      const [name, attachment] = find(field);
      if (attachment !== undefined) return [[name, attachment] as const];
      if (field.required) throw new CodecError(field.name, 'is missing');
    } catch (error) {
      errors = addError(errors, error);
    }
    return [];
  });
  if (errors !== undefined) throw errors;
  return found;
}

/** Content of unknown type whose name suggests none has the media type of the contract, if that is a single one. */
function typed(content: Attachment, { attachment }: Field): Attachment {
  const [type, ...others] = attachment as readonly string[];
  const otherwise = type === undefined || others.length > 0 || type.includes('*') ? undefined : type;
  return withMediaType(content, sentMediaType(content.contentType, { name: content.name, otherwise }));
}
