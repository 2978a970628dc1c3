export { catalogue, type Entry } from './diagnostic/catalogue.ts';
export { codeCatalogue, codeDiagnostic } from './diagnostic/code.ts';
export { databaseCatalogue, databaseDiagnostic } from './diagnostic/database.ts';
export type { Place } from './diagnostic/diagnostic.ts';
export { byPlace, type Diagnostic } from './diagnostic/diagnostic.ts';
export { renderDiagnostics } from './diagnostic/render.ts';
export {
  DefinitionsError,
  deliveredServices,
  type LoadedProject,
  type LoadOptions,
  loadProject,
  loadTexts,
  registryOf,
} from './load.ts';
export { editorSchema } from './schema/editor.ts';
export { definitionsSchema, type JsonSchema, kindSchemas } from './schema/index.ts';
