import { SCOPES, type Scope } from '../../../../src/identity/scopes.ts';

/** What a report needs. The audit log is chosen deliberately, because it has the addresses of people. */
export const READS: readonly Scope[] = SCOPES.filter(
  (scope) => scope.endsWith(':read') && scope !== 'audit:read',
);
