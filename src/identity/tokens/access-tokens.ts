import { type KeyObject, randomBytes } from 'node:crypto';
import type { Reader } from '../../database/database.ts';
import { SignedTokens } from '../../secrets/signed-token.ts';
import { SECOND_MS } from '../../time/units.ts';
import type { ApiClient } from '../clients/client-service.ts';
import { selectTokenHolder } from '../clients/client-store.ts';
import { readStoredScopes, SCOPES, type Scope } from '../scopes.ts';

/** Maximum length of a token; a real one has about 110 characters. */
export const MAX_TOKEN_CHARACTERS = 512;

/** Names the format. A later format gets another number. */
const FORMAT = 'cwt1_';
/** Random bytes make each token unique, even for the same client in the same millisecond. */
const NONCE_BYTES = 8;

/** The fixed part of a claim, by offset in bytes; the client's id follows. */
const EXPIRES_AT = 0;
const EXPIRES_AT_BYTES = 6;
const GENERATION = 6;
const SCOPE_BITS = 10;
const NONCE = 12;
const CLIENT_ID = NONCE + NONCE_BYTES;

/** Who makes a request to the API, and what it may do. */
export interface Principal {
  clientId: string;
  /** The client's e-mail address: `user` in the messages of events that the request causes. */
  user: string;
  /** The client's name. */
  name: string;
  scopes: ReadonlySet<Scope>;
}

/** A new token. */
export interface IssuedToken {
  token: string;
  /** Whole seconds, rounded down. */
  expiresIn: number;
}

interface Claim {
  clientId: string;
  scopes: Scope[];
  expiresAt: number;
  generation: number;
}

/** Dependencies of {@link AccessTokens}. */
export interface AccessTokensDependencies {
  reader: Reader;
  /** The first key signs. Tokens signed with any of them are accepted. */
  keys: readonly [KeyObject, ...KeyObject[]];
  lifetimeMs: number;
  now: () => number;
}

/**
 * Self-contained access tokens, signed with HMAC-SHA256. Creating one writes nothing, and every instance with the same
 * keys accepts it. Each use reads the client from the database, so deleting or disabling a client invalidates its
 * tokens immediately, from any process.
 *
 * The text is `cwt1_` and base64url of a claim (expiry, generation, scope bits, nonce, client id) and its MAC. To
 * others, it is an opaque `b64token` (RFC 6750 §2.1).
 */
export class AccessTokens {
  readonly #with: AccessTokensDependencies;
  readonly #tokens: SignedTokens;

  constructor(dependencies: AccessTokensDependencies) {
    this.#with = dependencies;
    this.#tokens = new SignedTokens({ keys: dependencies.keys, format: FORMAT });
  }

  /** Creates a token for scopes that the client has, as checked by the caller. */
  issue(client: ApiClient, scopes: Iterable<Scope>): IssuedToken {
    const claim = encodeClaim({
      clientId: client.clientId,
      scopes: [...scopes],
      expiresAt: Math.floor(this.#with.now() + this.#with.lifetimeMs),
      generation: client.tokenGeneration,
    });
    return { token: this.#tokens.sign(claim), expiresIn: Math.floor(this.#with.lifetimeMs / SECOND_MS) };
  }

  /**
   * The caller that a token identifies. Null if the token is not one of ours or has expired, or if its client was deleted
   * or disabled. Scopes that the client has lost since are omitted.
   * @param options.mayHaveExpired for requests that began before the token expired. @defaultValue false
   * @throws {DatabaseUnavailableError} if the client cannot be read.
   */
  async verify(token: string, { mayHaveExpired } = { mayHaveExpired: false }): Promise<Principal | null> {
    const claim = this.#verifiedClaim(token);
    if (claim === null || (!mayHaveExpired && claim.expiresAt <= this.#with.now())) return null;
    const holder = await selectTokenHolder(this.#with.reader, claim.clientId);
    if (holder === undefined || holder.enabled !== 1) return null;
    if (holder.token_generation !== claim.generation) return null;
    const held = readStoredScopes(holder.scopes);
    return {
      clientId: claim.clientId,
      user: holder.email,
      name: holder.name,
      scopes: new Set(claim.scopes.filter((scope) => held.has(scope))),
    };
  }

  #verifiedClaim(token: string): Claim | null {
    if (token.length > MAX_TOKEN_CHARACTERS) return null;
    const claim = this.#tokens.read(token);
    return claim === null ? null : decodeClaim(claim);
  }
}

function encodeClaim(claim: Claim): Buffer {
  const fixed = Buffer.alloc(CLIENT_ID);
  fixed.writeUIntBE(claim.expiresAt, EXPIRES_AT, EXPIRES_AT_BYTES);
  fixed.writeUInt32BE(claim.generation, GENERATION);
  fixed.writeUInt16BE(toBits(claim.scopes), SCOPE_BITS);
  randomBytes(NONCE_BYTES).copy(fixed, NONCE);
  return Buffer.concat([fixed, Buffer.from(claim.clientId, 'ascii')]);
}

function decodeClaim(claim: Buffer): Claim {
  const bits = claim.readUInt16BE(SCOPE_BITS);
  return {
    clientId: claim.toString('ascii', CLIENT_ID),
    scopes: SCOPES.filter((_, place) => (bits & (1 << place)) !== 0),
    expiresAt: claim.readUIntBE(EXPIRES_AT, EXPIRES_AT_BYTES),
    generation: claim.readUInt32BE(GENERATION),
  };
}

function toBits(scopes: readonly Scope[]): number {
  return scopes.reduce((bits, scope) => bits | (1 << SCOPES.indexOf(scope)), 0);
}
