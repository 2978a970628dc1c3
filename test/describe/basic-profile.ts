import { BINDING_RULES } from './basic-profile-binding.ts';
import type { Rule } from './basic-profile-rule.ts';
import { SCHEMA_RULES } from './basic-profile-schema.ts';

// WS-I Basic Profile 1.1 (24 August 2004): what it asks of a DESCRIPTION, where document/literal has to do with it. Rules
// about bindings are held against those of SOAP 1.2 too, which asks the same under another namespace.
export const RULES: readonly Rule[] = [...SCHEMA_RULES, ...BINDING_RULES];
