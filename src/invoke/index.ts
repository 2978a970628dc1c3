export {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type FlowOptions,
} from './client.ts';
export type { Credential } from './credential/credential.ts';
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
} from './error.ts';
export { faultOf } from './fault-of.ts';
export { flowNamed } from './find.ts';
export type { Head, Heads } from './http/trace.ts';
export type { PreparedRequest } from './http/transport.ts';
export type { Timeouts } from './limits.ts';
export { asConsumer } from './soap/call.ts';
export type { Segment } from './soap/request.ts';
