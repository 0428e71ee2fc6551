import { Type } from 'typebox';
import { SCOPES } from '../scopes.ts';

/** The name of the token endpoint's security scheme in the description of the API. */
export const CLIENT_BASIC = 'clientBasic';

/** The form of a token request. */
export const TokenRequestForm = Type.Object(
  {
    grant_type: Type.Literal('client_credentials'),
    scope: Type.Optional(
      Type.String({
        description: `Space-separated, from ${SCOPES.join(', ')}. Defaults to all scopes of the client.`,
        examples: ['webhooks:read webhooks:write'],
      }),
    ),
    client_id: Type.Optional(Type.String({ description: 'Only without HTTP Basic.' })),
    client_secret: Type.Optional(
      Type.String({ format: 'password', description: 'Only without HTTP Basic.' }),
    ),
  },
  { title: 'AccessTokenRequest', description: 'Each parameter at most once; unknown ones are ignored.' },
);

/** A granted token (RFC 6749 §5.1). */
export const AccessTokenResponse = Type.Object(
  {
    access_token: Type.String({ description: 'Send it to the API as `Authorization: Bearer …`.' }),
    token_type: Type.Literal('bearer'),
    expires_in: Type.Integer({ description: 'Lifetime in seconds.', examples: [3600] }),
    scope: Type.String({ description: 'The granted scopes, space-separated. May be empty.' }),
  },
  { title: 'AccessToken', description: 'An access token.' },
);

/** An error response (RFC 6749 §5.2). */
export function TokenErrorResponse(description: string) {
  return Type.Object(
    {
      error: Type.String({
        description: 'The error code, for use by programs (RFC 6749 section 5.2).',
        examples: ['invalid_client'],
      }),
      error_description: Type.String({ description: 'What is wrong, in plain words.' }),
    },
    { title: 'TokenError', description: 'A refused token request.', 'x-response-description': description },
  );
}
