import type { NodeCredential } from '../../model/node.ts';
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

/** The headers that a node's credential sets, in lower case. */
export function headersOfCredential(credential: NodeCredential): readonly string[] {
  if (credential.kind === 'ws-security') return [];
  if (credential.kind === 'webhook') return Object.values(WEBHOOK_HEADERS);
  if (credential.kind === 'hmac') {
    const { header, timestamp, webhookId } = credential;
    return [header, timestamp, webhookId].flatMap((name) => name?.toLowerCase() ?? []);
  }
  return [credential.kind === 'api-key' ? credential.header.toLowerCase() : 'authorization'];
}
