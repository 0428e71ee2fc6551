import { SCOPES, type Scope } from '../../../../src/identity/scopes.ts';

/**
 * The scopes that a report needs. The audit log must be selected explicitly, because it contains personal addresses.
 */
export const READS: readonly Scope[] = SCOPES.filter(
  (scope) => scope.endsWith(':read') && scope !== 'audit:read',
);
