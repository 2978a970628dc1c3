import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** An OpenAPI description as tests read it. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, OpenApiResponse>>;
    readonly securitySchemes?: object;
  };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, OpenApiMedia>> };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly security: readonly object[];
}

export interface OpenApiParameter extends OpenApiMedia {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  readonly description?: string;
}

export interface OpenApiResponse {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, OpenApiMedia>>;
}

export interface OpenApiMedia {
  readonly schema?: object;
  readonly example?: unknown;
}

/** Compiles schemas of a description, with its components and the formats that OpenAPI's registry adds. */
export function schemaCompiler(api: OpenApi): (schema: object) => ValidateFunction {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    allErrors: true,
    formats: { decimal: true, 'time-local': true },
  });
  formats.default(ajv);
  const components = { $id: 'api', components: api.components };
  ajv.addKeyword('components');
  // Of OpenAPI (4.8.25), and only a hint to code generators: what is valid does not depend on it.
  ajv.addKeyword('discriminator');
  ajv.addSchema(components);
  return (schema) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')));
}

/** Every schema of a description that stands beside an example, with where. */
export function examplesOf(api: OpenApi): { readonly where: string; readonly media: OpenApiMedia }[] {
  const found: { where: string; media: OpenApiMedia }[] = [];
  const contents = (where: string, content: Readonly<Record<string, OpenApiMedia>> = {}): void => {
    for (const [type, media] of Object.entries(content)) found.push({ where: `${where} ${type}`, media });
  };
  for (const [path, item] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const where = `${method} ${path}`;
      for (const parameter of operation.parameters ?? [])
        found.push({ where: `${where} ${parameter.name}`, media: parameter });
      contents(where, operation.requestBody?.content);
      for (const [status, response] of Object.entries(operation.responses))
        contents(`${where} ${status}`, response.content);
    }
  }
  for (const [name, response] of Object.entries(api.components.responses)) contents(name, response.content);
  return found;
}
