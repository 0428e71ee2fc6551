import { hash } from 'node:crypto';
import { MIB } from '../../../bytes.ts';
import type { Transaction } from '../../../database/database.ts';
import { invalidInput, ProblemError } from '../../../problems/problem.ts';
import { attachmentsOf } from '../rules/statement-rules.ts';
import type { AttachmentContent, Statement, StoredStatement } from '../xapi-types.ts';
import { insertAttachments } from './statement-store.ts';

/** The contents of attachments that are sent with statements. A `Map` of them has the SHA-2 hash in lower case as key. */

/**
 * Maximum size of the attachments of a request. Each statement stores its own copy, so those that hundreds of statements
 * share would take gigabytes.
 */
const MAX_ATTACHED_BYTES = 64 * MIB;

/** The SHA-2 hash of a content, of the same length as the attachment's hash. */
export function hashLike(sha2: string, content: Buffer): string {
  const bits = sha2.length * 4;
  return hash(`sha${bits}`, content, 'hex');
}

/**
 * Requires that each content belongs to an attachment, and that each attachment without a `fileUrl` has a content.
 * @throws {ProblemError} `invalid-request`, `content-too-large`
 */
export function assertContents(
  statements: readonly Statement[],
  contents: ReadonlyMap<string, AttachmentContent>,
): void {
  const errors: { pointer: string; detail: string }[] = [];
  const named = new Set<string>();
  let bytes = 0;
  for (const statement of statements) {
    const own = new Set<string>();
    for (const attachment of attachmentsOf(statement)) {
      const sha2 = attachment.sha2.toLowerCase();
      if (!own.has(sha2)) bytes += contents.get(sha2)?.content.length ?? 0;
      own.add(sha2);
      named.add(sha2);
      if (!contents.has(sha2) && attachment.fileUrl === undefined) {
        errors.push({ pointer: '/attachments', detail: `has no content with the hash ${attachment.sha2}` });
      }
    }
  }
  for (const sha2 of contents.keys()) {
    if (!named.has(sha2))
      errors.push({ pointer: '/attachments', detail: `have no content with the hash ${sha2}` });
  }
  if (errors.length > 0) throw invalidInput(errors);
  if (bytes > MAX_ATTACHED_BYTES) {
    throw new ProblemError(
      'content-too-large',
      `The attachments of the statements have more than ${MAX_ATTACHED_BYTES} bytes together, with those that several statements share`,
    );
  }
}

/** Stores the contents of a statement's attachments, and returns their size in bytes. */
export async function storeAttachments(
  tx: Transaction,
  id: number,
  statement: StoredStatement,
  contents: ReadonlyMap<string, AttachmentContent>,
): Promise<number> {
  const own = new Set(attachmentsOf(statement).map(({ sha2 }) => sha2.toLowerCase()));
  const attachments = [...own].flatMap((sha2) => contents.get(sha2) ?? []);
  await insertAttachments(
    tx,
    attachments.map((each) => ({
      statement: id,
      sha2: each.sha2,
      content_type: each.contentType,
      byte_count: each.content.length,
      content: each.content.toString('base64'),
    })),
  );
  return attachments.reduce((sum, { content }) => sum + content.length, 0);
}
