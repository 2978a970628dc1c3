import {
  description,
  type JsonSchema,
  keys,
  reference,
  refersTo,
  statuses,
  type TextsDeclared,
  time,
} from './json-schema.ts';

/** A list of steps, or a map with a description. */
export type FlowDeclared =
  | readonly FlowStepDeclared[]
  | { readonly description?: string; readonly steps: readonly FlowStepDeclared[] };

export interface FlowStepDeclared {
  readonly call: string;
  readonly keep?: TextsDeclared;
  readonly for?: string;
  readonly 'renew-on'?: number | readonly number[];
  readonly timeout?: string;
}

/** A field of the reply document: `access_token`, `d.results.id`. */
const path = (what: string, examples: readonly string[]): JsonSchema => ({
  title: 'a field of the reply',
  type: 'string',
  minLength: 1,
  description: what,
  examples,
});

export const flowStep: JsonSchema = keys<keyof FlowStepDeclared>(
  {
    title: 'a step',
    description:
      'One call of a flow. Its input comes from the caller of the flow and from the values that earlier steps keep, by the names of fields.',
    required: ['call'],
    examples: [{ call: 'N_DOCLIB_ACCESSTOKEN_POST', keep: { ACCESS_TOKEN: 'access_token' }, for: 'expires_in' }],
  },
  {
    call: refersTo(
      'consumer-id',
      'The operation to call, of any service. It must have a `target`.',
      'N_DOCLIB_ACCESSTOKEN_POST',
    ),
    keep: {
      type: 'object',
      minProperties: 1,
      additionalProperties: path('The field of the reply that has the value.', ['access_token', 'result.token']),
      description:
        'Values of the reply for later steps: each maps the field to fill to a field of the reply, with a dot before each field of an inner document.',
      examples: [{ ACCESS_TOKEN: 'access_token' }],
    },
    for: path(
      'The field of the reply with the number of seconds for which the kept values are valid. Until then they are reused, by other runs too. Without it, they are kept for one run of the flow.',
      ['expires_in'],
    ),
    'renew-on': statuses(
      'Statuses of a later step that invalidate the kept values: this step is repeated, then the later step once.',
      401,
      [401, 403],
    ),
    timeout: time('Time limit of the step, instead of that of the operation.'),
  },
);

export const flows: JsonSchema = {
  type: 'object',
  propertyNames: { title: 'a flow name', pattern: '^[A-Za-z][A-Za-z0-9_-]*$', examples: ['upload'] },
  additionalProperties: reference('flow'),
  description:
    'Sequences of calls by name: `pay` of the service Bank.v1 is run as `Bank.pay` or `Bank.v1.pay`. A caller who may call each of its operations may run it.',
  examples: [{ upload: [{ call: 'N_DOCLIB_ACCESSTOKEN_POST', keep: { ACCESS_TOKEN: 'access_token' } }] }],
};

const steps: JsonSchema = {
  type: 'array',
  items: reference('flow-step'),
  minItems: 1,
  description: 'The calls, in order. The reply of the last call is the reply of the flow.',
};

export const flow: JsonSchema = {
  ...keys(
    {
      title: 'a list of steps, or a map of description and steps',
      description:
        'A sequence of calls in which later ones use values that earlier ones keep. Its input consists of the fields that its steps use and no step keeps.',
      required: ['steps'],
      examples: [[{ call: 'N_DOCLIB_ACCESSTOKEN_POST', keep: { ACCESS_TOKEN: 'access_token' } }]],
    },
    { description, steps },
  ),
  type: ['object', 'array'],
  items: reference('flow-step'),
  minItems: 1,
};
