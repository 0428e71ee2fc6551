import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../../database/database.ts';
import type { Tables } from '../../database/schema.ts';
import { type DeliveryStatus, MANUAL_DISCARDS } from './delivery-status.ts';

/**
 * How many deliveries of a webhook one request examines, so that its cost is bounded however long the history is. If it
 * searches their messages, and they are large, it examines fewer.
 */
export const MAX_EXAMINED = 2_000;

/** Filters of deliveries, all of which must match. Omitted members are ignored. Times are in epoch milliseconds. */
export interface DeliveryFilter {
  statuses?: readonly DeliveryStatus[];
  subtopics?: readonly string[];
  messageId?: string;
  responseStatuses?: readonly number[];
  accountId?: number;
  courseId?: number;
  learnerId?: string;
  /** The event occurred then or later. */
  from?: number;
  /** The event occurred before. */
  until?: number;
  /** The delivery was last changed then or earlier: for a dead letter, when it was dead-lettered. */
  updatedUntil?: number;
  /** Omits messages that someone discarded. */
  withoutManualDiscards?: boolean;
}

/** Whether a filter examines more of each row than its status. */
export function examinesRows({ statuses: _, messageId, ...others }: DeliveryFilter): boolean {
  return messageId === undefined && Object.keys(others).length > 0;
}

/** Whether a filter searches the messages themselves. */
export function searchesBodies(filter: DeliveryFilter): boolean {
  return textsOf(filter).length > 0;
}

/** The conditions of a filter, without the one on the status. */
export function matches(
  eb: ExpressionBuilder<Tables, 'deliveries'>,
  filter: DeliveryFilter,
  dialect: Dialect,
): ExpressionWrapper<Tables, 'deliveries', SqlBool> {
  const { subtopics, messageId, responseStatuses, from, until, updatedUntil } = filter;
  const conditions = [];
  if (subtopics !== undefined) conditions.push(eb('deliveries.subtopic', 'in', [...subtopics]));
  if (messageId !== undefined) conditions.push(eb('deliveries.message_id', '=', messageId));
  if (responseStatuses !== undefined)
    conditions.push(eb('deliveries.response_status', 'in', [...responseStatuses]));
  if (from !== undefined) conditions.push(eb('deliveries.enqueued_at', '>=', from));
  if (until !== undefined) conditions.push(eb('deliveries.enqueued_at', '<', until));
  // The sign keeps the engines from using the index by age, with which they would sort all messages of the webhook to
  // return a few.
  if (updatedUntil !== undefined) conditions.push(sql<SqlBool>`+deliveries.updated_at <= ${updatedUntil}`);
  if (filter.withoutManualDiscards === true)
    conditions.push(
      eb.or([
        eb('deliveries.status_reason', 'is', null),
        eb('deliveries.status_reason', 'not in', [...MANUAL_DISCARDS]),
      ]),
    );
  // The body is read last: it is by far the longest.
  for (const texts of textsOf(filter)) conditions.push(eb.or(texts.map((text) => bodyHolds(text, dialect))));
  return eb.and(conditions);
}

/**
 * Texts that a message contains, at least one of each group. Messages are JSON without white space, and a quotation
 * mark within a string is escaped, so none of these can be part of a name.
 */
function textsOf({ accountId, courseId, learnerId }: DeliveryFilter): string[][] {
  const groups: string[][] = [];
  if (accountId !== undefined) groups.push([`"account":{"id":${accountId},`]);
  if (courseId !== undefined)
    groups.push([`"course":{"id":${courseId},`, `{"type":"COURSE","id":${courseId},`]);
  if (learnerId !== undefined) groups.push([`"learner_id":${JSON.stringify(learnerId)}`]);
  return groups;
}

function bodyHolds(text: string, dialect: Dialect) {
  const find = sql.raw(dialect === 'sqlite' ? 'instr' : 'strpos');
  // The account and the content are in the shared part, if there is one.
  return sql<SqlBool>`${find}(coalesce((select shared.text from shared_bodies as shared
    where shared.id = deliveries.shared_body_id), deliveries.body), ${text}) > 0`;
}
