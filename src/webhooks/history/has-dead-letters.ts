import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../../database/database.ts';
import { type IndexBound, type IndexPart, indexPartOrder, inIndexPart } from '../../database/index-part.ts';

/**
 * SQL: the row of `webhooks` has dead letters, within limits of the time and the id of these. With `exists`, PostgreSQL
 * could make a join of it and read the dead letters of all webhooks.
 */
export function hasDeadLetters(dialect: Dialect, bounds: readonly IndexBound[] = []): RawBuilder<SqlBool> {
  const part: IndexPart = {
    equal: { 'dead.webhook_id': sql.ref('webhooks.id') },
    by: ['dead.updated_at', 'dead.id'],
    bounds,
  };
  return sql`(select dead.id from deliveries as dead
    where ${inIndexPart(dialect, part)} and dead.status = 'DEAD_LETTERED'
    order by ${indexPartOrder(dialect, part)} limit 1) is not null`;
}
