import type { JsonSchema } from '../../json-instances.ts';
import { Unmakeable } from '../../simple-text.ts';

/** A value beside the body of a request, as an OpenAPI description has it. */
export interface ForeignParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly schema: unknown;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Of a parameter with `content`. */
  readonly mediaType?: string;
}

/** A body in one media type. */
export interface ForeignContent {
  readonly mediaType: string;
  readonly schema: unknown;
  /** The address of the schema in the description, if it stands there in one piece. */
  readonly pointer?: string;
  /** How parts of a form are written, by name. */
  readonly encoding: Readonly<Record<string, JsonSchema | undefined>>;
}

export interface ForeignResponse {
  /** `200`, `2XX` or `default`. */
  readonly status: string;
  readonly contents: readonly ForeignContent[];
}

/** An operation as the description has it, read apart from the import. */
export interface ForeignOperation {
  readonly id: string;
  readonly path: string;
  readonly method: string;
  readonly parameters: readonly ForeignParameter[];
  readonly body?: { readonly required: boolean; readonly contents: readonly ForeignContent[] };
  readonly responses: readonly ForeignResponse[];
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'];

/** The operations of an OpenAPI description (2.0 to 3.2). Those with parts in other files are left out. */
export function operationsOf(root: JsonSchema): {
  readonly found: readonly ForeignOperation[];
  readonly apart: number;
} {
  const reader = new Reader(root);
  const found: ForeignOperation[] = [];
  let apart = 0;
  for (const [path, declared] of Object.entries((root.paths ?? {}) as JsonSchema)) {
    if (!path.startsWith('/')) continue;
    for (const method of METHODS) {
      try {
        const item = reader.at(['paths', path], declared);
        const node = item.node[method];
        if (node !== undefined) found.push(reader.operation(path, method, item, node as JsonSchema));
      } catch (error) {
        if (!(error instanceof Unmakeable)) throw error;
        apart += 1;
      }
    }
  }
  return { found, apart };
}

/** A node with its address. */
interface At {
  readonly node: JsonSchema;
  readonly pointer: string;
}

class Reader {
  readonly #root: JsonSchema;
  readonly #isOld: boolean;

  constructor(root: JsonSchema) {
    this.#root = root;
    this.#isOld = root.swagger !== undefined;
  }

  /** @throws Unmakeable for a part in another file */
  at(steps: readonly string[], node: unknown): At {
    return this.#follow({ node: (node ?? {}) as JsonSchema, pointer: pointerOf(steps) });
  }

  #follow(given: At): At {
    let at = given;
    for (let n = 0; n < 20; n++) {
      const { $ref: to } = at.node;
      if (typeof to !== 'string') return at;
      if (!to.startsWith('#/')) throw new Unmakeable('a part of another file');
      const node = to
        .slice(2)
        .split('/')
        .reduce<unknown>(
          (inner, step) =>
            (inner as JsonSchema | undefined)?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
          this.#root,
        );
      at = { node: (node ?? {}) as JsonSchema, pointer: to };
    }
    throw new Unmakeable('a reference to itself');
  }

