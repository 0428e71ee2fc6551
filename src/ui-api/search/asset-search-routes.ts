import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import { FOCUS_TYPES, type FocusType, isFocusType } from '../../events/catalogue.ts';
import { callerOf } from '../../http/authorization.ts';
import { idIn } from '../../http/ids.ts';
import type { Routes } from '../../http/routes.ts';
import { Id } from '../../http/schemas.ts';
import { invalidInput, ProblemError } from '../../problems/problem.ts';
import { readAssets, searchAssets } from '../content/asset-search.ts';
import { REGISTRABLE_TYPES, type RegistrableType } from '../content/held-content.ts';
import { MAX_COUNTED } from '../list-limits.ts';
import { listResponse, SearchText, searchText, TypesText, typesOf } from '../list-query.ts';

/** Callers who may configure webhooks find the assets that a focus may name, by name. */
const FIND = { scope: ['content:read', 'webhooks:write'], hasLargeResponse: true } as const;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 50;
/** Maximum number of assets that a request names by id. */
const MAX_REFERENCES = 200;
const MAX_REFERENCES_LENGTH = 6_000;

/** Finding accounts and content by name, for the admin UI's palette, filters and dialogs. */
export function assetSearchRoutes(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/search/assets',
    {
      config: FIND,
      schema: {
        hide: true,
        querystring: Type.Object(
          {
            types: TypesText,
            search: SearchText,
            held_by: Type.Optional(Id('Only courses and equivalents that this account has, in any way.')),
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
            offset: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_COUNTED })),
          },
          { additionalProperties: false },
        ),
      },
    },
    async (request) => {
      const { types, search, limit = DEFAULT_LIMIT, offset = 0, held_by: heldBy = null } = request.query;
      // The content of an account is more than a name.
      if (heldBy !== null && !callerOf(request).scopes.has('content:read')) {
        throw new ProblemError('forbidden', 'held_by needs the scope content:read.');
      }
      const scope =
        heldBy === null
          ? { types: typesOf(types, FOCUS_TYPES), heldBy }
          : { types: registrableTypesOf(types), heldBy };
      const part = { limit, offset };
      const found = await searchAssets(reader, { ...scope, text: searchText(search) }, part);
      return listResponse(found, part, (asset) => asset);
    },
  );

  routes.get(
    '/ui/api/search/assets/by-id',
    {
      config: FIND,
      schema: {
        hide: true,
        querystring: Type.Object(
          { assets: Type.String({ maxLength: MAX_REFERENCES_LENGTH }) },
          { additionalProperties: false },
        ),
      },
    },
    async (request) => ({ data: await readAssets(reader, referencesOf(request.query.assets)) }),
  );
}

/** The types that learners can be registered for. */
function registrableTypesOf(text: string | undefined): RegistrableType[] {
  const types = text === undefined ? REGISTRABLE_TYPES : typesOf(text, FOCUS_TYPES);
  const registrable = REGISTRABLE_TYPES.filter((type) => types.includes(type));
  if (registrable.length < types.length) {
    const detail = `must contain only ${REGISTRABLE_TYPES.join(', ')} if held_by is given`;
    throw invalidInput([{ pointer: '/query/types', detail }]);
  }
  return registrable;
}

/** Parses a text such as `ACCOUNT:1,COURSE:2`. */
function referencesOf(text: string): { type: FocusType; id: number }[] {
  const references = text.split(',').map((each) => {
    const [type = '', id = '', ...rest] = each.split(':');
    const number = idIn(id);
    return isFocusType(type) && number !== null && rest.length === 0 ? { type, id: number } : null;
  });
  const valid = references.filter((reference) => reference !== null);
  if (valid.length < references.length || valid.length > MAX_REFERENCES) {
    const detail = `must be up to ${MAX_REFERENCES} assets such as ACCOUNT:1, separated by commas`;
    throw invalidInput([{ pointer: '/query/assets', detail }]);
  }
  return valid;
}
