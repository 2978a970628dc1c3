export type { ReadReply, Segment } from './callable.ts';
export type { MadeCall } from './calls.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export type { Credential } from './credential.ts';
export {
  type Called,
  FlowError,
  type InvokeCode,
  InvokeError,
  type InvokeErrorOptions,
  ReplyFault,
  SoapFault,
  type SoapFaultCode,
  type SoapFaultFacts,
  WebhookGone,
} from './error.ts';
export { asConsumer, faultOfNamed, flowNamed } from './find.ts';
export type { Head, Heads } from './http/headers.ts';
export type { NodeState } from './http/transport.ts';
export type { Timeouts } from './limits.ts';
export { type NodeFacts, nodeFacts } from './node/facts.ts';
export { type ConnectionTest, testConnection } from './node/test-connection.ts';
export type { CallOptions, FlowOptions, IncomingReply } from './options.ts';
export type { PreparedRequest } from './outgoing.ts';
export {
  asRestConsumer,
  compileProvided,
  type ProvidedCall,
  type ProvidedForm,
  type ProvidedRequest,
  type Verdict,
} from './provided.ts';
