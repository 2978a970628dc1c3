// The public names of the package, one by one: what a project's handlers and tests may import, and what embeds a gateway.

export { JsonBuilder, type JsonScalarValue } from './codec/json-builder.ts';
export type { JsonArray, JsonNode, JsonObject, JsonScalar } from './codec/json-node.ts';
export { JsonParser } from './codec/json-parser.ts';
export {
  type FailureResponse,
  type ImportResponse,
  readFailureResponse,
  readImportResponse,
} from './codec/json-shapes.ts';
export { type KeyValueNames, valueByKey } from './codec/key-value.ts';
export type { Complaint, TypedContext } from './generate/handler-types.ts';
export type {
  Called,
  CallOptions,
  Client,
  ClientOptions,
  Credential,
  Head,
  Heads,
  InvokeCode,
  InvokeErrorOptions,
  InvokeReply,
  Segment,
  SoapFaultCode,
  SoapFaultFacts,
  Timeouts,
} from './invoke/index.ts';
export { createClient, InvokeError, SoapFault } from './invoke/index.ts';
export type { Diagnostic, LoadedProject, LoadOptions } from './load/index.ts';
export { loadProject, renderDiagnostics } from './load/index.ts';
export type { BlobStore, Blobs, StoredBlob } from './model/blob.ts';
export type { ConfigPart, ConfigText } from './model/config.ts';
export type { ConsumerOperation } from './model/consumer.ts';
export type { Document } from './model/document.ts';
export type { FaultCode, FaultOptions, FaultParameters } from './model/fault.ts';
export { Fault } from './model/fault.ts';
export type { Field, FieldType, ScalarKind, ScalarType } from './model/field.ts';
export type { Gateway, Limits } from './model/gateway.ts';
export type {
  Answered,
  Bytes,
  Caller,
  Handler,
  HandlerContext,
  Outcome,
  Reply,
  ReplyOptions,
} from './model/handler.ts';
export type { Node } from './model/node.ts';
export type { Position } from './model/position.ts';
export type { Query } from './model/query.ts';
export type { Registry } from './model/registry.ts';
export type { Routing } from './model/routing.ts';
export type { PermissionList, Role, User } from './model/security.ts';
export type { Answer, Message, Method, Operation, OperationUri, Service, SoapForm } from './model/service.ts';
export type { SoapProperties } from './model/soap-properties.ts';
export type { Kept, Spool } from './model/spool.ts';
export type { Attachment, DocumentValue, JsonValue, Row, Value } from './model/value.ts';
export type { Address } from './serve/address.ts';
export type { Handlers } from './serve/answer.ts';
export { createApp, type GatewayPorts } from './serve/app.ts';
export { GatewayError } from './serve/gateway-error.ts';
export { DefinitionsError, type GatewayOptions, type RunningGateway, startGateway } from './serve/start.ts';
export { createSpool, type SpoolOptions } from './store/spool.ts';
export { readXml, XmlError, type XmlLimits } from './wire/xml-read.ts';
export type { XmlAttribute, XmlElement } from './wire/xml-tree.ts';
