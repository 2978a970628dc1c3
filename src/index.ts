// The public names of the package, one by one: what a project's handlers and tests may import, and what embeds a gateway.

export type { TypedClient } from './client/client.ts';
export { type OpenOptions, openClient } from './client/client.ts';
export { Attachment, type AttachmentContent, type AttachmentOptions } from './codec/attachment.ts';
export { JsonBuilder, type JsonScalarValue } from './codec/json/builder.ts';
export type { JsonArray, JsonNode, JsonObject, JsonScalar } from './codec/json/node.ts';
export {
  type FailureResponse,
  type ImportResponse,
  readFailureResponse,
  readImportResponse,
} from './codec/json/node.ts';
export { JsonParser } from './codec/json/parser.ts';
export { type KeyValueNames, valueByKey } from './codec/xml/key-value.ts';
export type {
  Called,
  CallOptions,
  Client,
  ClientOptions,
  Credential,
  FlowOptions,
  Head,
  Heads,
  InvokeCode,
  InvokeErrorOptions,
  PreparedRequest,
  Segment,
  SoapFaultCode,
  SoapFaultFacts,
  Timeouts,
} from './invoke/index.ts';
export { createClient, FlowError, InvokeError, ReplyFault, SoapFault, WebhookGone } from './invoke/index.ts';
export type { Diagnostic, LoadedProject, LoadOptions } from './load/index.ts';
export { DefinitionsError, loadProject, renderDiagnostics } from './load/index.ts';
export type { BlobStore, Blobs, Spool, SpooledContent, StoredBlob } from './model/blob.ts';
export type {
  Component,
  ComponentEventRegistration,
  RelatedContent,
  SavedRecord,
  SaveOptions,
  StoredRecord,
} from './model/component.ts';
export type {
  CallBody,
  CallHeader,
  CallPart,
  CallText,
  CallValue,
  ConsumerOperation,
  FixedHeader,
  RestConsumer,
  RestProperties,
  SoapConsumer,
  SoapProperties,
} from './model/consumer.ts';
export { define } from './model/defined.ts';
export type { ConfigPart, ConfigText, Position } from './model/definition.ts';
export type { Document } from './model/document.ts';
export type {
  DeclaredFault,
  ErrorPlace,
  FaultCode,
  FaultOptions,
  FaultParameters,
  RequestError,
} from './model/fault.ts';
export { Fault } from './model/fault.ts';
export type { CompoundType, Field, FieldType, ListType, ScalarType, UrlStyle } from './model/field.ts';
export type { Flow, FlowStep, KeptValue, ReplyPath } from './model/flow.ts';
export type { Database, DatabaseEngine, Gateway, Limits } from './model/gateway.ts';
export type {
  Answered,
  Bytes,
  Caller,
  Handler,
  HandlerContext,
  LaterFault,
  MessageContext,
  MessageHandler,
  OutboundCallOptions,
  OutboundOptions,
  Outcome,
  PassedBytes,
  ProcessContext,
  ProcessHandler,
  ProcessOutcome,
  RecordSave,
  RenderOptions,
  Reply,
  ReplyContext,
  ReplyHandler,
  ReplyOptions,
  ReplyValue,
  SaveContext,
  SaveHandler,
  ScheduleOptions,
  Settings,
  SettingValue,
  SqlRow,
  SqlTransaction,
  Transaction,
  WorkContext,
} from './model/handler.ts';
export type { FlowReply, InvokeReply, ReplyTimings, StepTrace, Timings } from './model/invoke-reply.ts';
export type { InputMap, InputSource, MessageQueue, Subscription } from './model/message.ts';
export type { ClientCertificate, Node, NodeCredential, NodeTimeouts } from './model/node.ts';
export type { Process, Recurrence } from './model/process.ts';
export type { Datasource, Query, QueryLink } from './model/query.ts';
export type { LogLevel, Registry, Routing } from './model/registry.ts';
export type { Retry } from './model/retry.ts';
export type { ScalarKind } from './model/scalar.ts';
export type { PermissionList, Role, SecurityScheme, User } from './model/security.ts';
export type {
  Answer,
  HeaderBinding,
  MediaMessage,
  Message,
  Method,
  Operation,
  OperationUri,
  RawKind,
  Service,
  SoapForm,
  UriVariable,
} from './model/service.ts';
export { type ComponentEvent, ServiceInterface } from './model/service-interface.ts';
export type {
  AnyCalls,
  AnyComponents,
  AnyFlows,
  AnyProcesses,
  CallTypes,
  Complaint,
  ComponentTypes,
  Fitting,
  FlowTypes,
  HandlerOf,
  MessageTypes,
  NoMessages,
  NoSettings,
  ProcessTypes,
  QueryTypes,
  TypedContext,
  TypedEvent,
  TypedFlowReply,
  TypedMessage,
  TypedProcess,
  TypedPublish,
  TypedReply,
  TypedSaveContext,
  TypedSaved,
  TypedSaves,
  TypedStored,
  TypedTransaction,
} from './model/typed.ts';
export type { DocumentValue, JsonValue, Row, Value } from './model/value.ts';
export { GatewayError } from './serve/gateway-error.ts';
export { defineApp, type OwnApp } from './serve/own-app.ts';
export type { Address } from './serve/start/address.ts';
export {
  type GatewayOptions,
  type OpenGateway,
  openGateway,
  type RunningGateway,
  startGateway,
} from './serve/start.ts';
export { fileAttachment } from './store/file/attachment.ts';
export { createSpool, type SpoolOptions } from './store/file/spool.ts';
export { readXml, XmlError, type XmlLimits } from './wire/xml/read-xml.ts';
export type { XmlAttribute, XmlElement } from './wire/xml/tree.ts';
