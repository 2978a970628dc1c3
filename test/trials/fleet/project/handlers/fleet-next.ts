export { default } from './fleet-work.ts';
