import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

interface OpenApi {
  readonly components: object;
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { requestBody?: { content: Record<string, { schema?: object }> } }>>>
  >;
}

/**
 * Judges JSON by the OpenAPI description of a service whose paths end with `e0`, `e1` and so on.
 * @returns the first error of the request of one
 */
export function jsonJudge(text: string): (index: number, json: string) => string | undefined {
  const api = JSON.parse(text) as OpenApi;
  const ajv = new Ajv2020({ strict: false, formats: { decimal: true, 'time-local': true } });
  formats.default(ajv);
  ajv.addSchema({ $id: 'api', components: api.components });
  const compiled = new Map<number, ValidateFunction | undefined>();
  return (index, json) => {
    if (!compiled.has(index)) {
      const [, item] = Object.entries(api.paths).find(([path]) => path.endsWith(`/e${index}`)) ?? [];
      const schema = item?.post?.requestBody?.content['application/json']?.schema;
      const own = JSON.stringify(schema ?? true).replaceAll('"#/components', '"api#/components');
      compiled.set(index, ajv.compile(JSON.parse(own)));
    }
    const validate = compiled.get(index);
    if (validate === undefined || validate(JSON.parse(json))) return undefined;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`;
  };
}
