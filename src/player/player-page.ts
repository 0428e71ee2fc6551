import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { failurePage } from '../content/registrations/launch-page.ts';

/** The folder to which `npm run build:ui` writes the player page. */
const PLAYER_BUILD_FOLDER = path.join(import.meta.dirname, '../../web/dist/player');

/** The page loads scripts and styles only from its own build. The policy does not apply to the course in its frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  'frame-src http: https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const NOT_BUILT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Course</title>' +
  '<p>The player is not built. Run <code>npm run build:ui</code> where Coursewire is installed, then restart it.';

/** Serves the player page and its scripts below `player/`. */
export async function playerPageRoutes(scope: FastifyInstance): Promise<void> {
  const file = path.join(PLAYER_BUILD_FOLDER, 'index.html');
  const page = existsSync(file) ? readFileSync(file, 'utf8') : null;
  scope.get('/player/', { config: { failurePage: failurePage("'self'") } }, (_request, reply) =>
    reply
      .code(page === null ? 503 : 200)
      .header('Content-Security-Policy', POLICY)
      .type('text/html; charset=utf-8')
      .send(page ?? NOT_BUILT),
  );
  if (page === null) return;
  await scope.register(fastifyStatic, {
    root: path.join(PLAYER_BUILD_FOLDER, 'assets'),
    prefix: '/player/assets/',
    decorateReply: false,
    index: false,
    immutable: true,
    maxAge: '365d',
    preCompressed: true,
  });
}
