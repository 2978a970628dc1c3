import { consumerEntries, flowEntries, nodeEntries } from './catalogue/calls.ts';
import { componentEntries, datasourceEntries, processEntries, queryEntries } from './catalogue/data.ts';
import { documentEntries } from './catalogue/documents.ts';
import { messageEntries } from './catalogue/messages.ts';
import { operationEntries, soapEntries } from './catalogue/operations.ts';
import { projectEntries } from './catalogue/project.ts';
import { schemeEntries, securityEntries } from './catalogue/security.ts';
import { shapeEntries, textEntries } from './catalogue/shape.ts';

export type { Entry } from './catalogue/entry.ts';

/**
 * Every diagnostic of the loader, by its code. No others are raised. Codes are stable: a code that is no longer raised is not
 * reused.
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
  ...messageEntries,
  ...securityEntries,
  ...schemeEntries,
} as const;

/** A code of the catalogue. */
export type Code = keyof typeof catalogue;

/** The parameters of a code's message. */
export type ParametersOf<C extends Code> = Parameters<(typeof catalogue)[C]['message']>[0];