  #inside({ node, pointer }: At, key: string): At {
    return this.#follow({ node: (node[key] ?? {}) as JsonSchema, pointer: `${pointer}/${escaped(key)}` });
  }

  operation(path: string, method: string, item: At, node: JsonSchema): ForeignOperation {
    const at = { node, pointer: `${item.pointer}/${method}` };
    const byName = new Map<string, At>();
    for (const list of [this.#inside(item, 'parameters'), this.#inside(at, 'parameters')])
      for (const index of Object.keys(list.node)) {
        const each = this.#inside(list, index);
        byName.set(`${each.node.in} ${each.node.name}`, each);
      }
    const all = [...byName.values()];
    const body = this.#isOld ? this.#bodyOfTwo(all, node) : this.#bodyOfThree(at);
    const names = Object.keys((node.responses ?? {}) as object).filter((status) =>
      /^(?:\dXX|\d{3}|default)$/i.test(status),
    );
    const responses = this.#inside(at, 'responses');
    return {
      id: String(node.operationId ?? `${method} ${path}`),
      path,
      method: method.toUpperCase(),
      parameters: all.flatMap((each) => this.#parameter(each)),
      ...(body === undefined ? {} : { body }),
      responses: names.map((status) => this.#response(status, this.#inside(responses, status), node)),
    };
  }

  #parameter(at: At): ForeignParameter[] {
    const { node } = at;
    const where = node.in as ForeignParameter['in'];
    if (!['path', 'query', 'header', 'cookie'].includes(where)) return [];
    const common = { name: String(node.name), in: where, required: node.required === true || where === 'path' };
    if (this.#isOld) {
      const { collectionFormat = 'csv' } = node;
      const style = OLD_STYLES[String(collectionFormat)] ?? 'form';
      const own = style === 'form' && (where === 'path' || where === 'header') ? 'simple' : style;
      const { required: _, ...schema } = node;
      return [{ ...common, schema, style: own, explode: collectionFormat === 'multi', allowReserved: false }];
    }
    const style = String(node.style ?? (where === 'query' || where === 'cookie' ? 'form' : 'simple'));
    const explode = (node.explode ?? (style === 'form' || style === 'cookie')) === true;
    const how = { ...common, style, explode, allowReserved: node.allowReserved === true };
    const [mediaType, media] = Object.entries((node.content ?? {}) as Record<string, JsonSchema>)[0] ?? [];
    if (mediaType === undefined) return [{ ...how, schema: node.schema ?? {} }];
    return [{ ...how, schema: media?.schema ?? {}, mediaType }];
  }

  #bodyOfThree(at: At): ForeignOperation['body'] {
    if (at.node.requestBody === undefined) return undefined;
    const body = this.#inside(at, 'requestBody');
    return { required: body.node.required === true, contents: this.#contents(body) };
  }

  #contents(at: At): ForeignContent[] {
    const content = this.#inside(at, 'content');
    return Object.keys(content.node).map((mediaType) => {
      const media = this.#inside(content, mediaType);
      const encoding = (media.node.encoding ?? {}) as ForeignContent['encoding'];
      if (media.node.schema === undefined) return { mediaType, schema: undefined, encoding };
      return { mediaType, schema: media.node.schema, pointer: `${media.pointer}/schema`, encoding };
    });
  }

  #bodyOfTwo(all: readonly At[], operation: JsonSchema): ForeignOperation['body'] {
    const types = (operation.consumes ?? this.#root.consumes ?? []) as readonly string[];
    const whole = all.find(({ node }) => node.in === 'body');
    if (whole !== undefined) {
      const known = types.filter((each) => !/multipart|urlencoded/i.test(each));
      const { schema } = whole.node;
      const contents = (known.length === 0 ? ['application/json'] : known).map((mediaType) => ({
        ...{ mediaType, schema, pointer: `${whole.pointer}/schema`, encoding: {} },
      }));
      return { required: whole.node.required === true, contents };
    }
    const fields = all.filter(({ node }) => node.in === 'formData').map(({ node }) => node);
    if (fields.length === 0) return undefined;
    const hasFile = fields.some(({ type }) => type === 'file');
    const isForm = (each: string): boolean => /multipart/i.test(each) || (!hasFile && /urlencoded/i.test(each));
    const forms = types.filter(isForm);
    const properties = Object.fromEntries(
      fields.map(({ required: _, ...node }) => [
        String(node.name),
        node.type === 'file' ? { type: 'string', format: 'binary' } : node,
      ]),
    );
    const needed = fields.filter((each) => each.required === true).map(({ name }) => String(name));
    const schema = { type: 'object', properties, required: needed };
    const encoding = Object.fromEntries(
      fields.map(({ name, collectionFormat = 'csv' }) => [
        String(name),
        { style: OLD_STYLES[String(collectionFormat)], explode: collectionFormat === 'multi' },
      ]),
    );
    const usual = hasFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded';
    const contents = (forms.length === 0 ? [usual] : forms).map((mediaType) => ({ mediaType, schema, encoding }));
    return { required: needed.length > 0, contents };
  }

  #response(status: string, at: At, operation: JsonSchema): ForeignResponse {
    if (!this.#isOld) return { status, contents: this.#contents(at) };
    const { schema } = at.node;
    if (schema === undefined) return { status, contents: [] };
    const types = (operation.produces ?? this.#root.produces ?? []) as readonly string[];
    const contents = (types.length === 0 ? ['application/json'] : types).map((mediaType) => ({
      ...{ mediaType, schema, pointer: `${at.pointer}/schema`, encoding: {} },
    }));
    return { status, contents };
  }
}

const OLD_STYLES: Readonly<Record<string, string | undefined>> = {
  csv: 'form',
  multi: 'form',
  ssv: 'spaceDelimited',
  tsv: 'tabDelimited',
  pipes: 'pipeDelimited',
};

const escaped = (step: string): string => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));

function pointerOf(steps: readonly string[]): string {
  return `#/${steps.map(escaped).join('/')}`;
}
