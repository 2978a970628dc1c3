export { isAttachment, MemoryAttachment, readAttachment } from './binary.ts';
export { type Blank, blank } from './blank.ts';
export { type CodecOptions, compileDocument, type DocumentCodec } from './document.ts';
export { CodecError } from './error.ts';
export { compileFault, type FaultCodec, type FaultWords } from './fault.ts';
export { compileCheck, compileList, compileText } from './text.ts';
