import type { FastifyRequest } from 'fastify';
import { type Actor, callingActor } from '../../audit/actor.ts';
import type { Authorization, Authorize, Caller } from '../../http/authorization.ts';
import { opensPage } from '../../http/problem-responses.ts';
import {
  type AuthenticateBasic,
  BASIC_CHALLENGE,
  isBasic,
} from '../../identity/clients/basic-authentication.ts';
import { ProblemError } from '../../problems/problem.ts';
import { isRead, type LrsScope } from './lrs-scope.ts';

/** The path at which API clients and administrators access all learning records, relative to the base URL. */
export const XAPI_PATH = '/xapi';

const READ = 'statements:read';
const WRITE = 'statements:write';

/** How the store authenticates API clients and administrators. */
export interface LrsClientsOptions {
  authorize: Authorize;
  authenticateBasic: AuthenticateBasic;
  /** The public path of the store. */
  path: string;
  /**
   * The service's public address. It is the `homePage` of the service's clients, and distinguishes them from others.
   */
  homePage: () => string;
}

/**
 * Determines a caller's scope. xAPI tools send a client's id and secret as HTTP Basic credentials; all other
 * credentials of the API work too. Callers can access the records of all launches, limited by their scopes.
 */
export function lrsClients({ authorize, authenticateBasic, path, homePage }: LrsClientsOptions) {
  const scopeFor = (caller: { id: string; by: Actor; mayRead: boolean; mayWrite: boolean }): LrsScope => ({
    authority: { objectType: 'Agent', account: { homePage: homePage(), name: caller.id } },
    by: caller.by,
    mayRead: caller.mayRead,
    mayWrite: caller.mayWrite,
    path,
    launch: null,
  });

  return async (request: FastifyRequest, authorization: string | undefined): Promise<LrsScope> => {
    if (isBasic(authorization)) {
      const client = await authenticateBasic(authorization, request.ip);
      const { clientId: id, email: user, name, scopes } = client;
      const [mayRead, mayWrite] = [scopes.has(READ), scopes.has(WRITE)];
      const by = callingActor({ kind: 'client', id, user, name }, request.ip);
      if (mayRead || mayWrite) return scopeFor({ id, by, mayRead, mayWrite });
      throw new ProblemError('forbidden', `This needs an API client with the scope ${READ} or ${WRITE}`);
    }
    const reading = await authorize(request, { scopes: [READ] }, { authorization });
    const writing = await authorize(request, { scopes: [WRITE] }, { authorization });
    const caller = callerOf(reading) ?? callerOf(writing);
    if (caller !== null) {
      const by = callingActor(caller, request.ip);
      return scopeFor({ id: caller.id, by, mayRead: 'caller' in reading, mayWrite: 'caller' in writing });
    }
    throw refusalOf(request, isRead(request.method) ? reading : writing);
  };
}

/** The caller to whom {@link lrsClients} has given a scope. */
export function callerIdOf({ authority }: LrsScope): string {
  return (authority.account as { name: string }).name;
}

function callerOf(decision: Authorization): Caller | null {
  return 'caller' in decision ? decision.caller : null;
}

/**
 * Some clients send their secret only to a service that asks for HTTP Basic. A browser would keep the secret and send it with
 * the requests of any page.
 */
function refusalOf(request: FastifyRequest, decision: Authorization): Error {
  if (!('refusal' in decision)) throw new Error('nothing was refused');
  const { status, detail, wwwAuthenticate } = decision.refusal;
  const isBrowser = opensPage(request) || request.headers['sec-fetch-site'] !== undefined;
  const challenges = [wwwAuthenticate, status === 401 && !isBrowser ? BASIC_CHALLENGE : undefined].filter(
    (challenge) => challenge !== undefined,
  );
  return new ProblemError(status === 401 ? 'unauthorized' : 'forbidden', detail, {
    headers: challenges.length === 0 ? {} : { 'WWW-Authenticate': challenges.join(', ') },
  });
}
