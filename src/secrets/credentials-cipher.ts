import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D section 8.2: 96 random bits, for far fewer than 2^32 values per key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';
const KEY_PURPOSE = 'coursewire webhook credentials';
const KEY_ID_CHARACTERS = 8;

/**
 * Length of the label with which a stored value starts: version and key id. It says which secret encrypted the value.
 */
export const LABEL_CHARACTERS = VERSION.length + 1 + KEY_ID_CHARACTERS;

/** The key and secret of HTTP Basic authentication (RFC 7617) in plain text: only kept in memory. */
export interface BasicCredentials {
  readonly key: string;
  readonly secret: string;
}

/** Which of the configured secrets a value was encrypted with; null for none of them. */
export type SecretInUse = 'current' | 'former' | null;

/** A stored value cannot be decrypted: it belongs to another secret or another context, or it is damaged. */
export class UndecryptableError extends Error {
  override name = 'UndecryptableError';
}

/**
 * Encrypts secrets with a key derived from `webhooks_auth_secret`: credentials and signing secrets of webhooks, URLs of
 * alert rules, and stored responses. Each value is bound to a context and cannot be decrypted in another.
 */
export class CredentialsCipher {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #currentKeyId: string;

  /** @param secrets the current secret first; older ones still decrypt */
  constructor(secrets: readonly [string, ...string[]]) {
    const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', KEY_PURPOSE, KEY_BYTES)));
    this.#keys = new Map(keys.map((key) => [keyIdOf(key), key]));
    this.#currentKeyId = keyIdOf(keys[0]!);
  }

  /** The label of every value that is encrypted from now on; {@link LABEL_CHARACTERS} long. */
  get label(): string {
    return `${VERSION}.${this.#currentKeyId}`;
  }

  /** Whether there is a former secret in addition to the current one. */
  get hasFormer(): boolean {
    return this.#keys.size > 1;
  }

  /** The secret that a value or a label names. Does not check whether the value is intact. */
  secretOf(stored: string): SecretInUse {
    const [version, keyId = ''] = stored.split('.', 2);
    if (version !== VERSION || !this.#keys.has(keyId)) return null;
    return keyId === this.#currentKeyId ? 'current' : 'former';
  }

  encryptCredentials(webhookId: number, credentials: BasicCredentials): string {
    return this.encrypt(
      webhookContext(webhookId),
      JSON.stringify({ key: credentials.key, secret: credentials.secret }),
    );
  }

  /** @throws {UndecryptableError} */
  decryptCredentials(webhookId: number, stored: string): BasicCredentials {
    return JSON.parse(this.decrypt(webhookContext(webhookId), stored)) as BasicCredentials;
  }

  /** The value is bound to `context`. */
  encrypt(context: string, plaintext: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#keys.get(this.#currentKeyId)!, nonce);
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return [VERSION, this.#currentKeyId, nonce.toString('base64url'), sealed.toString('base64url')].join('.');
  }

  /** @throws {UndecryptableError} */
  decrypt(context: string, stored: string): string {
    const [version, keyId = '', nonce = '', sealedText = '', ...rest] = stored.split('.');
    if (version !== VERSION || rest.length > 0) {
      throw new UndecryptableError('the value is damaged or from a later release');
    }
    const key = this.#keys.get(keyId);
    if (key === undefined)
      throw new UndecryptableError('the value was encrypted with another webhooks_auth_secret');
    const sealed = Buffer.from(sealedText, 'base64url');
    try {
      const decipher = createDecipheriv(ALGORITHM, key, Buffer.from(nonce, 'base64url'), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      return decipher.update(sealed.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      throw new UndecryptableError('the value is damaged or belongs to something else', { cause: error });
    }
  }
}

/** The context of the signing secrets of a webhook. */
export function signingContext(webhookId: number): string {
  return `webhook signing:${webhookId}`;
}

/** The context of the URL to which an alert rule posts. */
export function alertUrlContext(ruleId: number): string {
  return `alert url:${ruleId}`;
}

/** The context of the credentials of a webhook. */
export function webhookContext(webhookId: number): string {
  return `webhook:${webhookId}`;
}

/** Distinguishes keys without revealing anything about them. */
function keyIdOf(key: Buffer): string {
  return createHash('sha256').update('key id').update(key).digest('hex').slice(0, KEY_ID_CHARACTERS);
}
