import { keepNewest } from '../../keep-newest.ts';
import { SignedTokens, signingKeys } from '../../secrets/signed-token.ts';
import { readUuid, UUID_BYTES, writeUuid } from '../../uuid.ts';

const KEY_PURPOSE = 'coursewire content origin';
/** Identifies the format. A later format gets another number. */
const FORMAT = 'cwp1_';
/** The fields of the claim, by offset in bytes. */
const EXPIRES_AT = 0;
const EXPIRES_AT_BYTES = 6;
const LAUNCH_ID = 6;
const CLAIM_BYTES = LAUNCH_ID + UUID_BYTES;
const REMEMBERED_TOKENS = 10_000;

/** The content of a token. */
export interface ContentClaim {
  /** A UUID in lower case. */
  launchId: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** The tokens with which every URL of the content origin starts. Each opens one launch until it expires. */
export class ContentTokens {
  readonly #tokens: SignedTokens;
  /** Recently read tokens. The URL of every file of a course and of every save starts with one. */
  readonly #read = new Map<string, ContentClaim>();

  constructor(authSecrets: readonly [string, ...string[]]) {
    this.#tokens = new SignedTokens({ keys: signingKeys(authSecrets, KEY_PURPOSE), format: FORMAT });
  }

  issue({ launchId, expiresAt }: ContentClaim): string {
    const claim = Buffer.alloc(CLAIM_BYTES);
    claim.writeUIntBE(Math.floor(expiresAt), EXPIRES_AT, EXPIRES_AT_BYTES);
    writeUuid(claim, launchId, LAUNCH_ID);
    return this.#tokens.sign(claim);
  }

  /** The claim of a token, even if it has expired; null if the token is not valid. */
  read(token: string): ContentClaim | null {
    const known = this.#read.get(token);
    if (known !== undefined) return known;
    const found = this.#verify(token);
    if (found !== null) this.#read.set(token, found);
    keepNewest(this.#read, REMEMBERED_TOKENS);
    return found;
  }

  #verify(token: string): ContentClaim | null {
    const claim = this.#tokens.read(token);
    if (claim?.length !== CLAIM_BYTES) return null;
    return {
      launchId: readUuid(claim, LAUNCH_ID),
      expiresAt: claim.readUIntBE(EXPIRES_AT, EXPIRES_AT_BYTES),
    };
  }
}
