import type { DraftSecurity } from '../draft.ts';
import type { SchemaContext } from './shape.ts';
import type { Node } from './tree.ts';

/** Reads security schemes and what requires them. */
export class SecurityReader {
  readonly #context: SchemaContext;
  readonly #schemes: Node | undefined;

  constructor(root: Node, context: SchemaContext) {
    this.#context = context;
    this.#schemes =
      context.version === '2.0' ? root.get('securityDefinitions') : root.get('components')?.get('securitySchemes');
  }

  /** Whatever a contract says of credentials; `undefined` when it says nothing. */
  read(requirements: Node | undefined): readonly DraftSecurity[] | undefined {
    if (requirements === undefined) return undefined;
    const { losses } = this.#context;
    const ways = requirements.items().map((requirement) => ({ requirement, found: this.#way(requirement) }));
    const able = ways.filter((way) => way.found !== undefined);
    const chosen = able.find(({ found }) => found !== undefined && found.length > 0) ?? able[0];
    for (const way of ways) {
      if (way === chosen || way.found === undefined) continue;
      const names = way.requirement.entries().map(([name]) => name);
      const what = names.length === 0 ? 'calls without credentials' : `authentication by ${names.join(' and ')}`;
      losses.add(what, 'the first way is used', way.requirement.place);
    }
    return chosen?.found ?? [];
  }

  /** Schemes that are required together; `undefined` if one of them is not supported, which is reported. */
  #way(requirement: Node): readonly DraftSecurity[] | undefined {
    const found = requirement.entries().map(([name, scopes]) => this.#scheme(name, scopes));
    return found.some((each) => each === undefined) ? undefined : (found as readonly DraftSecurity[]);
  }

  #scheme(name: string, scopes: Node): DraftSecurity | undefined {
    const { losses, references } = this.#context;
    const declared = this.#schemes?.get(name);
    const scheme = declared === undefined ? undefined : references.follow(declared);
    const wanted = scopes.items().flatMap(({ text }) => text ?? []);
    const found = scheme === undefined ? undefined : this.#kind(scheme, wanted);
    if (scheme === undefined)
      losses.add(`the security scheme "${name}" is not declared`, 'no credentials are sent', scopes.place);
    else if (found === undefined)
      losses.add(
        `the security scheme "${name}" (${scheme.get('scheme')?.text ?? scheme.get('type')?.text})`,
        'no credentials are sent',
        scheme.place,
      );
    return found;
  }

  #kind(scheme: Node, scopes: readonly string[]): DraftSecurity | undefined {
    switch (scheme.get('type')?.text) {
      case 'basic':
        return { kind: 'basic' };
      case 'http':
        return httpScheme(scheme.get('scheme')?.text?.toLowerCase());
      case 'apiKey':
        return apiKey(scheme);
      case 'mutualTLS':
        return { kind: 'client-certificate' };
      case 'oauth2':
        return this.#oauth(scheme, scopes);
      case 'openIdConnect':
        return this.#token(scheme, 'OpenID Connect');
      default:
        return undefined;
    }
  }

  #oauth(scheme: Node, scopes: readonly string[]): DraftSecurity {
    const flow = scheme.get('flow')?.text === 'application' ? scheme : scheme.get('flows')?.get('clientCredentials');
    const tokenUrl = flow?.get('tokenUrl')?.text;
    if (tokenUrl !== undefined) return { kind: 'client-credentials', tokenUrl, scopes };
    const flows =
      scheme.get('flow')?.text ??
      scheme
        .get('flows')
        ?.entries()
        .map(([name]) => name)
        .join(', ');
    return this.#token(scheme, `OAuth 2.0 (${flows})`);
  }

  /** A token that a person obtains. */
  #token(scheme: Node, how: string): DraftSecurity {
    this.#context.losses.add(`how a token is obtained by ${how}`, 'the token is a setting', scheme.place);
    return { kind: 'bearer' };
  }
}

function httpScheme(scheme: string | undefined): DraftSecurity | undefined {
  return scheme === 'basic' || scheme === 'bearer' ? { kind: scheme } : undefined;
}

function apiKey(scheme: Node): DraftSecurity | undefined {
  const name = scheme.get('name')?.text;
  const where = scheme.get('in')?.text;
  if (name === undefined || (where !== 'header' && where !== 'query' && where !== 'cookie')) return undefined;
  return { kind: 'api-key', in: where, name };
}
