import type { FastifyRequest } from 'fastify';
import { type AdministratorCaller, type ClientCaller, callerOf } from '../http/authorization.ts';

/**
 * Kinds of actors: a person in the admin UI, an API client, the command line, and a caller who is not signed in.
 */
export const ACTOR_TYPES = ['ADMINISTRATOR', 'API_CLIENT', 'COMMAND_LINE', 'UNKNOWN'] as const;

/** One of {@link ACTOR_TYPES}. */
export type ActorType = (typeof ACTOR_TYPES)[number];

/** Who makes a change, as the audit log records it. */
export interface Actor {
  type: ActorType;
  /** The id of the administrator, or the client id; null for the other types. */
  id: string | null;
  /** The e-mail address, as in `user` of messages. */
  user: string | null;
  name: string | null;
  /** The address that the server sees. */
  address: string | null;
}

/** Whoever may run commands on the machine of the service. */
export const COMMAND_LINE: Actor = {
  type: 'COMMAND_LINE',
  id: null,
  user: null,
  name: null,
  address: null,
};

/** What is known of a client without an access token, too. */
type CallingClient = Omit<ClientCaller, 'scopes'>;

/**
 * Whether a person does it. Programs create accounts, create and launch registrations, and set results in large numbers,
 * so that these are recorded only for persons. For programs, there are events.
 */
export function isPerson({ type }: Actor): boolean {
  return type === 'ADMINISTRATOR';
}

/** The caller of a route that has a scope or a role. */
export function actorOf(request: FastifyRequest): Actor {
  return callingActor(callerOf(request), request.ip);
}

/** A caller with this address. */
export function callingActor(caller: CallingClient | AdministratorCaller, address: string): Actor {
  const common = { user: caller.user, name: caller.name, address };
  return caller.kind === 'client'
    ? { type: 'API_CLIENT', id: caller.id, ...common }
    : { type: 'ADMINISTRATOR', id: String(caller.administratorId), ...common };
}

/** A caller who is not signed in. */
export function unknownActor(address: string): Actor {
  return { type: 'UNKNOWN', id: null, user: null, name: null, address };
}

/** An administrator who signs in, or uses a link. */
export function administratorActor(
  { id, email, name }: { id: number; email: string; name: string | null },
  address: string,
): Actor {
  return { type: 'ADMINISTRATOR', id: String(id), user: email, name, address };
}
