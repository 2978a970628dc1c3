import { PARTNER_SUBJECT } from './certificates.ts';

/** The path of the operation of {@link certifiedProject}. */
export const WHO = '/gateway/RESTListeningConnector/Certified.v1/who';

/** The parts in which such projects differ: YAML, in complete lines. */
interface Certified {
  readonly schemes: string;
  /** The schemes that the service requires. */
  readonly requires: string;
  /** Definitions of more users, each followed by `---`. */
  readonly users?: string;
  readonly operations?: string;
}

/** Definitions of a service that returns the caller's id to callers with the role CALLER, and of the user `partner`, who has it. */
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
