import { accessRules } from './catalogue/access.ts';
import { callRules } from './catalogue/calls.ts';
import { contractRules, documentRules, kindRules } from './catalogue/documents.ts';
import type { Rule } from './catalogue/entry.ts';
import { fieldRules } from './catalogue/fields.ts';
import { gatewayRules } from './catalogue/gateway.ts';
import { operationRules } from './catalogue/operations.ts';
import { requestRules, soapRules } from './catalogue/requests.ts';
import { valueRules } from './catalogue/values.ts';

/** The rules by subject, as `docs/compatibility.md` lists them. */
export const SUBJECTS = {
  'Services and operations': operationRules,
  'URLs and headers': requestRules,
  'Messages over SOAP': soapRules,
  'Access and limits': accessRules,
  'The gateway': gatewayRules,
  Documents: { ...documentRules, ...kindRules },
  Fields: fieldRules,
  Values: valueRules,
  'Calls to other systems': callRules,
  'Two contracts': contractRules,
} as const;

/**
 * Every rule by its id. Definitions name rules in `accepted-breaks`, so ids are stable: that of a rule which is dropped is not used
 * again.
 */
const CATALOGUE = {
  ...operationRules,
  ...requestRules,
  ...soapRules,
  ...accessRules,
  ...gatewayRules,
  ...documentRules,
  ...kindRules,
  ...fieldRules,
  ...valueRules,
  ...callRules,
  ...contractRules,
} as const;

export type RuleId = keyof typeof CATALOGUE;

export const RULES: Readonly<Record<RuleId, Rule>> = CATALOGUE;

export function isRule(id: string): id is RuleId {
  return Object.hasOwn(RULES, id);
}
