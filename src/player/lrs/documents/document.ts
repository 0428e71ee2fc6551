import type { JsonObject } from '../xapi-types.ts';

/** Documents about activities and agents. */

/** The three kinds of documents. */
export type DocumentKind = 'state' | 'activity-profile' | 'agent-profile';

/** The collection to which a document belongs. Members that the kind does not use are null. */
export interface DocumentCollection {
  kind: DocumentKind;
  activityId: string | null;
  /** A valid agent. */
  agent: JsonObject | null;
  /** A UUID. */
  registration: string | null;
}

/** A document as stored. */
export interface LrsDocument {
  contentType: string;
  content: Buffer;
  /** Includes the quotation marks. */
  etag: string;
  /** Null for documents that the launch provides. */
  updatedAt: number | null;
}
