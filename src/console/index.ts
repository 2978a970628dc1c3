export { AREAS } from './areas.ts';
export { type Console, createConsole } from './console.ts';
export type { ConsoleAction, ConsolePorts, ConsoleRequest, InnerRequest } from './port.ts';
export { createEntrance, type EntrancePorts } from './sign-in.ts';
