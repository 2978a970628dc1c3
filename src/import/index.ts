export { type DeclareOptions, declare, serviceNames } from './declare/declare.ts';
export type { Declared, DeclaredMap, Judge, Refused } from './declare/declared.ts';
export { fileName } from './declare/documents.ts';
export type { DraftContract, DraftOperation, DraftService } from './draft.ts';
export { importContracts } from './import.ts';
export {
  groupLosses,
  ImportError,
  LOSS_KINDS,
  type Loss,
  type Losses,
  type LossKind,
  placesWords,
  placeWords,
} from './place.ts';
export { type Found, type ReadSource, SOURCE_LIMITS } from './source.ts';
export { type Change, DefinitionFiles, update } from './update.ts';
