export { type Acted, type DeliveryAction, type MessageControl, openMessageControl } from './act.ts';
export type { MessageFilter } from './condition.ts';
export type { HeldWhole } from './hold.ts';
export type { KeptMessage } from './kept.ts';
export { deliveryJobs, openMessages, removedJobs } from './open.ts';
export type { PartitionGiven } from './partition.ts';
export { BLOBS, type Messages, type PublishFacts } from './port.ts';
export { CallRecords, callRecorder, type EndedCall, preciseNow, type RecordCall } from './record.ts';
export { compileRecorded, requestFields } from './recorded.ts';
export {
  type KeptDelivery,
  type MessageDetails,
  type MessagePayload,
  type MessageReader,
  readMessages,
} from './show.ts';
