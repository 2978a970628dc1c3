import { componentEntries } from './catalogue/components.ts';
import { consumerEntries } from './catalogue/consumers.ts';
import { datasourceEntries } from './catalogue/datasources.ts';
import { documentEntries } from './catalogue/documents.ts';
import { flowEntries } from './catalogue/flows.ts';
import { nodeEntries } from './catalogue/nodes.ts';
import { operationEntries } from './catalogue/operations.ts';
import { processEntries } from './catalogue/processes.ts';
import { projectEntries } from './catalogue/project.ts';
import { queryEntries } from './catalogue/queries.ts';
import { schemeEntries } from './catalogue/schemes.ts';
import { securityEntries } from './catalogue/security.ts';
import { shapeEntries } from './catalogue/shape.ts';
import { soapEntries } from './catalogue/soap.ts';
import { textEntries } from './catalogue/text.ts';

export type { Entry } from './catalogue/entry.ts';

/**
 * Every mistake that the loader can report, by its code. Nothing is raised outside it. Codes are words that stay as they
 * are: one that is no longer raised is not used again for something else.
 */
export const catalogue = {
  ...textEntries,
  ...shapeEntries,
  ...projectEntries,
  ...nodeEntries,
  ...documentEntries,
  ...operationEntries,
  ...flowEntries,
  ...soapEntries,
  ...consumerEntries,
  ...datasourceEntries,
  ...queryEntries,
  ...componentEntries,
  ...processEntries,
  ...securityEntries,
  ...schemeEntries,
} as const;

/** A code of the catalogue. */
export type Code = keyof typeof catalogue;

/** What the words of a code need. */
export type ParametersOf<C extends Code> = Parameters<(typeof catalogue)[C]['message']>[0];
