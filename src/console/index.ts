export { AREAS } from './areas.ts';
export { type Console, createConsole } from './console.ts';
export type {
  ConsoleAction,
  ConsolePorts,
  ConsoleReply,
  ConsoleRequest,
  Session,
  SessionFacts,
  Sessions,
} from './port.ts';
export { createEntrance, type EntrancePorts, type Provider } from './sign-in.ts';
