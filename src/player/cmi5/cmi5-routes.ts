import { hash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { launchPagePolicy, leftPage } from '../../content/registrations/launch-page.ts';
import type { Database } from '../../database/database.ts';
import { addCrossOriginHeaders } from '../content-origin/cross-origin-headers.ts';
import { hashSecret, newSecret } from '../sessions/session.ts';
import { SessionScopes } from '../sessions/session-scopes.ts';
import { readSession, storeFetchedCredential } from '../sessions/session-store.ts';

/**
 * Tells the player page, if there is one, that the learner has left the unit. If the unit has replaced that page, leads
 * to where the player would lead.
 */
const RETURNED = `const to=opener&&opener!==window?opener:parent,go=document.links[0];
if(to!==window)to.postMessage({coursewire:'unit-left'},location.origin);
if(opener)close();
else if(to===window)if('leaves' in go.dataset)location.replace(go.href);else go.hidden=false;`;
const HASH = hash('sha256', RETURNED, 'base64');
const POLICY = `${launchPagePolicy("'self'")}; script-src 'sha256-${HASH}'`;

/** The endpoints of cmi5 units, in addition to the learning record store. */
export function cmi5Routes(scope: FastifyInstance, { database }: { database: Database }): void {
  // cmi5 requires status 200 for its own errors (section 8.2.3). Refusals by the service itself are problems.
  scope.post<{ Params: { session: string; secret: string } }>(
    '/cmi5/fetch/:session/:secret',
    { onSend: addCrossOriginHeaders },
    async ({ launch, params }) => {
      const found = await readSession(database.reader, params.session);
      if (found === undefined || found.session.launchId !== launch.launchId) {
        return { 'error-code': '3', 'error-text': 'The session does not exist' };
      }
      const secret = newSecret();
      const isFirst = await database.transaction((tx) =>
        storeFetchedCredential(tx, params.session, {
          fetchHash: hashSecret(params.secret),
          secretHash: hashSecret(secret),
        }),
      );
      if (!isFirst) return { 'error-code': '1', 'error-text': 'The credential was fetched already' };
      return { 'auth-token': SessionScopes.credential(params.session, secret) };
    },
  );

  scope.get('/cmi5/return', ({ launch }, reply) =>
    reply
      .header('Content-Security-Policy', POLICY)
      .type('text/html; charset=utf-8')
      .send(leftPage({ returnUrl: launch.returnUrl, playerUrl: '../player/', script: RETURNED })),
  );
}
