import { PARTNER_SUBJECT } from './certificates.ts';

/** The path of the operation of {@link certifiedProject}. */
export const WHO = '/gateway/RESTListeningConnector/Certified.v1/who';

/** What stands beside what all such projects have: YAML, of whole lines. */
interface Certified {
  readonly schemes: string;
  /** Those that the service asks for. */
  readonly requires: string;
  /** Definitions of more users, each with `---` behind it. */
  readonly users?: string;
  readonly operations?: string;
}

/** Definitions of a service that tells callers with the role CALLER who they are, and of the user `partner`, who has it. */
export function certifiedProject({
  schemes,
  requires,
  users = '',
  operations = '',
}: Certified): Record<string, string> {
  return {
    'definitions/certified.yaml': `${schemes}---
permission-list: CALLING
---
role: CALLER
permission-lists: [CALLING]
---
user: partner
certificates: [${JSON.stringify(PARTNER_SUBJECT)}]
roles: [CALLER]
---
${users}service: Certified.v1
permission: CALLING
requires: ${requires}
operations:
  WHO: { get: who, request: { fields: {} }, response: { fields: { ID: string } } }
${operations}`,
    'src/handlers/who.ts': `export default { onRequest: (input, context) => ({ ID: context.user?.id ?? '' }) };`,
  };
}
