import { type FlowDeclared, flows } from './flow.ts';
import { cors, description, keys, matching, namespaceUri, reference, yesNo } from './json-schema.ts';
import { type OperationDeclared, type SharedDeclared, sharedKeys } from './operation.ts';

export interface ServiceDeclared extends SharedDeclared {
  readonly description?: string;
  readonly namespace?: string;
  readonly default?: boolean;
  readonly active?: boolean;
  readonly cors?: readonly string[];
  readonly deprecated?: boolean | { readonly since?: string; readonly sunset?: string };
  readonly operations: Readonly<Record<string, OperationDeclared>>;
  readonly flows?: Readonly<Record<string, FlowDeclared>>;
}

const date = (what: string) =>
  ({
    title: 'a date',
    type: 'string',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
    description: what,
    examples: ['2027-01-01'],
  }) as const;

export const service = keys<'service' | keyof ServiceDeclared>(
  {
    title: 'service',
    description:
      "A named, versioned group of operations. What it says of permission, requires, limits, fault, request, response, template, headers, alias, target, properties, values, timeout and retry is its operations' default; maps merge.",
    required: ['service', 'operations'],
    examples: [
      {
        service: 'Locations.v1',
        description: 'Locations of a region, and the people who work at one.',
        permission: 'LOCATIONS',
        fault: 'LOC_FAULT',
        operations: {
          LOCATIONS_GET: {
            get: ['Locations/?region={REGION}', 'Locations/{REGION}/?location={LOCATION}'],
            request: 'LOC_REQUEST',
            response: 'LOC_RESPONSE',
            wrapper: 'psnonxml',
          },
        },
      },
    ],
  },
  {
    service: matching(
      'a name with its version',
      '^[A-Za-z][A-Za-z0-9_]*\\.v[1-9][0-9]*$',
      'Name and version in one word, as in paths.',
      'Locations.v1',
    ),
    description,
    namespace: {
      ...namespaceUri,
      description:
        "XML namespace of its messages, in place of `<namespace of the gateway>:<Service>.<version>`: that of a partner's service, or of one that took this one's place.",
      examples: ['http://partner.example.org/orders'],
    },
    default: {
      type: 'boolean',
      description: 'A path without a version reaches this one. Without it the lowest version is the default.',
      examples: [true],
    },
    active: yesNo('Whether it is served. Where not, its paths answer 404.', true),
    deprecated: {
      ...keys({}, { since: date('Since when (RFC 9745).'), sunset: date('When it ends (RFC 8594).') }),
      type: ['boolean', 'object'],
      description: 'Replies say that callers should move on; `since` and `sunset` say from when and until when.',
      examples: [true, { since: '2026-06-01', sunset: '2027-01-01' }],
    },
    cors: {
      ...cors,
      description:
        "Origins whose pages may call it from a browser, in place of the gateway's; an empty list lets none.",
    },
    ...sharedKeys,
    operations: {
      type: 'object',
      propertyNames: {
        title: 'an operation name',
        pattern: '^[A-Za-z][A-Za-z0-9_]*$',
        examples: ['LOCATIONS_GET'],
      },
      additionalProperties: reference('operation'),
      description:
        'Its operations by name. A name is unique in the service of one version; other versions and services may have it too.',
      examples: [{ EMPLOYEES_GET: { get: 'Employees/{DEPTNAME}', query: 'EMPLOYEES_BY_DEPT' } }],
    },
    flows,
  },
);
