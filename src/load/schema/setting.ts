import { type FacetsDeclared, facetKeys } from './document.ts';
import { type JsonSchema, keys, mapOr, text, yesNo } from './json-schema.ts';

/** A setting that code of the project reads: its value, or a map with its type. */
export type SettingsDeclared = Readonly<Record<string, string | SettingDeclared>>;

export interface SettingDeclared extends FacetsDeclared {
  readonly value: string | number | boolean;
  readonly type?: string;
  readonly description?: string;
  readonly 'any-case'?: boolean;
}

/** The map of a setting. */
export const setting = keys(
  {
    required: ['value'],
    examples: [
      { value: '${env:HEAVIEST_PARCEL:-30}', type: 'decimal(6.2)', description: 'In kg; heavier ones go by freight.' },
      { value: '${secret:CARRIER_KEY}', description: 'The key of our account.' },
    ],
  },
  {
    value: {
      title: 'a text or another single value',
      type: ['string', 'number', 'boolean'],
      description:
        'The value: literal, or from the environment. With `${secret:NAME}` the setting is a secret, which is masked wherever something is shown. With an empty default, `${env:NAME:-}`, it may be missing.',
      examples: ['${env:HEAVIEST_PARCEL:-30}', '${secret:CARRIER_KEY}', '${env:SUPPORT_MAIL:-}'],
    },
    type: { ...text('The type of a single value: `integer`, `SHIPMENT_STATUS`.', 'integer'), default: 'string' },
    description: text(
      'Description for those who write handlers and for those who set the environment.',
      'In kg; heavier ones go by freight.',
    ),
    ...facetKeys,
    'any-case': yesNo('Ignores letter case in the value, which gets its spelling in `enum`.', false),
  } satisfies Record<keyof SettingDeclared, JsonSchema>,
);

export const settings: JsonSchema = {
  title: 'settings by name',
  type: 'object',
  propertyNames: { title: 'a name of letters, digits and underscores', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
  additionalProperties: {
    title: 'a text, or a map with value',
    description: 'A setting: its value, or a map with `value:`, its type and restrictions.',
    ...mapOr(setting, { title: 'a text', type: 'string', examples: ['${env:CARRIER_URL}'] }),
  },
  description:
    'Settings that code of the project reads as `context.settings`, typed and checked at the start. `signalbox env` lists what they refer to.',
  examples: [
    {
      CARRIER_URL: '${env:CARRIER_URL:-https://carrier.example.org}',
      CARRIER_KEY: '${secret:CARRIER_KEY}',
      HEAVIEST_PARCEL: { value: '${env:HEAVIEST_PARCEL:-30}', type: 'decimal(6.2)' },
    },
  ],
};
