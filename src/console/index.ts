export { AREAS } from './areas.ts';
export { type Console, createConsole } from './console.ts';
export type { ConsolePorts, NodePort } from './console-port.ts';
export type { ConsoleAction, ConsoleRequest, InnerRequest } from './console-request.ts';
export { createEntrance } from './sign-in.ts';
