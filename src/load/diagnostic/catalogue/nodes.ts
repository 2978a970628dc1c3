import { error } from './entry.ts';

const node = (rest: string): string => `node: PARTNER\nbase: https://example.org\n${rest}`;

/** Mistakes in nodes: where calls go, and what they show there. */
export const nodeEntries = {
  'two-credentials': error<{ node: string; first: string; second: string }>({
    message: ({ node, first, second }) => `Calls to ${node} would show two credentials: ${first} and ${second}.`,
    hint: () => 'Leave one of them.',
    explanation:
      'What calls to a node show is one credential: a user with a password, a bearer token, an API key, or a token by the client-credentials grant. A partner that wants a key beside it can take that as a header of its operations.',
    wrong: node('credential: { basic: { user: a, password: "${secret:B}" }, bearer: "${secret:C}" }'),
    right: node('credential: { bearer: "${secret:C}" }'),
  }),
  'credential-header': error<{ header: string }>({
    message: ({ header }) => `The header ${header} belongs to the protocol and can't carry a key.`,
    hint: () => 'Ask the partner which header carries it, for example X-Api-Key.',
    explanation:
      "An API key travels in a header of the partner's choice. Those that the protocol needs, such as Host, Content-Length or Cookie, are written by the gateway. In Authorization a key may stand, behind a scheme.",
    wrong: node('credential: { api-key: { header: Host, value: "${secret:PARTNER_KEY}" } }'),
    right: node('credential: { api-key: { header: Authorization, value: "ApiKey ${secret:PARTNER_KEY}" } }'),
  }),
  'bad-resolve': error<{ host: string; reason: string }>({
    message: ({ host, reason }) => `Connections to ${host} ${reason}.`,
    hint: () => 'Write an address as in 192.0.2.1, 192.0.2.1:8443 or "[2001:db8::1]:8443".',
    explanation:
      'Under `resolve` a node says where connections to a host go, in place of what DNS says: to an IPv4 address, or to an IPv6 address in brackets, each with a port or without. The request and TLS keep the name.',
    wrong: node('resolve: { example.org: localhost }'),
    right: node('resolve: { example.org: "127.0.0.1:8443" }'),
  }),
  'host-twice': error<{ host: string; other: string }>({
    message: ({ host, other }) => `resolve names ${host} already, as ${other}.`,
    hint: () => 'Leave one of them: letter case makes no difference in host names.',
    explanation: 'Under `resolve` each host stands once. Host names that differ by letter case are the same name.',
    wrong: node('resolve: { example.org: "127.0.0.1", Example.org: "127.0.0.2" }'),
    right: node('resolve: { example.org: "127.0.0.1" }'),
  }),
};
