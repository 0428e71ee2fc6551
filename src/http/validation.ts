import { Ajv, type ErrorObject } from 'ajv';
import formats from 'ajv-formats';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { type InputError, invalidInput, pointerTo } from '../problems/problem.ts';
import { trimExcess } from './excess.ts';
import { validateLazily } from './lazy-schemas.ts';
import { PATTERN_WORDS } from './schemas.ts';

/** Maximum number of invalid members in a response: hostile input must not create a hostile response. */
const MAX_ERRORS_TOLD = 100;

const COMMON = { allErrors: true, strict: false, verbose: true, useDefaults: true } as const;
/** Both keep what they compile by schema, so that further servers of the process need not compile it again. */
const strict = new Ajv({ ...COMMON, coerceTypes: false });
const converting = new Ajv({ ...COMMON, coerceTypes: 'array' });
for (const ajv of [strict, converting]) formats.default(ajv);

/**
 * Validates bodies as they are, and texts (query, path) with converted types. Finds every invalid member, not
 * only the first.
 */
export function installValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    httpPart === 'body'
      ? validateLazily(
          () => strict.compile(schema),
          (body) => trimExcess(schema, body),
        )
      : validateLazily(() => converting.compile(schema)),
  );
}

/** The schema errors of a request: each invalid member with its error. */
export function inputErrorsOf(error: FastifyError | undefined): InputError[] {
  const found = (error?.validation ?? []) as ErrorObject[];
  const context = error?.validationContext;
  const prefix =
    context === undefined || context === 'body' ? '' : `/${context === 'querystring' ? 'query' : context}`;
  const errors = new Map<string, InputError>();
  for (const each of found) {
    // In addition to the errors of its branches, a union only says that none matched.
    if (each.keyword === 'anyOf' || each.keyword === 'oneOf') continue;
    const reported = toInputError(each, prefix);
    errors.set(`${reported.pointer} ${reported.detail}`, reported);
    if (errors.size === MAX_ERRORS_TOLD) break;
  }
  return [...errors.values()];
}

/**
 * For routes with `attachValidation`, whose rules go beyond a schema: throws one problem that names what the
 * schema and `further` found. @throws {ProblemError} `invalid-request`
 */
export function assertValid(request: FastifyRequest, further: readonly InputError[] = []): void {
  const bySchema = inputErrorsOf(request.validationError as FastifyError | undefined);
  const reported = new Set(bySchema.map(({ pointer }) => pointer));
  const errors = [...bySchema, ...further.filter(({ pointer }) => !reported.has(pointer))];
  if (errors.length > 0) throw invalidInput(errors.slice(0, MAX_ERRORS_TOLD));
}

function toInputError(error: ErrorObject, prefix: string): InputError {
  const at = `${prefix}${error.instancePath}`;
  switch (error.keyword) {
    case 'required':
      return { pointer: pointerTo(at, error.params.missingProperty), detail: 'is required' };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return {
        pointer: pointerTo(at, error.params.additionalProperty ?? error.params.unevaluatedProperty),
        detail: 'is not a known member',
      };
    case 'enum':
      return { pointer: at, detail: `must be one of ${error.params.allowedValues.map(String).join(', ')}` };
    case 'const':
      return { pointer: at, detail: `must be ${JSON.stringify(error.params.allowedValue)}` };
    case 'type':
      return { pointer: at, detail: `must be ${[error.params.type].flat().map(withArticle).join(' or ')}` };
    case 'pattern':
      return {
        pointer: at,
        detail: PATTERN_WORDS.get(error.params.pattern) ?? 'does not have the required format',
      };
    default:
      return { pointer: at, detail: limitDetail(error) ?? 'is invalid' };
  }
}

/** Says which limit of its schema a value breaks; undefined for a keyword that no schema of the service uses. */
function limitDetail({ keyword, params }: ErrorObject): string | undefined {
  const { limit } = params as { limit: number };
  switch (keyword) {
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return `must have at least ${counted(limit, 'item')}`;
    case 'maxItems':
      return `must have at most ${counted(limit, 'item')}`;
    case 'uniqueItems':
      return `must not have duplicates: items ${params.i} and ${params.j} are equal`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
  }
  return undefined;
}

function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
}
