export { type Moved, moveData, type Step } from './move.ts';
