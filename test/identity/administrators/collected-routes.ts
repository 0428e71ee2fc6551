import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';

export interface FoundRoute {
  method: string;
  /** With its parameters, such as `/accounts/:account_id`. */
  path: string;
}

/** Collects the routes of every server that starts from now on, as Fastify reports them. */
export function collectRoutes(): { routes: FoundRoute[]; stop: () => void } {
  const routes: FoundRoute[] = [];
  const onServer = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routes.push({ method: one, path: url });
    });
  };
  subscribe('fastify.initialization', onServer);
  return { routes, stop: () => unsubscribe('fastify.initialization', onServer) };
}

/** The name of a route in the table. */
export const nameOf = ({ method, path }: FoundRoute) => `${method} ${path}`;

/** An address of a route, whose parameters name objects that do not exist. */
export const addressOf = ({ path }: FoundRoute) => path.replace(/:\w+/g, '999999').replace('*', '1');

/** Whether a route is on the content origin, where it needs the token of a launch. */
export const isOfLaunch = ({ path }: FoundRoute) => path.startsWith('/:token/');

/** A method that neither browsers nor `fetch` send. */
export const UNSENDABLE = 'TRACE';
