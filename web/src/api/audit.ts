import type { AuditAction, AuditObjectType } from '../../../src/audit/actions.ts';
import type { ActorType } from '../../../src/audit/actor.ts';
import type { AuditEntryRecord as AuditEntry } from '../../../src/audit/audit-schemas.ts';
import { withQuery } from './addresses.ts';
import { pageQuery } from './queries.ts';

export type { ActorType, AuditAction, AuditEntry, AuditObjectType };

/** A page of the audit log. There are links to the next page only. */
export interface AuditPage {
  data: AuditEntry[];
  next_cursor: string | null;
}

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
  pageQuery<AuditPage>(['audit-log', search, limit], withQuery('/audit-log', { ...search, limit }));
