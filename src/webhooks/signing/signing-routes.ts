import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import { expectedRevisions } from '../../http/conditions.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { DateTime, Nullable, OptionalDateTime } from '../../http/schemas.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import { SECOND_MS } from '../../time/units.ts';
import { READ_ONLY, WebhookParams, webhookIdOf } from '../configuration/webhook-routes.ts';
import type { SigningService } from './signing-service.ts';

const DEFAULT_FORMER_SECONDS = 24 * 60 * 60;
const MAX_FORMER_SECONDS = 7 * DEFAULT_FORMER_SECONDS;
const UNREADABLE =
  'The request was already processed, and webhooks_auth_secret has changed since: its response cannot be repeated.';
const config = { scope: 'webhooks:write' };
const tags = ['Webhooks'];

/** The optional body of a rotation. */
const SigningSecretInput = Nullable(
  Type.Object(
    {
      former_valid_for: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MAX_FORMER_SECONDS,
          description:
            'For how many seconds the old secret keeps signing as well: up to 7 days. Defaults to 24 hours. ' +
            'With 0, it stops immediately, which is right if it has leaked.',
        }),
      ),
    },
    {
      title: 'SigningSecretInput',
      additionalProperties: false,
      description: 'Options for replacing the signing secret.',
    },
  ),
);

/** A new signing secret. */
const SigningSecretRecord = Type.Object(
  {
    signing_secret: Type.String({
      description: '`whsec_` and 32 bytes in base64, as in Standard Webhooks. No other response contains it.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwGk0oDq3uJ1c='],
    }),
    signing_since_dt: DateTime('Since when the postbacks of the webhook are signed.'),
    former_signing_secret_until_dt: OptionalDateTime(
      'Until when the old secret also signs. Null if there is none.',
    ),
  },
  { title: 'SigningSecret', description: 'A new signing secret.' },
);

/** Signing the postbacks of webhooks. */
export function signingRoutes(routes: Routes, signing: SigningService, idempotency: Idempotency): void {
  rotateSigningSecretRoute(routes, signing, idempotency);
  deleteSigningSecretRoute(routes, signing);
}

function rotateSigningSecretRoute(routes: Routes, signing: SigningService, idempotency: Idempotency): void {
  routes.post(
    '/webhooks/:webhook_id/signing-secret',
    {
      config,
      schema: {
        tags,
        operationId: 'rotateSigningSecret',
        summary: 'Create or replace the signing secret of a webhook',
        description:
          'Postbacks are then signed with the header `webhook-signature` (Standard Webhooks). The old secret keeps signing ' +
          'for a while, so that receivers can switch to the new one within that time. Only one old secret signs: if ' +
          '`former_signing_secret_until_dt` of the webhook is not null, an older one ends at once.',
        params: WebhookParams,
        body: SigningSecretInput,
        response: {
          200: SigningSecretRecord,
          ...problems(400, { 403: READ_ONLY }, 404, { 409: UNREADABLE }, 413, 415, 422),
        },
      },
    },
    async (request, reply) => {
      const by = actorOf(request);
      const id = webhookIdOf(request.params);
      const seconds = request.body?.former_valid_for ?? DEFAULT_FORMER_SECONDS;
      return await idempotency.respondWithSecret(request, reply, async (tx) => {
        const made = await signing.rotate(id, seconds * SECOND_MS, by, tx);
        return {
          status: 200,
          body: {
            signing_secret: made.secret,
            signing_since_dt: formatDateTime(made.since),
            former_signing_secret_until_dt: formatOptionalDateTime(made.formerUntil),
          },
        };
      });
    },
  );
}

function deleteSigningSecretRoute(routes: Routes, signing: SigningService): void {
  routes.delete(
    '/webhooks/:webhook_id/signing-secret',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteSigningSecret',
        summary: 'Stop signing the postbacks of a webhook',
        description:
          'Deletes the signing secret, and the old one if there is one. The response is 404 if the webhook has none, and 412 ' +
          'with the `If-Match` of a webhook that has changed since.',
        params: WebhookParams,
        response: {
          204: Type.Null({ description: 'Postbacks are no longer signed.' }),
          ...problems({ 403: READ_ONLY }, 404, 412),
        },
      },
    },
    async (request, reply) => {
      await signing.end(webhookIdOf(request.params), {
        by: actorOf(request),
        expected: expectedRevisions(request),
      });
      return reply.code(204).send(null);
    },
  );
}
