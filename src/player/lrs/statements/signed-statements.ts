import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MIB } from '../../../bytes.ts';
import { parseJson } from '../../../http/json-body.ts';
import { isObject } from '../../../is-object.ts';
import { ProblemError } from '../../../problems/problem.ts';
import { attachmentsOf, MAX_MEMBERS } from '../rules/statement-rules.ts';
import type { AttachmentContent, JsonObject, Statement } from '../xapi-types.ts';
import { isEquivalent } from './statement-form.ts';

/** Signatures of statements: JSON Web Signatures sent as attachments (xAPI, section 2.6 of "Data"). */

/** The usage type of an attachment that contains a signature. */
const SIGNATURE_USAGE = 'http://adlnet.gov/expapi/attachments/signature';

/** Maximum size of a signature. The payload of the largest statement takes a third of it. */
const MAX_SIGNATURE_BYTES = MIB;
const CONTENT_TYPE = 'application/octet-stream';
const HASHES: Readonly<Record<string, string>> = { RS256: 'sha256', RS384: 'sha384', RS512: 'sha512' };
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/**
 * Verifies the signatures among the attachments of statements, each in a turn of its own: a request may have a hundred.
 * @param contents by their hash in lower case
 * @throws {ProblemError} `invalid-request`, `content-too-large`
 */
export async function assertSignatures(
  statements: readonly Statement[],
  contents: ReadonlyMap<string, AttachmentContent>,
): Promise<void> {
  const verified = new Set<AttachmentContent>();
  for (const statement of statements) {
    for (const { usageType, sha2, contentType } of attachmentsOf(statement)) {
      const found = usageType === SIGNATURE_USAGE ? contents.get(sha2.toLowerCase()) : undefined;
      if (found === undefined) continue;
      if (verified.has(found)) throw refused('belongs to several attachments');
      verified.add(found);
      assertSignature(statement, contentType, found.content);
      await nextTurn();
    }
  }
}

/**
 * Verifies a statement's signature. The signed payload must be the statement. If the signature includes a certificate,
 * the certificate must verify it. Readers decide whether they trust the certificate.
 * @throws {ProblemError} `invalid-request`, `content-too-large`
 */
function assertSignature(statement: Statement, contentType: string, content: Buffer): void {
  if (contentType.split(';', 1)[0]?.trim().toLowerCase() !== CONTENT_TYPE) {
    throw refused(`must be of type ${CONTENT_TYPE}`);
  }
  if (content.length > MAX_SIGNATURE_BYTES) {
    throw new ProblemError('content-too-large', `A signature is larger than ${MAX_SIGNATURE_BYTES} bytes`);
  }
  const parts = COMPACT.exec(content.toString('latin1').trim());
  if (parts === null) throw refused('must be a compact JSON Web Signature');
  const [, header64 = '', payload64 = '', signature64 = ''] = parts;
  const header = readObject(header64);
  const payload = readObject(payload64);
  if (header === null || payload === null) throw refused('does not contain JSON');
  const hash = typeof header.alg === 'string' ? HASHES[header.alg] : undefined;
  if (hash === undefined) throw refused(`must use one of ${Object.keys(HASHES).join(', ')}`);
  if (!isEquivalent(payload as Statement, statement)) throw refused('signs another statement');
  if (header.x5c === undefined) return;
  const key = readKey(header.x5c);
  const signed = Buffer.from(`${header64}.${payload64}`);
  const isGood = verify(hash, signed, key, Buffer.from(signature64, 'base64url'));
  if (!isGood) throw refused('does not match its certificate');
}

function readObject(base64url: string): JsonObject | null {
  try {
    const value = parseJson(Buffer.from(base64url, 'base64url'), MAX_MEMBERS, MAX_MEMBERS, 'replace');
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The key of a certificate. All algorithms use RSA, so it must be an RSA key: `verify` throws for some others. */
function readKey(chain: unknown): KeyObject {
  const first: unknown = Array.isArray(chain) ? chain[0] : undefined;
  if (typeof first !== 'string') throw refused('has no certificate in x5c');
  let key: KeyObject;
  try {
    key = new X509Certificate(Buffer.from(first, 'base64')).publicKey;
  } catch {
    throw refused('has an unreadable certificate in x5c');
  }
  if (key.asymmetricKeyType !== 'rsa') throw refused('has a certificate in x5c whose key is not an RSA key');
  return key;
}

function refused(reason: string): ProblemError {
  return new ProblemError('invalid-request', `The signature of a statement ${reason}`);
}
