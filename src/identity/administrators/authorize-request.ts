import type { Authorization, Authorize, Need } from '../../http/authorization.ts';
import {
  assertNotFromOtherOrigin,
  assertSameOrigin,
  changesSomething,
  type ServiceOrigin,
} from '../../http/origin.ts';
import { challenge, decideBearer, type TokenVerifier } from '../bearer.ts';
import { isScope } from '../scopes.ts';
import { includesRole, scopesOfRole } from './roles.ts';
import type { ServiceCookie } from './session-cookie.ts';
import type { Sessions, SignedIn } from './sessions.ts';
import { isUnattended } from './unattended.ts';

/** Dependencies of the authorizer. */
export interface RequestAuthorizerOptions {
  tokens: TokenVerifier;
  sessions: Pick<Sessions, 'verify'>;
  sessionCookie: ServiceCookie;
  origin: ServiceOrigin;
}

/**
 * Decides by the Authorization header field if there is one, otherwise by the session cookie. Browsers also send
 * cookies with requests that pages of other origins cause, so a request with a header that says so is rejected. A
 * change with a cookie must prove that it comes from our pages.
 */
export function requestAuthorizer(options: RequestAuthorizerOptions): Authorize {
  const { tokens, sessions, sessionCookie, origin } = options;
  return async (request, need, { again = false, authorization: given } = {}) => {
    const authorization = given ?? request.headers.authorization;
    const cookie = sessionCookie.read(request);
    const scheme = schemeOfProxy(authorization);
    if (cookie !== null && scheme !== null) return removeInProxy(scheme);
    if (authorization !== undefined)
      return await byToken(authorization, need, {
        verify: (token) => tokens.verify(token, { mayHaveExpired: again }),
      });
    if (cookie === null) return signInFirst('Sign in, or send an access token.');
    assertNotFromOtherOrigin(request);
    if (changesSomething(request)) assertSameOrigin(request, origin);
    const signedIn = await sessions.verify(cookie, request.ip, {
      mayHaveExpired: again,
      unattended: isUnattended(request),
    });
    if (signedIn === null) return signInFirst('The session has ended; sign in again.');
    return bySession(signedIn, need);
  };
}

async function byToken(authorization: string, need: Need, tokens: TokenVerifier): Promise<Authorization> {
  if (!('scopes' in need)) {
    return { refusal: { status: 403, detail: 'This is for administrators who have signed in.' } };
  }
  const decision = await decideBearer(authorization, need.scopes, tokens);
  if ('refusal' in decision) return decision;
  const { clientId, user, name, scopes } = decision.caller;
  return { caller: { kind: 'client', id: clientId, user, name, scopes: new Set(scopes) } };
}

function bySession(signedIn: SignedIn, need: Need): Authorization {
  const { administratorId, email, name, role, sessionId } = signedIn;
  const allowed =
    'role' in need
      ? includesRole(role, need.role)
      : need.scopes.some((scope) => isScope(scope) && scopesOfRole(role).has(scope));
  if (!allowed) return { refusal: { status: 403, detail: `The role ${role} does not allow this.` } };
  const id = `administrator:${administratorId}`;
  const scopes = scopesOfRole(role);
  return {
    caller: { kind: 'administrator', id, user: email, name, scopes, administratorId, role, sessionId },
  };
}

/** The scheme of credentials that browsers send for a proxy, or null. They cannot be an access token. */
function schemeOfProxy(authorization: string | undefined): string | null {
  const scheme = /^([a-z]{1,20}) /i.exec(authorization ?? '')?.[1];
  return scheme === undefined || scheme.toLowerCase() === 'bearer' ? null : scheme;
}

/** Not 401, after which the pages would ask people who have signed in for their passwords again and again. */
function removeInProxy(scheme: string): Authorization {
  const detail =
    `The request has an Authorization header of the scheme ${scheme}, so its session does not count. ` +
    'If a proxy asks for that password, let it remove the header.';
  return { refusal: { status: 403, detail } };
}

function signInFirst(detail: string): Authorization {
  return { refusal: { status: 401, detail, wwwAuthenticate: challenge() } };
}
