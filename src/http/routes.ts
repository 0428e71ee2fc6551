import type { IncomingMessage, ServerResponse } from 'node:http';
// Declares the members of route schemas beyond validation: tags, security, hide.
import type {} from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { PROBLEMS } from '../problems/problem.ts';

/** The server to which slices add their routes. Schemas determine the types of requests and responses. */
export type Routes = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/**
 * The problems that a route may return, for its `response` schemas, including those of every route.
 * @param problems statuses, or texts by status that say when this route returns it
 */
export function problems(
  ...problems: (ProblemStatus | Partial<Record<ProblemStatus, string | ProblemResponse>>)[]
): Record<ProblemStatus, ProblemResponse> {
  const responses: Record<number, ProblemResponse> = {};
  const add = (status: number, meaning: string | ProblemResponse = MEANINGS[status] ?? NOTHING_FURTHER) => {
    responses[status] = typeof meaning === 'string' ? problemResponse(meaning) : meaning;
  };
  for (const status of ALWAYS_POSSIBLE) add(status);
  for (const problem of problems) {
    if (typeof problem === 'number') add(problem);
    else for (const [status, meaning] of Object.entries(problem)) add(Number(status), meaning);
  }
  return responses as Record<ProblemStatus, ProblemResponse>;
}

type ProblemStatus = (typeof PROBLEMS)[keyof typeof PROBLEMS]['status'];

/** Unknown query member, no token, missing scope, internal error, unavailable database. */
const ALWAYS_POSSIBLE = [400, 401, 403, 500, 503] as const;

/**
 * The text of a problem that needs no further words: the description of the API names the scope, or what does not
 * exist.
 */
export const NOTHING_FURTHER = '-';

/** When a route returns a problem with this status. A route may say more. */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is invalid. `errors` names every invalid member.',
  401: 'There is no valid access token.',
  412: 'The record has changed since you read it.',
  413: 'The body is too large.',
  415: 'The media type of the body is not supported.',
  422: 'The idempotency key was used for a different request.',
  500: 'The service failed. Its log has the cause.',
  503: 'The service is temporarily unavailable.',
};

/** A problem that can say in `Retry-After` when to try again. Statuses 429 and 503 always can. */
export function passing(meaning: string): ProblemResponse {
  return { ...problemResponse(meaning), headers: { 'Retry-After': {} } };
}

interface ProblemResponse {
  description: string;
  /** Described by the API description. */
  headers?: { 'Retry-After': object };
  content: { 'application/problem+json': { schema: { $ref: string } } };
}

function problemResponse(description: string): ProblemResponse {
  return { description, content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } } };
}
