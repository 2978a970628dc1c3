export { AREAS } from './areas.ts';
export { type Console, createConsole } from './console.ts';
export type { ConsoleAction, ConsolePorts, ConsoleRequest, InnerRequest, NodePort } from './console-port.ts';
export { createEntrance } from './sign-in.ts';
