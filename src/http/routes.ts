import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import { Problem } from './schemas.ts';

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
): Record<Status | 401 | 403, typeof Problem> {
  const all = [401, 403, ...statuses] as (Status | 401 | 403)[];
  return Object.fromEntries(all.map((status) => [status, Problem])) as Record<
    Status | 401 | 403,
    typeof Problem
  >;
}
