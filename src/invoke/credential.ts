import type { ConfigText, ResolveReference } from '../model/definition.ts';
import type { Node, NodeCredential } from '../model/node.ts';
import { MASK, MASKED_BASIC, MASKED_BEARER } from '../model/redactor.ts';
import { resolveText } from './configuration.ts';
import { type Called, InvokeError } from './error.ts';

/** A user and a password (HTTP Basic, RFC 7617). */
export interface Credential {
  readonly user: string;
  readonly password: string;
}

/** A header that authenticates the caller. */
export interface Proof {
  readonly header: string;
  readonly value: string;
  /** The masked value. */
  readonly shown: string;
  /** The secrets in the value. */
  readonly secrets: readonly string[];
}

/** A credential that is the same for each call. */
export type FixedCredential = Extract<NodeCredential, { readonly kind: 'basic' | 'bearer' | 'api-key' }>;

/** @throws InvokeError CONFIGURATION for a value that is not valid in a header */
export function proofOf(credential: FixedCredential, node: string, resolve: ResolveReference, called: Called): Proof {
  switch (credential.kind) {
    case 'basic': {
      const user = resolveText(credential.user, resolve);
      return basic({ user, password: resolveText(credential.password, resolve) }, called);
    }
    case 'bearer':
      return bearer(resolveText(credential.token, resolve), node, called);
    case 'api-key': {
      const value = resolveText(credential.value, resolve);
      assertHeader(value, 'api-key', node, called);
      return { header: credential.header, value, shown: MASK, secrets: [value] };
    }
  }
}

/** @throws InvokeError CONFIGURATION */
export function basic({ user, password }: Credential, called: Called): Proof {
  if (user.includes(':'))
    throw new InvokeError(
      'CONFIGURATION',
      called,
      'the user of the credential contains a colon, which HTTP Basic forbids',
    );
  const encoded = Buffer.from(`${user}:${password}`).toString('base64');
  return { header: 'Authorization', value: `Basic ${encoded}`, shown: MASKED_BASIC, secrets: [password, encoded] };
}

/** @throws InvokeError CONFIGURATION */
export function bearer(token: string, node: string, called: Called): Proof {
  assertHeader(token, 'token', node, called);
  return { header: 'Authorization', value: `Bearer ${token}`, shown: MASKED_BEARER, secrets: [token] };
}

/** Not valid in a header (RFC 9110 section 5.5). Typically the line end of a file with a secret. */
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/;

function assertHeader(value: string, name: string, node: string, called: Called): void {
  if (value !== '' && !UNFIT.test(value)) return;
  const reason = value === '' ? 'is empty' : 'contains a character that is not valid in a header, such as a line end';
  throw new InvokeError('CONFIGURATION', called, `the ${name} of node ${node} ${reason}`);
}

/** The configuration that a node's credential refers to. */
export function credentialTexts({ credential }: Node): readonly ConfigText[] {
  switch (credential?.kind) {
    case undefined:
      return [];
    case 'basic':
      return [credential.user, credential.password];
    case 'bearer':
      return [credential.token];
    case 'api-key':
      return [credential.value];
    case 'webhook':
    case 'hmac':
      return credential.secrets;
    case 'ws-security': {
      const { usernameToken, signature, replySignature } = credential;
      return [
        ...[usernameToken?.user, usernameToken?.password].filter((each) => each !== undefined),
        ...(signature === undefined ? [] : [signature.file, signature.keyFile]),
        ...(signature?.passphrase === undefined ? [] : [signature.passphrase]),
        ...[replySignature?.certificateFile, replySignature?.caFile].filter((each) => each !== undefined),
      ];
    }
    case 'client-credentials': {
      const { tokenUrl, clientId, clientSecret, scope, parameters } = credential;
      return [tokenUrl, clientId, clientSecret, ...(scope === undefined ? [] : [scope]), ...parameters.values()];
    }
  }
}
