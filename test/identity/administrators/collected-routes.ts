import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance } from 'fastify';

export interface FoundRoute {
  method: string;
  /** With its parameters, such as `/accounts/:account_id`. */
  path: string;
}

/** Collects the routes of every server that starts meanwhile, as Fastify reports them. */
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

/** What a route is, as the table names it. */
export const nameOf = ({ method, path }: FoundRoute) => `${method} ${path}`;

/** An address of a route: its parameters name nothing that is there. */
export const addressOf = ({ path }: FoundRoute) => path.replace(/:\w+/g, '999999').replace('*', '1');

/** Whether a route is on the content origin, where the token of a launch opens it. */
export const isOfLaunch = ({ path }: FoundRoute) => path.startsWith('/:token/');

/** Neither a browser nor `fetch` sends it. */
export const UNSENDABLE = 'TRACE';
