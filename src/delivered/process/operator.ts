import { Fault } from '../../model/fault.ts';
import type { User } from '../../model/security.ts';
import type { DeliveredCall } from '../port.ts';

/** Requests belong to users: nobody can't have one. @throws Fault UNAUTHENTICATED */
export function operatorOf({ user }: Pick<DeliveredCall, 'user'>): User {
  if (user === undefined) throw Fault.of('UNAUTHENTICATED', { scheme: 'basic' });
  return user;
}
