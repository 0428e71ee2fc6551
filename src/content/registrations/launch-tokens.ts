import { SignedTokens } from '../../secrets/signed-token.ts';

/** How long a launch URL can be opened. */
export const LAUNCH_LIFETIME_MS = 8 * 60 * 60 * 1_000;

const KEY_PURPOSE = 'coursewire launch url';
/** Names the format; a later format gets another number, so that both can be told apart. */
const FORMAT = 'cwl1_';
/** The same claim, followed by the address that the learner returns to. */
const FORMAT_WITH_RETURN = 'cwl2_';

/** The claim, by offset in bytes. */
const EXPIRES_AT = 0;
const EXPIRES_AT_BYTES = 6;
const VERSION_ID = 6;
const REGISTRATION_ID = 10;
const CLAIM_BYTES = 26;

/** What a launch URL opens. */
export interface LaunchClaim {
  /** A UUID in lower case. */
  registrationId: string;
  versionId: number;
  /** Where the learner returns to; null for nowhere. */
  returnUrl: string | null;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/**
 * Tokens of launch URLs. A token lets its bearer open one version of one registration until it expires. Nothing is stored
 * for it (see {@link SignedTokens}).
 */
export class LaunchTokens {
  readonly #tokens: SignedTokens;
  readonly #tokensWithReturn: SignedTokens;
  readonly #now: () => number;

  /** @param authSecrets the first one signs; tokens signed with any of them are taken */
  constructor({ authSecrets, now }: { authSecrets: readonly [string, ...string[]]; now: () => number }) {
    this.#tokens = new SignedTokens({ authSecrets, purpose: KEY_PURPOSE, format: FORMAT });
    this.#tokensWithReturn = new SignedTokens({
      authSecrets,
      purpose: KEY_PURPOSE,
      format: FORMAT_WITH_RETURN,
    });
    this.#now = now;
  }

  /** Makes a token that expires {@link LAUNCH_LIFETIME_MS} from now. */
  issue({ returnUrl, ...of }: Pick<LaunchClaim, 'registrationId' | 'versionId' | 'returnUrl'>): {
    token: string;
    expiresAt: number;
  } {
    const expiresAt = Math.floor(this.#now()) + LAUNCH_LIFETIME_MS;
    const claim = encodeClaim({ ...of, expiresAt });
    const token =
      returnUrl === null
        ? this.#tokens.sign(claim)
        : this.#tokensWithReturn.sign(Buffer.concat([claim, Buffer.from(returnUrl)]));
    return { token, expiresAt };
  }

  /** What a token says, also when it has expired; null when it is none of ours. */
  read(token: string): LaunchClaim | null {
    const claim = this.#tokens.read(token);
    if (claim?.length === CLAIM_BYTES) return { ...decodeClaim(claim), returnUrl: null };
    const withReturn = this.#tokensWithReturn.read(token);
    if (withReturn === null || withReturn.length <= CLAIM_BYTES) return null;
    const returnUrl = withReturn.toString('utf8', CLAIM_BYTES);
    return { ...decodeClaim(withReturn.subarray(0, CLAIM_BYTES)), returnUrl };
  }
}

function encodeClaim({ registrationId, versionId, expiresAt }: Omit<LaunchClaim, 'returnUrl'>): Buffer {
  const claim = Buffer.alloc(CLAIM_BYTES);
  claim.writeUIntBE(expiresAt, EXPIRES_AT, EXPIRES_AT_BYTES);
  claim.writeUInt32BE(versionId, VERSION_ID);
  claim.write(registrationId.replaceAll('-', ''), REGISTRATION_ID, 'hex');
  return claim;
}

function decodeClaim(claim: Buffer): Omit<LaunchClaim, 'returnUrl'> {
  const hex = claim.toString('hex', REGISTRATION_ID);
  return {
    registrationId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    versionId: claim.readUInt32BE(VERSION_ID),
    expiresAt: claim.readUIntBE(EXPIRES_AT, EXPIRES_AT_BYTES),
  };
}
