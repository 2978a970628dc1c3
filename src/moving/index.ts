export { type Moved, moveData, type Plan, planMove, type Step } from './move.ts';
