import { Ajv, type ErrorObject, type SchemaValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { type InputError, invalidInput, pointerTo, withFurther } from '../problems/problem.ts';
import { INVALID_DATE_TIME, parseDateTime } from '../time/date-time.ts';
import { decimalErrors } from './decimal-numbers.ts';
import { trimExcess } from './excess.ts';
import { validateLazily } from './lazy-schemas.ts';
import { INVALID_CURSOR, parseCursor, parsePairCursor, parseReplayCursor } from './paging.ts';
import { PATTERN_WORDS, READ_AS, type ReadAs } from './schemas.ts';
import { unknownMemberErrors } from './unknown-members.ts';

/** For each mark of a schema: how its texts are parsed, and the error of a text that cannot be parsed. */
const READERS: Readonly<Record<ReadAs, { read: (text: string) => unknown; detail: string }>> = {
  time: { read: parseDateTime, detail: INVALID_DATE_TIME },
  cursor: { read: parseCursor, detail: INVALID_CURSOR },
  'pair-cursor': { read: parsePairCursor, detail: 'must be a next_cursor of an earlier response' },
  'replay-cursor': { read: parseReplayCursor, detail: INVALID_CURSOR },
};
/** A text that is too long already has that error. Its length is counted in code points, as Ajv does. */
const isReadable: SchemaValidateFunction = (as: ReadAs, text: string, { maxLength } = {}) =>
  [...text].length > (maxLength ?? Number.POSITIVE_INFINITY) || READERS[as].read(text) !== null;

/** More than are reported: `detail` says how many were found. A hostile request must not take much time. */
const MAX_ERRORS_FOUND = 1_000;

/** The parts of a request, by their names in Fastify. */
const PARTS = { params: 'params', body: 'body', querystring: 'query' } as const;

const COMMON = { allErrors: true, strict: false, verbose: true, useDefaults: true } as const;
/** Both keep what they compile by schema, so that further servers of the process need not compile it again. */
const strict = new Ajv({ ...COMMON, coerceTypes: false });
const converting = new Ajv({ ...COMMON, coerceTypes: 'array' });
for (const ajv of [strict, converting]) {
  formats.default(ajv);
  ajv.addKeyword({ keyword: READ_AS, type: 'string', errors: false, validate: isReadable });
}

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
      : validateLazily(
          () => converting.compile(schema),
          // Before conversion, after which the texts are numbers.
          (texts) => ({ value: texts, errors: decimalErrors(schema, texts) }),
        ),
  );
}

/**
 * The schema errors of all parts of a request, and the members that its route does not know. Fastify stops at the first
 * part that fails, so the others are validated here. This also converts their texts. None for another kind of error.
 */
export function requestErrorsOf(request: FastifyRequest, error: FastifyError): InputError[] {
  if (error.validation === undefined) return [];
  const others = (['params', 'body', 'querystring'] as const).filter(
    (part) => part !== error.validationContext,
  );
  const errors = [error, ...others.map((part) => failureOf(request, part))].flatMap(inputErrorsOf);
  return withFurther(errors, unknownMemberErrors(request));
}

/** The error that Fastify would report if this part was the first that fails. */
function failureOf(request: FastifyRequest, part: keyof typeof PARTS): SchemaFailure | undefined {
  const validate = request.getValidationFunction(part);
  if (typeof validate !== 'function' || validate(request[PARTS[part]])) return undefined;
  return { validation: validate.errors ?? [], validationContext: part };
}

type SchemaFailure = Pick<FastifyError, 'validation' | 'validationContext'>;

/** The schema errors of one part of a request: each invalid member with its error, up to {@link MAX_ERRORS_FOUND}. */
export function inputErrorsOf(error: SchemaFailure | undefined): InputError[] {
  const found = (error?.validation ?? []) as ErrorObject[];
  const context = error?.validationContext;
  const prefix =
    context === undefined || context === 'body' ? '' : `/${context === 'querystring' ? 'query' : context}`;
  const tooShort = new Set(
    found.filter(({ keyword }) => keyword === 'minLength').map(({ instancePath }) => instancePath),
  );
  const errors = new Map<string, InputError>();
  for (const each of found) {
    // A text that is too short is not also reported as having the wrong form.
    if (each.keyword === 'pattern' && tooShort.has(each.instancePath)) continue;
    // In addition to the errors of its branches, a union only says that none matched.
    if (each.keyword === 'anyOf' || each.keyword === 'oneOf') continue;
    const reported = toInputError(each, prefix);
    if (context === 'querystring' && isRepeated(each)) reported.detail = 'must be given only once';
    errors.set(`${reported.pointer} ${reported.detail}`, reported);
    if (errors.size === MAX_ERRORS_FOUND) break;
  }
  return [...errors.values()];
}

/** Whether a member of the query is given several times although it is no list. */
function isRepeated({ data, parentSchema }: ErrorObject): boolean {
  return Array.isArray(data) && parentSchema?.type !== 'array';
}

/**
 * The schema errors and unknown members of a request for a route with `attachValidation`. Afterwards, the texts of its
 * query are converted.
 */
export function schemaErrorsOf(request: FastifyRequest): InputError[] {
  if (request.validationError == null) return unknownMemberErrors(request);
  return requestErrorsOf(request, request.validationError as FastifyError);
}

/**
 * For routes with `attachValidation`, whose rules go beyond a schema: throws one problem that names what the
 * schema and `further` found. @throws {ProblemError} `invalid-request`
 */
export function assertValid(request: FastifyRequest, further: readonly InputError[] = []): void {
  const errors = withFurther(schemaErrorsOf(request), further);
  if (errors.length > 0) throw invalidInput(errors);
}

/**
 * Checks a request of a route whose service looks up what the request refers to, in the transaction of the change and
 * after `If-Match` and `Idempotency-Key`. For an invalid request, this is done here already, so that its problem names
 * every error.
 * @throws {ProblemError} `invalid-request`
 */
export async function assertValidOrLookUp(
  request: FastifyRequest,
  lookUp: () => Promise<readonly InputError[]>,
  further: readonly InputError[] = [],
): Promise<void> {
  const bySchema = schemaErrorsOf(request);
  if (bySchema.length === 0 && further.length === 0) return;
  throw invalidInput(withFurther(bySchema, [...further, ...(await lookUp())]));
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
    case READ_AS:
      return { pointer: at, detail: READERS[error.schema as ReadAs].detail };
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
      return `must have at least ${items(limit)}`;
    case 'maxItems':
      return `must have at most ${items(limit)}`;
    case 'uniqueItems':
      return `must not have duplicates: items ${params.i} and ${params.j} are equal`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
  }
  return undefined;
}

function items(count: number): string {
  return count === 1 ? '1 item' : `${count} items`;
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;
}
