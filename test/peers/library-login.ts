import type { Grants } from './grants.ts';
import { encoded, type LibraryFacts, LOGIN_HOST, tokenForm, tokenPath } from './library-facts.ts';
import { checkHead } from './library-rules.ts';
import { type Answer, jsonAnswer, Refusal, type RequestHead, textOf } from './message.ts';
import type { Step } from './step.ts';

export interface LoginOptions {
  readonly facts: LibraryFacts;
  readonly tokens: Grants;
  /** `expires_in` is digits in a string. */
  readonly secondsAsText: boolean;
}

/** Step 1: the identity provider (specification 4.3; RFC 6749 section 4.4). */
export function loginStep({ facts, tokens, secondsAsText }: LoginOptions): Step {
  return (head) => {
    checkPath(head, facts);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    checkHead(head, { host: LOGIN_HOST, headers, allowed: ['accept'], body: 'length' });
    return async (body) => {
      const refused = checkForm(await textOf(body), facts);
      if (refused !== undefined) return refused;
      const { value, seconds } = tokens.grant();
      return jsonAnswer({
        token_type: 'Bearer',
        expires_in: secondsAsText ? String(seconds) : seconds,
        resource: tokenForm(facts)[3]?.[1],
        access_token: value,
      });
    };
  };
}

function checkPath({ target }: RequestHead, { tenantId }: LibraryFacts): void {
  if (target !== tokenPath(tenantId)) throw new Refusal(400, `the path is not ${tokenPath(tenantId)}`);
}

/** @throws Refusal for a form that is none of step 1; the answer for one with wrong values (RFC 6749 section 5.2) */
function checkForm(body: string, facts: LibraryFacts): Answer | undefined {
  const wanted = tokenForm(facts);
  const pairs = body.split('&').map((pair) => pair.split('='));
  const names = pairs.map(([name]) => name).join(', ');
  const right = wanted.map(([name]) => name).join(', ');
  if (names !== right) throw new Refusal(400, `the form's fields are not ${right}`);
  for (const [index, [name, value]] of wanted.entries()) {
    const [, written = '', ...more] = pairs[index] ?? [];
    if (more.length > 0 || encoded(decoded(name, written)) !== written)
      throw new Refusal(400, `${name} is not percent-encoded once, by itself`);
    if (decoded(name, written) !== value) return refusal(name);
  }
  return undefined;
}

function decoded(name: string, written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    throw new Refusal(400, `${name} is no percent-encoded UTF-8`);
  }
}

function refusal(name: string): Answer {
  const error = REFUSALS[name] ?? 'invalid_request';
  const status = error === 'invalid_client' ? 401 : 400;
  return jsonAnswer({ error, error_description: `${name} is not what was issued` }, { status });
}

const REFUSALS: Readonly<Record<string, string>> = {
  grant_type: 'unsupported_grant_type',
  client_id: 'invalid_client',
  client_secret: 'invalid_client',
  resource: 'invalid_target',
};
