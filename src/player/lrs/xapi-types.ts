/** Objects of the Experience API as this store keeps them: JSON that has passed validation. */

/** A JSON object with any members. */
export type JsonObject = Record<string, unknown>;

/** A statement that has passed validation. Its members are those of xAPI 1.0.3, section 2.4 of "Data". */
export interface Statement extends JsonObject {
  id?: string;
  actor: JsonObject;
  verb: JsonObject & { id: string };
  object: JsonObject;
  result?: JsonObject;
  context?: JsonObject;
  timestamp?: string;
  stored?: string;
  authority?: JsonObject;
  version?: string;
  attachments?: Attachment[];
}

/** The metadata of an attachment in a statement. */
export interface Attachment extends JsonObject {
  usageType: string;
  contentType: string;
  length: number;
  sha2: string;
  fileUrl?: string;
}

/** A statement as stored: with its id, time, authority and version. */
export interface StoredStatement extends Statement {
  id: string;
  timestamp: string;
  stored: string;
  authority: JsonObject;
  version: string;
}

/** The versions of the Experience API that a request may specify. */
export type XapiVersion = '1.0.3' | '2.0.0';

/** How requests and statements name these versions. */
export const VERSION_OF_1 = /^1\.0(?:\.\d+)?$/;
export const VERSION_OF_2 = /^2\.0(?:\.\d+)?$/;

/** The verb of statements that void another statement. */
export const VOIDED = 'http://adlnet.gov/expapi/verbs/voided';

/** The content of an attachment, as sent. */
export interface AttachmentContent {
  /** SHA-2 of the content, of any length, in lower-case hexadecimal. */
  sha2: string;
  contentType: string;
  content: Buffer;
}
