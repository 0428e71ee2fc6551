import type { AuditAction, AuditObjectType } from '../../../src/audit/actions.ts';
import type { ActorType } from '../../../src/audit/actor.ts';
import type { AuditEntryRecord as AuditEntry } from '../../../src/audit/audit-schemas.ts';
import { withQuery } from './addresses.ts';
import { type CursorPage, pageQuery } from './queries.ts';

export type { ActorType, AuditAction, AuditEntry, AuditObjectType };

/** The filters of a search, as the API names them. */
export interface AuditSearch {
  user?: string | undefined;
  actor_type?: ActorType | undefined;
  action?: AuditAction | undefined;
  object_type?: AuditObjectType | undefined;
  object_id?: string | undefined;
  from_dt?: string | undefined;
  to_dt?: string | undefined;
  cursor?: string | undefined;
}

/** A page of the audit log, newest first. */
export const auditQuery = (search: AuditSearch, limit: number) =>
  pageQuery<CursorPage<AuditEntry>>(
    ['audit-log', search, limit],
    withQuery('/audit-log', { ...search, limit }),
  );
