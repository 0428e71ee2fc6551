import type { IncomingMessage, ServerResponse } from 'node:http';
// Declares what a route's schema may say beyond validation: tags, security, hide.
import type {} from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import { PROBLEMS } from '../problems/problem.ts';

/** The server as slices add their routes to it: schemas give the types of requests and answers. */
export type Routes = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The problems that a route may answer, for its `response` schemas; those of every route are among them. */
export function problems<Status extends number>(
  ...statuses: Status[]
): Record<Status | AlwaysPossible, ProblemResponse> {
  // Where a key may turn out to have been used for another request, it may also be malformed.
  const ofKeys = statuses.includes(422 as Status) ? [400] : [];
  const all = [401, 403, ...ofKeys, ...statuses, 500, 503] as (Status | AlwaysPossible)[];
  return Object.fromEntries(all.map((status) => [status, problemResponse(status)])) as Record<
    Status | AlwaysPossible,
    ProblemResponse
  >;
}

/** No token, too little scope, a failure of the service, a database that does not answer. */
type AlwaysPossible = 401 | 403 | 500 | 503;

interface ProblemResponse {
  description: string;
  content: { 'application/problem+json': { schema: { $ref: string } } };
}

function problemResponse(status: number): ProblemResponse {
  const titles = Object.values(PROBLEMS).flatMap((problem) =>
    problem.status === status ? [problem.title] : [],
  );
  return {
    description: `${titles.join('; or: ')}.`,
    content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
  };
}
