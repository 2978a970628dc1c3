import type { NodeCredential } from '../../model/node.ts';
import { MASK, MASKED_BASIC, MASKED_BEARER } from '../../model/redactor.ts';
import { headerRule } from '../../wire/request-headers.ts';
import { WEBHOOK_HEADERS } from '../../wire/webhook.ts';
import { isSecretName } from './address.ts';

/** Why a call can't set a header; `undefined` when it can. @param name in lower case */
export function ownHeaderFault(name: string, over: 'rest' | 'soap'): string | undefined {
  const rule = headerRule(name);
  const calls = rule === undefined ? 'both' : rule.calls;
  return calls === 'both' || calls === over ? undefined : 'belongs to the protocol and is written by the gateway';
}

/**
 * Whether a header contains credentials.
 * @param name in lower case
 */
export function isCredentialHeader(name: string): boolean {
  return headerRule(name)?.credential === true || isSecretName(name);
}

/** A header that a credential of calls sets. */
export interface CredentialHeader {
  readonly name: string;
  /** Its value as people see it. */
  readonly shown: string;
}

/**
 * The headers that a node's credential sets; none for one inside the message. Whatever needs to know them asks here: an
 * operation's own header in their place, the request that is shown, the mock. The compiler demands a line for each kind.
 */
export function credentialHeaders(credential: NodeCredential): readonly CredentialHeader[] {
  switch (credential.kind) {
    case 'basic':
      return [{ name: AUTHORIZATION, shown: MASKED_BASIC }];
    case 'bearer':
    case 'client-credentials':
      return [{ name: AUTHORIZATION, shown: MASKED_BEARER }];
    case 'api-key':
      return [{ name: credential.header, shown: MASK }];
    case 'webhook':
      return Object.values(WEBHOOK_HEADERS).map((name) => ({ name, shown: MASK }));
    case 'hmac': {
      const { header, timestamp, webhookId } = credential;
      const names = [header, timestamp, webhookId].filter((name) => name !== undefined);
      return names.map((name) => ({ name, shown: MASK }));
    }
    case 'ws-security':
      return [];
  }
}

const AUTHORIZATION = 'Authorization';

/** The names of {@link credentialHeaders}, in lower case. */
export function headersOfCredential(credential: NodeCredential): readonly string[] {
  return credentialHeaders(credential).map(({ name }) => name.toLowerCase());
}
