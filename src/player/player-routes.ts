import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { MAX_UNIT_ID_LENGTH } from './attempts/unit-ids.ts';
import { readBody } from './content-origin/read-body.ts';
import type { PageResponse, UnitResponse, UnitsResponse } from './page-responses.ts';
import { PlayerPages, type PlayerPagesDependencies } from './player-pages.ts';

const UnitRequest = Type.Object(
  {
    unit: Type.String({ maxLength: MAX_UNIT_ID_LENGTH }),
    /** Whether the sequencing resumes the unit. Missing without sequencing. */
    isResumed: Type.Optional(Type.Boolean()),
    /** The page that opens it. Pages of earlier releases do not send it. */
    page: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
);

/** The page that the same tab had loaded before. Missing if there was none. */
const OpenRequest = Type.Object(
  { continues: Type.Optional(Type.Integer({ minimum: 1 })) },
  { additionalProperties: false },
);

/** Identifies the page. Pages of earlier releases send neither member. */
const UnitsRequest = Type.Object(
  {
    attempt: Type.Optional(Type.Integer({ minimum: 0 })),
    page: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
);

/** The routes that the player page calls, below a launch's token. */
export function playerRoutes(scope: FastifyInstance, dependencies: PlayerPagesDependencies): void {
  const pages = new PlayerPages(dependencies);
  attemptRoute(scope, dependencies);
  openPageRoute(scope, pages);
  unitsRoute(scope, pages);
  openUnitRoute(scope, pages);
}

/** Opening a page supersedes earlier pages. A page calls this first, to send the data that they left in the browser. */
function attemptRoute(scope: FastifyInstance, { attempts }: PlayerPagesDependencies): void {
  scope.get('/attempt', async ({ launch: { registrationId, mode } }) => {
    if (registrationId === null || mode !== 'normal') return { registration: null, attempt: 0 };
    return { registration: registrationId, attempt: await attempts.stored.currentNumber(registrationId) };
  });
}

/** POST, because opening a page supersedes the others. A browser that prefetches links must not do that. */
function openPageRoute(scope: FastifyInstance, pages: PlayerPages): void {
  scope.post(
    '/open',
    { config: { followsLastRequests: true } },
    async ({ launch, body }): Promise<PageResponse> =>
      await pages.open(launch, hasContent(body) ? readBody(OpenRequest, body) : {}),
  );
}

function unitsRoute(scope: FastifyInstance, pages: PlayerPages): void {
  scope.post('/units', async ({ launch, body }): Promise<UnitsResponse> => {
    // A request without a body asks for the units alone.
    return await pages.units(launch, hasContent(body) ? readBody(UnitsRequest, body) : {});
  });
}

function openUnitRoute(scope: FastifyInstance, pages: PlayerPages): void {
  scope.post(
    '/unit',
    { config: { followsLastRequests: true } },
    async ({ launch, body }): Promise<UnitResponse> =>
      await pages.openUnit(launch, readBody(UnitRequest, body)),
  );
}

function hasContent(body: unknown): boolean {
  return Buffer.isBuffer(body) && body.length > 0;
}
