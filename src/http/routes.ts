import type { IncomingMessage, ServerResponse } from 'node:http';
// Declares the members of route schemas beyond validation: tags, security, hide.
import type {} from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import { PROBLEMS } from '../problems/problem.ts';

/** The server to which slices add their routes. Schemas determine the types of requests and responses. */
export type Routes = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The problems that a route may return, for its `response` schemas, including those of every route. */
export function problems<Status extends number>(
  ...statuses: Status[]
): Record<Status | AlwaysPossible, ProblemResponse> {
  const all = [400, 401, 403, ...statuses, 500, 503] as (Status | AlwaysPossible)[];
  return Object.fromEntries(all.map((status) => [status, problemResponse(status)])) as Record<
    Status | AlwaysPossible,
    ProblemResponse
  >;
}

/** Unknown query member, no token, missing scope, internal error, unavailable database. */
type AlwaysPossible = 400 | 401 | 403 | 500 | 503;

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
