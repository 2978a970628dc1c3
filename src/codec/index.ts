export { compileInline, type Inline, isAttachment } from './binary.ts';
export { compileArrival, compileDocument, compileFault, type DocumentCodec } from './document.ts';
export { addError, CodecError, type Step, shown, stepOf } from './error.ts';
export { readJsonMember, readJsonText, writeJsonMember, writeJsonText } from './json/plain.ts';
export { compileJsonField, compileJsonReader } from './json/read-json.ts';
export { compileJsonFieldWriter } from './json/write.ts';
export {
  compileCheck,
  compileList,
  compileSeparated,
  compileText,
  compileTextWriter,
  initialValue,
  isCommaSeparated,
} from './scalar.ts';
export { nearest } from './value.ts';
export type { Resolve } from './xml/binary-content.ts';
