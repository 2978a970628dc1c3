export { compileDocument, type DocumentCodec } from './document.ts';
export { CodecError } from './error.ts';
export { compileFault } from './fault.ts';
export { compileInline, type Inline } from './inline.ts';
export { compileJsonField, compileJsonReader } from './json-read.ts';
export { readJsonText, writeJsonText } from './json-text.ts';
export { compileCheck, compileList, compileText } from './text.ts';
export type { Resolve } from './xml-binary.ts';
