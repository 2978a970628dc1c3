export { asConsumer } from './callable.ts';
export { type CallOptions, type Client, type ClientOptions, createClient, type InvokeReply } from './client.ts';
export {
  type Called,
  type InvokeCode,
  InvokeError,
  type InvokeErrorOptions,
  SoapFault,
  type SoapFaultCode,
  type SoapFaultFacts,
} from './error.ts';
export type { Timeouts } from './limits.ts';
export type { Segment } from './request.ts';
export type { Credential } from './target.ts';
export type { Head, Heads } from './trace.ts';
