import { SignedTokens, signingKeys } from '../../secrets/signed-token.ts';
import { HOUR_MS } from '../../time/units.ts';
import { readUuid, UUID_BYTES, writeUuid } from '../../uuid.ts';
import { REGISTRATION_LAUNCH_MODES, type RegistrationLaunchMode } from './registration.ts';

/** How long a launch URL can be opened. */
export const LAUNCH_LIFETIME_MS = 8 * HOUR_MS;

const KEY_PURPOSE = 'coursewire launch url';
/** Names the format. A later format gets another number. */
const FORMAT = 'cwl1_';
/** The claim of {@link FORMAT}, followed by the address that the learner returns to. */
const FORMAT_WITH_RETURN = 'cwl2_';

/** The claim of {@link FORMAT}, followed by the mode as a byte and, if there is one, the address. */
const FORMAT_WITH_MODE = 'cwl3_';
/** The claim of {@link FORMAT}, followed by the mode, the length of the language, the language, and the address if there is one. */
const FORMAT_WITH_LANGUAGE = 'cwl4_';

/** The claim, by offset in bytes. */
const EXPIRES_AT = 0;
const EXPIRES_AT_BYTES = 6;
const VERSION_ID = 6;
const REGISTRATION_ID = 10;
const CLAIM_BYTES = REGISTRATION_ID + UUID_BYTES;
const MODE_BYTES = 1;
const LENGTH_BYTES = 1;

/** What a launch URL opens, and until when. */
export interface LaunchClaim {
  /** A UUID in lower case. */
  registrationId: string;
  versionId: number;
  /** Where the learner returns to; null for nowhere. */
  returnUrl: string | null;
  mode: RegistrationLaunchMode;
  /** The requested language, unless exactly one course matches it; null if none was requested. */
  language: string | null;
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
  readonly #tokensWithMode: SignedTokens;
  readonly #tokensWithLanguage: SignedTokens;
  readonly #now: () => number;

  /** @param authSecrets the first one signs; tokens signed with any of them are accepted */
  constructor({ authSecrets, now }: { authSecrets: readonly [string, ...string[]]; now: () => number }) {
    const keys = signingKeys(authSecrets, KEY_PURPOSE);
    this.#tokens = new SignedTokens({ keys, format: FORMAT });
    this.#tokensWithReturn = new SignedTokens({ keys, format: FORMAT_WITH_RETURN });
    this.#tokensWithMode = new SignedTokens({ keys, format: FORMAT_WITH_MODE });
    this.#tokensWithLanguage = new SignedTokens({ keys, format: FORMAT_WITH_LANGUAGE });
    this.#now = now;
  }

  /** Creates a token that expires {@link LAUNCH_LIFETIME_MS} from now. */
  issue(of: Omit<LaunchClaim, 'expiresAt'>): { token: string; expiresAt: number } {
    const expiresAt = Math.floor(this.#now()) + LAUNCH_LIFETIME_MS;
    return { token: this.#sign({ ...of, expiresAt }), expiresAt };
  }

  /** The claim of a token, even if it has expired. Null if the token is not one of ours. */
  read(token: string): LaunchClaim | null {
    const plain = this.#tokens.read(token);
    if (plain?.length === CLAIM_BYTES) return { ...decodeClaim(plain), ...DEFAULTS };
    const withReturn = this.#tokensWithReturn.read(token);
    if (withReturn !== null && withReturn.length > CLAIM_BYTES) {
      const returnUrl = withReturn.toString('utf8', CLAIM_BYTES);
      return { ...decodeClaim(withReturn), ...DEFAULTS, returnUrl };
    }
    const withMode = this.#tokensWithMode.read(token);
    if (withMode !== null) return decodeWithMode(withMode);
    const withLanguage = this.#tokensWithLanguage.read(token);
    return withLanguage === null ? null : decodeWithLanguage(withLanguage);
  }

  #sign(of: LaunchClaim): string {
    const claim = encodeClaim(of);
    const address = Buffer.from(of.returnUrl ?? '');
    const mode = Buffer.of(REGISTRATION_LAUNCH_MODES.indexOf(of.mode));
    if (of.language !== null) {
      const language = Buffer.from(of.language);
      const length = Buffer.of(language.length);
      return this.#tokensWithLanguage.sign(Buffer.concat([claim, mode, length, language, address]));
    }
    if (of.mode !== 'normal') return this.#tokensWithMode.sign(Buffer.concat([claim, mode, address]));
    return of.returnUrl === null
      ? this.#tokens.sign(claim)
      : this.#tokensWithReturn.sign(Buffer.concat([claim, address]));
  }
}

const DEFAULTS = { returnUrl: null, mode: 'normal', language: null } as const;

/** The claim of {@link FORMAT_WITH_MODE}; null if this release does not know the mode. */
function decodeWithMode(claim: Buffer): LaunchClaim | null {
  const mode = REGISTRATION_LAUNCH_MODES[claim[CLAIM_BYTES] ?? -1];
  if (mode === undefined) return null;
  const returnUrl = claim.toString('utf8', CLAIM_BYTES + MODE_BYTES) || null;
  return { ...decodeClaim(claim), ...DEFAULTS, mode, returnUrl };
}

/** The claim of {@link FORMAT_WITH_LANGUAGE}; null if this release does not know the mode. */
function decodeWithLanguage(claim: Buffer): LaunchClaim | null {
  const start = CLAIM_BYTES + MODE_BYTES + LENGTH_BYTES;
  const end = start + (claim[CLAIM_BYTES + MODE_BYTES] ?? 0);
  const rest = decodeWithMode(
    Buffer.concat([claim.subarray(0, CLAIM_BYTES + MODE_BYTES), claim.subarray(end)]),
  );
  return rest === null ? null : { ...rest, language: claim.toString('utf8', start, end) };
}

type PlainClaim = Omit<LaunchClaim, 'returnUrl' | 'mode' | 'language'>;

function encodeClaim({ registrationId, versionId, expiresAt }: PlainClaim): Buffer {
  const claim = Buffer.alloc(CLAIM_BYTES);
  claim.writeUIntBE(expiresAt, EXPIRES_AT, EXPIRES_AT_BYTES);
  claim.writeUInt32BE(versionId, VERSION_ID);
  writeUuid(claim, registrationId, REGISTRATION_ID);
  return claim;
}

function decodeClaim(claim: Buffer): PlainClaim {
  return {
    registrationId: readUuid(claim, REGISTRATION_ID),
    versionId: claim.readUInt32BE(VERSION_ID),
    expiresAt: claim.readUIntBE(EXPIRES_AT, EXPIRES_AT_BYTES),
  };
}
